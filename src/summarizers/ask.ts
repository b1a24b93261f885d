/**
 * Asks the model one question: attempts with a deadline each, and waits between them. Returns the model's reply or throws with a
 * reason. Returns at the deadline even when the model's function never does, and never makes more calls than its budget holds.
 */

import type { SummarizeContext } from "../core/checkpoint/summary.ts";
import { errorText } from "../core/error-text.ts";
import { CompactionError } from "../core/errors.ts";
import { isObject, numberOf, stringOf } from "../core/json.ts";
import type { Usage } from "../core/ports.ts";
import { saidUsage, sumUsage } from "../core/usage.ts";
import { timerMs, untilAborted } from "../core/waiting.ts";
import { summaryFailed, throwIfAborted } from "./failure.ts";

export interface CompletionRequest {
  /** The model to ask: `summary.model`, or the conversation's own; absent where neither is known. */
  readonly model?: string;
  readonly system: string;
  readonly prompt: string;
  /**
   * Only in band: the live request in wire form up to the end of what is summarised, with the instruction as its last message. Send
   * it instead of `system` and `prompt`, which hold no conversation then. Change nothing in it but the output limit and streaming, so
   * that the provider reads its cache.
   */
  readonly body?: unknown;
  readonly maxOutputTokens: number;
  readonly temperature: number;
  /** Aborted by the caller, or when the time for this attempt is up. */
  readonly signal: AbortSignal;
}

export interface Completion {
  readonly text: string;
  readonly stopReason?: "stop" | "length" | "refusal" | "other";
  readonly usage?: Usage;
  /** The model that answered. Default: the requested one. */
  readonly model?: string;
}

/** Any function that asks a model. Without tools and with thinking off, if it can choose. */
export type Complete = (request: CompletionRequest) => Promise<Completion>;

export interface AskSettings {
  readonly complete: Complete;
  readonly timeoutMs: number;
  readonly retry: RetrySettings;
}

export type CallBudget = ReturnType<typeof createCallBudget>;

/** Counts calls, so that retries never use up those that are still planned. */
export function createCallBudget(
  plannedCalls: number,
  maxCalls: number,
  observer: Pick<SummarizeContext, "called" | "answered"> = {},
) {
  let made = 0;
  let taken = 0;
  let planned = plannedCalls;
  let usage: Usage | undefined;
  let model: string | undefined;
  return {
    get made() {
      return made;
    },
    get usage() {
      return usage;
    },
    /** The model of the last reply, or the requested one. */
    get model() {
      return model;
    },
    /** Takes a planned question's call. */
    start(): void {
      planned--;
      taken++;
    },
    /** Takes a call for another attempt; false when only planned calls are left. */
    retry(): boolean {
      if (taken + planned >= maxCalls) return false;
      taken++;
      return true;
    },
    /** Records that a call is made now. */
    call(requested: string | undefined): void {
      made++;
      model = requested ?? model;
      observer.called?.(requested);
    },
    /** Records a reply, whether or not it can be used. */
    addReply(reply: Completion): void {
      const used = saidUsage(reply.usage);
      if (used !== undefined) usage = usage === undefined ? used : sumUsage(usage, used);
      model = reply.model ?? model;
      observer.answered?.({
        ...(used !== undefined && { usage: used }),
        ...(reply.model !== undefined && { model: reply.model }),
      });
    },
  };
}

export async function ask(request: CompletionRequest, settings: AskSettings, budget: CallBudget): Promise<Completion> {
  const { retry } = settings;
  throwIfAborted(request.signal);
  budget.start();
  for (let attempt = 1; ; attempt++) {
    budget.call(request.model);
    const outcome = await attemptOnce(request, settings);
    if (outcome.type === "reply") {
      // `complete` is the caller's and may return anything; `acceptAnswer` checks it.
      if (isObject(outcome.reply)) budget.addReply(outcome.reply);
      return outcome.reply;
    }
    const isOverflow = outcome.type === "error" && retry.isOverflow(outcome.error);
    const isWorthIt = outcome.type === "timeout" || (!isOverflow && retry.isRetryable(outcome.error));
    if (!isWorthIt || attempt >= retry.maxAttempts || !budget.retry()) {
      throw failureOf(outcome, { isOverflow, attempt, timeoutMs: settings.timeoutMs });
    }
    const delayMs = delayBefore(attempt + 1, retry, outcome.type === "error" ? outcome.error : undefined);
    try {
      await untilAborted(retry.sleep(delayMs, request.signal), request.signal);
    } finally {
      throwIfAborted(request.signal);
    }
  }
}

type AttemptFailure = { readonly type: "timeout" } | { readonly type: "error"; readonly error: unknown };
type Outcome = { readonly type: "reply"; readonly reply: Completion } | AttemptFailure;

async function attemptOnce(request: CompletionRequest, { complete, timeoutMs }: AskSettings): Promise<Outcome> {
  const deadline = new AbortController();
  const timeUp = (): void => deadline.abort(new DOMException(`No answer in ${timeoutMs} ms`, "TimeoutError"));
  const timer = setTimeout(timeUp, timerMs(timeoutMs));
  const signal = AbortSignal.any([request.signal, deadline.signal]);
  // An async function, so that what `complete` throws at once is caught like what it rejects with.
  const call = async (): Promise<Completion> => complete({ ...request, signal });
  try {
    return { type: "reply", reply: await untilAborted(call(), signal) };
  } catch (error) {
    throwIfAborted(request.signal);
    return deadline.signal.aborted ? { type: "timeout" } : { type: "error", error };
  } finally {
    clearTimeout(timer);
  }
}

function failureOf(
  outcome: AttemptFailure,
  { isOverflow, attempt, timeoutMs }: { isOverflow: boolean; attempt: number; timeoutMs: number },
): Error {
  if (outcome.type === "timeout") {
    const explanation = `The model did not answer within ${timeoutMs} ms, in ${attempt} attempt(s).`;
    return summaryFailed("timeout", explanation, { retryable: true });
  }
  if (isOverflow) {
    return summaryFailed("overflow", "The summarizer's own request is over its window; state a smaller windowTokens.", {
      cause: outcome.error,
    });
  }
  const said = errorText(outcome.error).replace(/[.\s]+$/, "");
  return summaryFailed("error", `The model call failed in attempt ${attempt}: ${said}.`, { cause: outcome.error });
}

export interface RetrySettings {
  /** The first attempt included. */
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

/** The first delay before attempt 2, `factor` times as long before each later one. A delay that the provider states replaces both. */
export function delayBefore(attempt: number, settings: RetrySettings, error?: unknown): number {
  const { firstDelayMs, factor, maxStatedDelayMs, now } = settings;
  const statedMs = statedDelayMs(error, now());
  return statedMs !== undefined && statedMs <= maxStatedDelayMs ? statedMs : firstDelayMs * factor ** (attempt - 2);
}

const RETRYABLE_STATUS: ReadonlySet<number> = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529]);
const RETRYABLE_CODE = /^(?:ECONN\w+|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|UND_ERR_\w+)$/;
const RETRYABLE_NAME = /^(?:RateLimitError|APIConnection\w*Error|TimeoutError|InternalServerError|OverloadedError)$/;
/** The `type` in Anthropic's SDK: the only sign of an error in a stream that began with status 200. */
const RETRYABLE_TYPE = /^(?:rate_limit_error|overloaded_error|api_error|timeout_error)$/;
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
