/**
 * Who may ask the dashboard: requests to a name of this machine, with the token where there is one, and changes only from the page itself.
 * Also the headers of every answer. A refusal says no more than the caller knows.
 */

import { hash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

export interface GuardOptions {
  /** Names that the server is reached by, beside those of the loopback interface. */
  readonly hosts: readonly string[];
  /** Asked for as a password where there is one. */
  readonly token: string | undefined;
}

export interface Denial {
  readonly status: 401 | 403 | 421;
  readonly message: string;
}

const LOOPBACK: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** Undefined for a request that may pass. */
export function denialOf(request: IncomingMessage, { hosts, token }: GuardOptions): Denial | undefined {
  const { host = "", authorization = "" } = request.headers;
  // A page of another site can make its own name lead here, but it cannot send another name.
  if (![...LOOPBACK, ...hosts.map((name) => name.toLowerCase())].includes(nameIn(host))) {
    return {
      status: 421,
      message:
        "This server is not known by that name: ask for it by an address of this machine, or add the name to `hosts`.",
    };
  }
  if (request.headers["sec-fetch-site"] === "cross-site" && request.headers["sec-fetch-mode"] !== "navigate") {
    return { status: 403, message: "Only its own page may ask for this." };
  }
  if (token !== undefined && !isSame(tokenIn(authorization), token)) {
    return { status: 401, message: "A token is needed: any user name, and the token as the password." };
  }
  return undefined;
}

/** Undefined for a change that its own page asks for. */
export function changeDenialOf(request: IncomingMessage, pageToken: string): Denial | undefined {
  const { host, origin } = request.headers;
  const given = request.headers["x-palimpsest-page"];
  const isOwn = typeof given === "string" && isSame(given, pageToken);
  const isOwnOrigin = origin !== undefined && URL.canParse(origin) && new URL(origin).host === host;
  const isJson = request.headers["content-type"]?.startsWith("application/json") === true;
  if (isOwn && isOwnOrigin && isJson) return undefined;
  return { status: 403, message: "Only its own page may change anything; reload it if the server was started anew." };
}

/** Without its port. */
function nameIn(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, "");
}

function tokenIn(authorization: string): string {
  const [, scheme = "", value = ""] = /^(\w+) +(\S+)$/.exec(authorization) ?? [];
  if (scheme.toLowerCase() === "bearer") return value;
  if (scheme.toLowerCase() !== "basic") return "";
  return Buffer.from(value, "base64")
    .toString("utf8")
    .replace(/^[^:]*:/, "");
}

/** In the same time for every guess. */
function isSame(given: string, wanted: string): boolean {
  return timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", wanted, "buffer"));
}

/** The page loads nothing but its own script and style, sends nothing elsewhere, and stands in no frame. */
export const SAFE_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
};
