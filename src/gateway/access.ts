/**
 * Who may use a gateway: whoever asks for it by a name of this machine, or has its token. The check of the name is what stops web pages that
 * have their own name point to this machine.
 */

import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { TOKEN_HEADER } from "./headers.ts";

export interface AccessRules {
  /** Every request needs it. */
  readonly token?: string | undefined;
  /** Names besides those of this machine under which the gateway is asked for. */
  readonly hosts: readonly string[];
}

export type Access =
  | { readonly type: "allowed"; readonly url: string }
  | { readonly type: "refused"; readonly status: 400 | 401 | 421; readonly message: string };

/** Clients that can send no header of their own have the token in their base address. */
const TOKEN_PATH = /^\/t\/([^/?]+)(?=[/?]|$)/;

export function accessOf({ url = "/", headers }: IncomingMessage, { token, hosts }: AccessRules): Access {
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
  const name = nameIn(headers.host ?? "");
  if (isLoopback(name) || hosts.some((host) => host.toLowerCase() === name)) return allowed;
  return refused(
    421,
    "This gateway is not known by that name: ask for it by an address of this machine, or add the name to `hosts`.",
  );
}

function refused(status: 400 | 401 | 421, message: string): Access {
  return { type: "refused", status, message };
}

/** Takes the same time wherever the two differ. */
function isSame(given: string, token: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}

/** Without the port. */
function nameIn(host: string): string {
  return (/^\[[^\]]*\]|^[^:]*/.exec(host)?.[0] ?? "").toLowerCase();
}

/** An address or name that never leaves this machine. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, "").toLowerCase();
  return name === "localhost" || name.endsWith(".localhost") || name === "::1" || /^127(?:\.\d{1,3}){3}$/.test(name);
}
