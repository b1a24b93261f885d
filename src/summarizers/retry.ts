/**
 * Which errors of a model call are worth another attempt, and how long to wait before it: rate limits, connection
 * errors, timeouts and overloaded servers. An overflow never is: the same request would fail again.
 */

import { CompactionError } from "../core/errors.ts";
import { isObject, numberOf, stringOf } from "../core/json.ts";
import { timerMs } from "../core/timer-limit.ts";

export interface RetrySettings {
  /** The first attempt included. */
  readonly maxAttempts: number;
  readonly firstDelayMs: number;
  readonly factor: number;
  /** How long a wait that the provider itself states (`retry-after`) may be; after a longer one our own delay is kept. */
  readonly maxStatedDelayMs: number;
  readonly isRetryable: (error: unknown) => boolean;
  readonly isOverflow: (error: unknown) => boolean;
  /** Rejects or resolves early when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** What a stated date is measured against. */
  readonly now: () => number;
}

export const DEFAULT_RETRY: RetrySettings = {
  maxAttempts: 5,
  firstDelayMs: 10_000,
  factor: 2,
  // As the SDKs of Anthropic and OpenAI bound it.
  maxStatedDelayMs: 60_000,
  isRetryable: isTransient,
  isOverflow: isOverflowError,
  sleep: abortableSleep,
  now: Date.now,
};

/** Before attempt 2: the first delay; before each later one, `factor` times as long. What the provider states comes before both. */
export function delayBefore(attempt: number, settings: RetrySettings, error?: unknown): number {
  const { firstDelayMs, factor, maxStatedDelayMs, now } = settings;
  const statedMs = statedDelayMs(error, now());
  return statedMs !== undefined && statedMs <= maxStatedDelayMs ? statedMs : firstDelayMs * factor ** (attempt - 2);
}

const RETRYABLE_STATUS: ReadonlySet<number> = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529]);
const RETRYABLE_CODE = /^(?:ECONN\w+|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|UND_ERR_\w+)$/;
const RETRYABLE_NAME = /^(?:RateLimitError|APIConnection\w*Error|TimeoutError|InternalServerError|OverloadedError)$/;
/** As Anthropic's SDK has it in `type`; the only sign where the error comes in a stream that had begun with status 200. */
const RETRYABLE_TYPE = /^(?:rate_limit_error|overloaded_error|api_error|timeout_error)$/;
const OVERFLOW =
  /prompt is too long|context[ _-]?(?:length|window|size|limit)|maximum (?:context|prompt) length|input (?:is|token count).{0,40}(?:too long|exceed)|request_too_large|too many tokens|token limit exceeded|reduce the length/i;
const CAUSES_MAX = 5;

/** Reads the shape of an error, as SDKs and fetch make them, and that of its causes. */
export function isTransient(error: unknown): boolean {
  return chainOf(error).some((link) => {
    if (link instanceof CompactionError) return link.retryable;
    const status = numberOf(link.status) ?? numberOf(link.statusCode);
    if (status !== undefined) return RETRYABLE_STATUS.has(status);
    if (RETRYABLE_TYPE.test(stringOf(link.type) ?? "")) return true;
    return RETRYABLE_CODE.test(stringOf(link.code) ?? "") || namesOf(link).some((name) => RETRYABLE_NAME.test(name));
  });
}

/** Errors of some SDKs are told apart by their class alone; their name is `Error`. */
function namesOf({ name, constructor: made }: ErrorLink): readonly string[] {
  return [stringOf(name) ?? "", typeof made === "function" ? made.name : ""];
}

export function isOverflowError(error: unknown): boolean {
  return chainOf(error).some((link) => {
    const status = numberOf(link.status) ?? numberOf(link.statusCode);
    if (status === 413) return true;
    if (status === 429) return false;
    return OVERFLOW.test(`${stringOf(link.code) ?? ""} ${stringOf(link.message) ?? ""}`);
  });
}

type ErrorLink = Readonly<Record<string, unknown>>;

function chainOf(error: unknown): readonly ErrorLink[] {
  const links: ErrorLink[] = [];
  let link: unknown = error;
  while (isObject(link) && links.length < CAUSES_MAX) {
    links.push(link);
    link = (link as ErrorLink).cause; // An error is an object of any shape; nothing but reads follow.
  }
  return links;
}

function abortableSleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, timerMs(ms));
    if (signal.aborted) done();
    else signal.addEventListener("abort", done, { once: true });
  });
}

/** A moment counts from `nowMs`; one that has passed says nothing. */
function statedDelayMs(error: unknown, nowMs: number): number | undefined {
  for (const headers of headersOf(error)) {
    const stated =
      numberFrom(headerIn(headers, "retry-after-ms")) ?? retryAfterMs(headerIn(headers, "retry-after"), nowMs);
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
  return chainOf(error).flatMap(({ headers, responseHeaders, response }) =>
    [headers, responseHeaders, isObject(response) ? response.headers : undefined].filter((value) => isObject(value)),
  );
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

function numberFrom(value: string | undefined): number | undefined {
  const isNumber = value !== undefined && /^\s*\d+(?:\.\d+)?\s*$/.test(value);
  return isNumber ? Number(value) : undefined;
}
