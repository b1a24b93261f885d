/**
 * `palimpsest()`: a `fetch` that keeps every conversation that passes through it inside its model's window. Give it to any SDK. What is no
 * conversation passes untouched, and a request that need not change goes out with the bytes that came.
 */

import { untilAborted } from "./core/waiting.ts";
import { createExchange, type ExchangeChange, type ExchangeOptions } from "./exchange.ts";

export type { ExchangeCompaction, ExchangeRecord } from "./exchange.ts";

/** All are optional. Everything that `createCompactor` takes can be given beside these. */
export interface PalimpsestOptions extends ExchangeOptions {
  /** Sends the requests. Default: the platform's. */
  readonly fetch?: typeof globalThis.fetch;
}

/** @example const client = new Anthropic({ fetch: palimpsest() }); */
export function palimpsest(options: PalimpsestOptions = {}): typeof globalThis.fetch {
  const { fetch: given, ...others } = options;
  const { exchange, recognises } = createExchange(others);
  return async (input, init) => {
    // The platform's may be replaced after this was made, by a test or by an instrumentation.
    const next = given ?? globalThis.fetch;
    const request = input instanceof Request ? input : undefined;
    const url = request?.url ?? String(input);
    const method = init?.method ?? request?.method ?? "GET";
    if (!recognises(method, url)) return next(input, init);
    const signal = init?.signal ?? request?.signal ?? undefined;
    signal?.throwIfAborted();
    const bytes = await bodyOf(request, init, signal);
    if (bytes === undefined) return next(input, init);
    const headers = new Headers(init?.headers ?? request?.headers);
    // A stream that was read cannot be sent again; its bytes can.
    const asItCame = isStream(init?.body ?? request?.body) ? { ...init, body: bytes } : init;
    return exchange({
      method,
      url,
      headers,
      body: bytes,
      signal,
      send: (change) =>
        change === undefined ? next(input, asItCame) : next(...changed(input, init, { headers, change })),
    });
  };
}

type Input = Parameters<typeof fetch>[0];

/** The text or bytes of a body; undefined where there is none, or one that no client of a model sends. */
async function bodyOf(
  request: Request | undefined,
  init: RequestInit | undefined,
  signal: AbortSignal | undefined,
): Promise<string | Uint8Array | undefined> {
  const body = init?.body ?? undefined;
  if (typeof body === "string") return body;
  if (body instanceof FormData || body instanceof URLSearchParams) return undefined;
  // The request itself stays unread: it is the caller's.
  const source = body === undefined ? request?.clone().body : body;
  if (source === undefined || source === null) return undefined;
  const read = new Response(source).bytes();
  return signal === undefined ? read : untilAborted(read, signal);
}

function isStream(body: unknown): boolean {
  return body instanceof ReadableStream || (typeof body === "object" && body !== null && Symbol.asyncIterator in body);
}

interface Replacement {
  readonly headers: Headers;
  readonly change: ExchangeChange;
}

/** The same request with another body. Everything else stays as the caller gave it, also what only its own `fetch` knows. */
function changed(input: Input, init: RequestInit | undefined, { headers, change }: Replacement): [Input, RequestInit] {
  const { body, url, signal } = change;
  const plain = new Headers(headers);
  // They describe the bytes that came.
  for (const name of ["content-length", "content-encoding", "content-digest", "content-md5"]) plain.delete(name);
  const target = url === undefined ? input : input instanceof Request ? new Request(url, input) : url;
  return [target, { ...init, body, headers: plain, ...(signal !== undefined && { signal }) }];
}
