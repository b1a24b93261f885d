/**
 * How long the provider asks to wait before another attempt, as its `retry-after-ms` or `retry-after` header says. Reads the
 * headers wherever SDKs and HTTP clients put them on an error; undefined where nobody said anything that can be read.
 */

import { isObject, numberOf, stringOf } from "../core/json.ts";

const CAUSES_MAX = 5;

/** A moment counts from `nowMs`; one that has passed says nothing. */
export function statedDelayMs(error: unknown, nowMs: number): number | undefined {
  for (const headers of headersOf(error)) {
    const stated = numberIn(headers, "retry-after-ms") ?? retryAfterMs(headerIn(headers, "retry-after"), nowMs);
    if (stated !== undefined && stated > 0) return stated;
  }
  return undefined;
}

/** Seconds, or a date. */
function retryAfterMs(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  const seconds = numberFrom(value);
  if (seconds !== undefined) return seconds * 1_000;
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? undefined : atMs - nowMs;
}

/** Of the error and its causes: `headers` (SDKs of Anthropic and OpenAI), `responseHeaders` (AI SDK), those of a `response`. */
function headersOf(error: unknown): readonly object[] {
  const found: object[] = [];
  let link: unknown = error;
  for (let depth = 0; isObject(link) && depth < CAUSES_MAX; depth++) {
    const { headers, responseHeaders, response, cause }: Readonly<Record<string, unknown>> = link;
    const all = [headers, responseHeaders, isObject(response) ? response.headers : undefined];
    found.push(...all.filter((value) => isObject(value)));
    link = cause;
  }
  return found;
}

function headerIn(headers: object, name: string): string | undefined {
  const value = valueIn(headers, name);
  return numberOf(value)?.toString() ?? stringOf(value);
}

/** Told by shape: not every client has the platform's `Headers`. */
function valueIn(headers: object, name: string): unknown {
  if ("get" in headers && typeof headers.get === "function") return headers.get(name);
  return Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}

function numberIn(headers: object, name: string): number | undefined {
  return numberFrom(headerIn(headers, name));
}

function numberFrom(value: string | undefined): number | undefined {
  const isNumber = value !== undefined && /^\s*\d+(?:\.\d+)?\s*$/.test(value);
  return isNumber ? Number(value) : undefined;
}
