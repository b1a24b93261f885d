/**
 * One question to the model: attempts, each with a deadline of its own, waits between them, and the caller's signal through
 * all of it. Returns what the model replied or throws with a reason. It comes back at the deadline even when the model's
 * function never does, and it never makes more calls than its budget holds.
 */

import type { SummarizeContext } from "../core/checkpoint/summary.ts";
import { errorText } from "../core/error-text.ts";
import { isObject } from "../core/json.ts";
import type { Usage } from "../core/ports.ts";
import { timerMs } from "../core/timer-limit.ts";
import { saidUsage, sumUsage } from "../core/usage.ts";
import { aborted, summaryFailed, throwIfAborted } from "./failure.ts";
import { delayBefore, type RetrySettings } from "./retry.ts";

export interface CompletionRequest {
  /** The model that should answer: `summary.model`, or the conversation's own; absent where neither is known. */
  readonly model?: string;
  readonly system: string;
  readonly prompt: string;
  /**
   * Only when asked for in band: the live request up to what is summarised, in wire form, with the instruction as its last
   * message. To be sent in the place of `system` and `prompt`, which hold no conversation then; so that its cache is
   * read, nothing in it but the output limit and streaming should be changed.
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
  /** The model that did answer, for the record; the one that was asked for when it is not said. */
  readonly model?: string;
}

/** Any function that asks a model. Without tools and with thinking off, if it can choose. */
export type Complete = (request: CompletionRequest) => Promise<Completion>;

export interface AskSettings {
  readonly complete: Complete;
  readonly timeoutMs: number;
  readonly retry: RetrySettings;
}

/** Counts calls, so that retries can never use up those that are still planned. */
export interface CallBudget {
  readonly made: number;
  readonly usage: Usage | undefined;
  /** The model of the last reply, or the one that was asked for. */
  readonly model: string | undefined;
  /** Takes a planned question's call. */
  start(): void;
  /** Takes a call for another attempt; false when only the planned ones are left. */
  retry(): boolean;
  /** A call that was taken is made now. */
  call(model: string | undefined): void;
  /** What came back, whether or not it can be used. */
  addReply(reply: Completion): void;
}

export function createCallBudget(
  plannedCalls: number,
  maxCalls: number,
  told: Pick<SummarizeContext, "called" | "answered"> = {},
): CallBudget {
  let made = 0;
  let taken = 0;
  let planned = plannedCalls;
  let usage: Usage | undefined;
  let model: string | undefined;
  return {
    get made(): number {
      return made;
    },
    get usage(): Usage | undefined {
      return usage;
    },
    get model(): string | undefined {
      return model;
    },
    start() {
      planned--;
      taken++;
    },
    retry() {
      if (taken + planned >= maxCalls) return false;
      taken++;
      return true;
    },
    call(asked) {
      made++;
      model = asked ?? model;
      told.called?.(asked);
    },
    addReply(reply) {
      const used = saidUsage(reply.usage);
      if (used !== undefined) usage = usage === undefined ? used : sumUsage(usage, used);
      model = reply.model ?? model;
      told.answered?.({
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
      // `complete` comes from outside; whether it returned anything at all is for whoever reads the answer to say.
      if (isObject(outcome.reply)) budget.addReply(outcome.reply);
      return outcome.reply;
    }
    throwIfAborted(request.signal);
    const isOverflow = outcome.type === "error" && retry.isOverflow(outcome.error);
    const isWorthIt = outcome.type === "timeout" || (!isOverflow && retry.isRetryable(outcome.error));
    if (!isWorthIt || attempt >= retry.maxAttempts || !budget.retry()) {
      throw failureOf(outcome, { isOverflow, attempt, timeoutMs: settings.timeoutMs });
    }
    const delayMs = delayBefore(attempt + 1, retry, outcome.type === "error" ? outcome.error : undefined);
    await untilAborted(retry.sleep(delayMs, request.signal), request.signal);
    throwIfAborted(request.signal);
  }
}

type Failed = { readonly type: "timeout" } | { readonly type: "error"; readonly error: unknown };
type Outcome = { readonly type: "reply"; readonly reply: Completion } | Failed;

async function attemptOnce(request: CompletionRequest, { complete, timeoutMs }: AskSettings): Promise<Outcome> {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<Outcome>((resolve) => {
    timer = setTimeout(() => {
      resolve({ type: "timeout" });
      controller.abort(new DOMException(`No answer in ${timeoutMs} ms`, "TimeoutError"));
    }, timerMs(timeoutMs));
  });
  // An async function, so that what `complete` throws at once is caught like what it rejects with.
  const call = async (): Promise<Outcome> => {
    try {
      return { type: "reply", reply: await complete({ ...request, signal: controller.signal }) };
    } catch (error) {
      return { type: "error", error };
    }
  };
  try {
    return await untilAborted(Promise.race([call(), timeout]), request.signal, controller);
  } finally {
    clearTimeout(timer);
  }
}

/** Settles as the promise does, or rejects as soon as the signal is aborted, whatever the promise does after that. */
async function untilAborted<Result>(
  promise: Promise<Result>,
  signal: AbortSignal,
  controller?: AbortController,
): Promise<Result> {
  let stop = (): void => {};
  const gone = new Promise<never>((_resolve, reject) => {
    stop = () => {
      controller?.abort(signal.reason);
      reject(aborted(signal));
    };
  });
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([promise, gone]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

interface FailedAttempt {
  readonly isOverflow: boolean;
  readonly attempt: number;
  readonly timeoutMs: number;
}

function failureOf(outcome: Failed, { isOverflow, attempt, timeoutMs }: FailedAttempt): Error {
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
