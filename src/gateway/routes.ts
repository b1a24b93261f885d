/**
 * Which provider a request is for: by its path and its headers, out of a fixed list of upstreams. Never takes a host from a request, so
 * nothing can be reached through a gateway that its operator did not name.
 */

import type { IncomingHttpHeaders } from "node:http";
import { CompactionError } from "../core/errors.ts";
import { isPlainObject } from "../core/json.ts";

/** Names and their base addresses; a path in one is put before the path of each request. */
export type Upstreams = Readonly<Record<string, string>>;

export const PROVIDERS = {
  anthropic: "https://api.anthropic.com",
  openai: "https://api.openai.com",
  gemini: "https://generativelanguage.googleapis.com",
  /** Where Codex sends what a ChatGPT account pays for. */
  chatgpt: "https://chatgpt.com",
} as const satisfies Upstreams;

export interface Route {
  readonly upstream: string;
  readonly base: URL;
  /** What is asked of the upstream: the path of its base, and path and query of the request. */
  readonly path: string;
}

interface Rule {
  readonly upstream: keyof typeof PROVIDERS;
  readonly path?: RegExp;
  readonly header?: string;
}

/** The first that fits decides; what fits none goes to OpenAI, whose form other servers have. */
const RULES: readonly Rule[] = [
  { upstream: "gemini", path: /^\/(?:upload\/|download\/)?v\d+(?:alpha|beta)\d*\// },
  { upstream: "gemini", path: /:(?:streamG|g)enerateContent$|:(?:countTokens|embedContent|batchEmbedContents)$/ },
  { upstream: "gemini", header: "x-goog-api-key" },
  { upstream: "anthropic", path: /^\/v1\/(?:messages|complete)(?:\/|$)|^\/api\// },
  { upstream: "anthropic", header: "anthropic-version" },
  { upstream: "anthropic", header: "x-api-key" },
  { upstream: "chatgpt", path: /^\/backend-api\// },
];

/** Clients that are pointed to an upstream of another name have this before their paths. */
const NAMED = /^\/u\/([^/?]*)(?=[/?]|$)/;

/** Undefined for an upstream that nobody named, and for a path that could leave its upstream's own. */
export function routeOf(url: string, headers: IncomingHttpHeaders, upstreams: ParsedUpstreams): Route | undefined {
  const named = NAMED.exec(url);
  const rest = named === null ? url : url.slice(named[0].length);
  if (!isPlainPath(url) || rest.startsWith("//")) return undefined;
  const upstream = named?.[1] ?? ruleFor(rest, headers);
  const base = upstreams.get(upstream);
  if (base === undefined) return undefined;
  const path = rest.startsWith("/") ? rest : `/${rest}`;
  return { upstream, base, path: `${base.pathname.replace(/\/+$/, "")}${path}` };
}

function ruleFor(url: string, headers: IncomingHttpHeaders): string {
  const [path = ""] = url.split("?", 1);
  const fits = ({ path: pattern, header }: Rule): boolean =>
    (pattern?.test(path) ?? true) && (header === undefined || headers[header] !== undefined);
  return RULES.find(fits)?.upstream ?? "openai";
}

/** A path that every server reads in the same way: none of its segments stands for another one. */
function isPlainPath(url: string): boolean {
  const [path = ""] = url.split("?", 1);
  if (!path.startsWith("/") || path.startsWith("//") || /[\\\s#]|%(?:5c|00)/i.test(path)) return false;
  return !path.split(/\/|%2f/i).some((segment) => /^(?:\.|%2e){1,2}(?:;.*)?$/i.test(segment));
}

export type ParsedUpstreams = ReadonlyMap<string, URL>;

/** Those of the providers, and those that are given. Throws for an address that cannot be one. */
export function parseUpstreams(given: Upstreams = {}): ParsedUpstreams {
  // Not shown, as below.
  if (!isPlainObject(given))
    throw new CompactionError("invalid-settings", "upstreams must be an object of names and addresses");
  return new Map(Object.entries({ ...PROVIDERS, ...given }).map(([name, address]) => [name, parse(name, address)]));
}

function parse(name: string, address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isUsable = url !== undefined && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "";
  if (isUsable && url.username === "" && url.password === "" && /^[\w.-]+$/.test(name)) return url;
  // The address itself is not repeated: a mistyped one may hold a key.
  const problem = `The upstream ${JSON.stringify(name)} needs an address such as "https://api.example.com", without key and query`;
  throw new CompactionError("invalid-settings", `${problem}, and a name of letters, digits, ".", "_" and "-".`);
}
