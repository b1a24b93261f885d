/**
 * Who may use a gateway: whoever asks for it by a name of this machine, or has its token. The check of the name stops web pages whose own
 * name points to this machine, and the check of the origin stops those that send requests to the machine's own name.
 */

import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isIPv4 } from "node:net";
import { TOKEN_HEADER } from "./headers.ts";

export interface AccessRules {
  /** Every request needs it. */
  readonly token?: string | undefined;
  /** Names besides those of this machine under which the gateway is asked for. */
  readonly hosts: readonly string[];
}

export type Access =
  | { readonly type: "allowed"; readonly url: string }
  | { readonly type: "refused"; readonly status: RefusedStatus; readonly message: string };

type RefusedStatus = 400 | 401 | 403 | 421;

/** Clients that can send no header of their own have the token in their base address. */
const TOKEN_PATH = /^\/t\/([^/?]+)(?=[/?]|$)/;

export function accessOf(
  { url = "/", headers, headersDistinct }: IncomingMessage,
  { token, hosts }: AccessRules,
): Access {
  if (!url.startsWith("/")) return refused(400, "This is a gateway with a fixed list of upstreams, and no proxy.");
  const inPath = TOKEN_PATH.exec(url);
  const rest = inPath === null ? url : url.slice(inPath[0].length);
  const allowed = { type: "allowed", url: rest.startsWith("/") ? rest : `/${rest}` } as const;
  if (token !== undefined) {
    const given = inPath?.[1] ?? headers[TOKEN_HEADER];
    if (typeof given === "string" && isSame(given, token)) return allowed;
    return refused(
      401,
      `This gateway needs its token, in the header ${TOKEN_HEADER} or in the base address as /t/TOKEN.`,
    );
  }
  const isKnown = (name: string): boolean => isLoopback(name) || hosts.some((host) => host.toLowerCase() === name);
  const [host = "", ...others] = headersDistinct.host ?? [];
  if (others.length > 0 || !isKnown(nameIn(host))) {
    return refused(
      421,
      "This gateway is not known by that name: ask for it by an address of this machine, or add the name to `hosts`.",
    );
  }
  if (!isKnown(siteIn(headers.origin))) {
    return refused(403, "This gateway takes no requests of web pages: add the name of the page's site to `hosts`.");
  }
  return allowed;
}

const THIS_MACHINE = "localhost";

/** The site of the web page that sent a request; this machine for what no page sent. Programs that show pages have schemes of their own. */
function siteIn(origin: string | undefined): string {
  if (origin === undefined) return THIS_MACHINE;
  // Pages can hide where they come from.
  if (!URL.canParse(origin)) return origin;
  const { protocol, hostname } = new URL(origin);
  return /^https?:$/.test(protocol) ? hostname : THIS_MACHINE;
}

function refused(status: RefusedStatus, message: string): Access {
  return { type: "refused", status, message };
}

/** Takes the same time wherever the two differ. */
function isSame(given: string, token: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}

/** Without the port; empty where it is no name with a port. */
function nameIn(host: string): string {
  return (/^(\[[\da-f:.]*\]|[^:@/]*)(?::\d*)?$/i.exec(host)?.[1] ?? "").toLowerCase();
}

/** An address or name that never leaves this machine. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, "").toLowerCase();
  return (
    name === "localhost" || name.endsWith(".localhost") || name === "::1" || (isIPv4(name) && name.startsWith("127."))
  );
}
