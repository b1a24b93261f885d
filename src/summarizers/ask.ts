/**
 * Asks the model one question: attempts with a deadline each, and waits between them. Returns the model's reply or throws with a
 * reason. Returns at the deadline even when the model's function never does, and never makes more calls than its budget holds.
 */

import type { SummarizeContext } from "../core/checkpoint/summary.ts";
import { errorText } from "../core/error-text.ts";
import { isObject } from "../core/json.ts";
import type { Model } from "../core/model.ts";
import type { Usage } from "../core/ports.ts";
import { saidUsage, sumUsage } from "../core/usage.ts";
import { timerMs, untilAborted } from "../core/waiting.ts";
import { delayBefore, type RetrySettings } from "../retry.ts";
import { summaryFailed, throwIfAborted } from "./failure.ts";

export interface CompletionRequest {
  /** The model to ask: `summary.model`, or the conversation's own; absent where neither is known. */
  readonly model?: string;
  readonly system: string;
  readonly prompt: string;
  /**
   * Only in band: the live request in wire form up to the end of what is summarised, with the instruction as its last message. Send
   * it instead of `system` and `prompt`: it ends with them. Change nothing in it but the output limit and streaming, so
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

/**
 * The function that asks a model of `palimpsest/models`. The temperature is not sent: models that reason refuse it. In band the body is
 * sent as it is, so that the provider reads its cache.
 */
export function completeWith(model: Model): Complete {
  return async ({ system, prompt, body, maxOutputTokens, signal }) => {
    const request = isObject(body) ? body : model.question({ system, prompt, maxOutputTokens });
    const { text, stopReason: stopped, usage, model: answeredBy = model.id } = await model.complete(request, signal);
    const stopReason = stopped === "window-full" ? "length" : stopped;
    const isKnown = stopReason === "stop" || stopReason === "length" || stopReason === "refusal";
    return {
      text,
      stopReason: isKnown ? stopReason : "other",
      ...(usage !== undefined && { usage }),
      model: answeredBy,
    };
  };
}

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
