/** When a model is asked again, and how long to wait first: decided by what an error is made of, as SDKs and `fetch` make them. */

import { CompactionError } from "./core/errors.ts";
import { isObject, numberOf, stringOf } from "./core/json.ts";
import { timerMs } from "./core/waiting.ts";

export interface RetrySettings {
  readonly maxAttempts: number;
  readonly firstDelayMs: number;
  readonly factor: number;
  /** Longest delay that is taken from the provider (`retry-after`); above it, our own delay is used. */
  readonly maxStatedDelayMs: number;
  readonly isRetryable: (error: unknown) => boolean;
  readonly isOverflow: (error: unknown) => boolean;
  /** Rejects or resolves early when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The clock for delays that a provider states as a date. */
  readonly now: () => number;
}

/** Waits for rate limits, connection errors, timeouts and overloaded servers. Never retries an overflow: the same request would fail again. */
export const DEFAULT_RETRY: RetrySettings = {
  maxAttempts: 5,
  firstDelayMs: 10_000,
  factor: 2,
  // The limit in the SDKs of Anthropic and OpenAI.
  maxStatedDelayMs: 60_000,
  isRetryable: isTransient,
  isOverflow: isOverflowError,
  sleep: abortableSleep,
  now: Date.now,
};

/** As often and as soon as the official clients, for what none of them retries. */
export const CLIENT_RETRY: RetrySettings = { ...DEFAULT_RETRY, maxAttempts: 3, firstDelayMs: 500 };

/** The first delay before attempt 2, `factor` times as long before each later one. A delay that the provider states replaces both. */
export function delayBefore(attempt: number, settings: RetrySettings, error?: unknown): number {
  const { firstDelayMs, factor, maxStatedDelayMs, now } = settings;
  const statedMs = statedDelayMs(error, now());
  return statedMs !== undefined && statedMs <= maxStatedDelayMs ? statedMs : firstDelayMs * factor ** (attempt - 2);
}

const RETRYABLE_STATUS: ReadonlySet<number> = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529]);
/** Of a connection, and of an error of OpenAI's in a stream that began with status 200. */
const RETRYABLE_CODE =
  /^(?:server_error|rate_limit_exceeded|ECONN\w+|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|UND_ERR_\w+)$/;
const RETRYABLE_NAME = /^(?:RateLimitError|APIConnection\w*Error|TimeoutError|InternalServerError|OverloadedError)$/;
/** The `type` of an error in a stream that began with status 200: there is no other sign of it. */
const RETRYABLE_TYPE = /^(?:rate_limit_error|overloaded_error|api_error|timeout_error|server_error)$/;
const OVERFLOW =
  /prompt is too long|context[ _-]?(?:length|window|size|limit)|maximum (?:context|prompt) length|input (?:is|token count).{0,40}(?:too long|exceed)|request_too_large|too many tokens|token limit exceeded|reduce the length/i;
const CAUSES_MAX = 5;

/** Decides by the shape of an error, as SDKs and fetch make them, and of its causes. */
export function isTransient(error: unknown): boolean {
  return chainOf(error).some((link) => {
    if (link instanceof CompactionError) return link.retryable;
    const status = numberOf(link.status) ?? numberOf(link.statusCode);
    if (status !== undefined) return RETRYABLE_STATUS.has(status);
    if (RETRYABLE_TYPE.test(stringOf(link.type) ?? "")) return true;
    return RETRYABLE_CODE.test(stringOf(link.code) ?? "") || namesOf(link).some((name) => RETRYABLE_NAME.test(name));
  });
}

/** Some SDKs name all their errors `Error`; only the class differs. */
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

/** Ignores a date that has passed. */
function statedDelayMs(error: unknown, nowMs: number): number | undefined {
  for (const headers of headersOf(error)) {
    const seconds = numberFrom(headerIn(headers, "retry-after"));
    const dateMs = Date.parse(headerIn(headers, "retry-after") ?? "");
    const stated =
      numberFrom(headerIn(headers, "retry-after-ms")) ?? (seconds === undefined ? dateMs - nowMs : seconds * 1_000);
    if (stated > 0) return stated;
  }
  return undefined;
}

/** Of the error and its causes: `headers` (SDKs of Anthropic and OpenAI), `responseHeaders` (AI SDK), those of a `response`. */
function headersOf(error: unknown): readonly object[] {
  return chainOf(error).flatMap(({ headers, responseHeaders, response }) =>
    [headers, responseHeaders, isObject(response) ? response.headers : undefined].filter((value) => isObject(value)),
  );
}

/** Reads headers by shape, because not every client has the platform's `Headers`. */
function headerIn(headers: object, name: string): string | undefined {
  const value: unknown =
    "get" in headers && typeof headers.get === "function"
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return numberOf(value)?.toString() ?? stringOf(value);
}

function numberFrom(value: string | undefined): number | undefined {
  return value !== undefined && /^\s*\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}
