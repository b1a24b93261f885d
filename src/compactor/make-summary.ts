/**
 * The only place where a summarizer is asked. What it throws, or returns and should not, sends the pass down the profile's
 * failure ladder; nothing of the conversation is touched before a usable text is there.
 */

import type { Checkpoint } from "../core/checkpoint/checkpoint.ts";
import type { SummarizeContext, Summarizer, Summary, SummaryInput, SummaryResult } from "../core/checkpoint/summary.ts";
import { CompactionError } from "../core/errors.ts";
import type { Message } from "../core/message.ts";
import type { LiveSummaryInput } from "../core/plan/live-request.ts";
import { withReadableItems } from "../core/plan/native-items.ts";
import type { SummarizeStep } from "../core/plan/plan.ts";
import type { PlanInput } from "../core/plan/plan-input.ts";
import type { FailureStep } from "../core/settings/settings.ts";
import type { TokenCounter } from "../core/tokens/tokens.ts";
import { type LiveInput, liveRequest } from "./live-request.ts";
import type { Fallback } from "./report.ts";

export interface MakeSummaryInput {
  readonly input: PlanInput;
  readonly step: SummarizeStep;
  readonly counter: TokenCounter;
  readonly summarizer: Summarizer;
  /** What is asked when the summarizer fails and the ladder says so; needs no model. */
  readonly embedded: Summarizer;
  readonly context: SummarizeContext;
  readonly previousCheckpoint: Checkpoint | undefined;
  readonly instructions: string | undefined;
  /** The live request, for a summarizer that asks in band. */
  readonly live?: LiveInput | undefined;
}

export type MadeSummary =
  | {
      readonly type: "summary";
      readonly result: SummaryResult;
      readonly by: Summarizer;
      readonly fallbacks: readonly Fallback[];
    }
  /** The zone goes without a summary; an earlier one stays. */
  | { readonly type: "truncate"; readonly calls: number; readonly fallbacks: readonly Fallback[] }
  /** Nothing is done; the backstop on the number of messages may still apply. */
  | { readonly type: "keep"; readonly calls: number; readonly fallbacks: readonly Fallback[] };

export async function makeSummary(given: MakeSummaryInput): Promise<MadeSummary> {
  const summaryInput = inputFor(given);
  let calls = 0;
  const context: SummarizeContext = {
    ...given.context,
    called: () => {
      calls++;
    },
  };
  try {
    const made = await given.summarizer.summarize(summaryInput, context);
    const result = { ...made, text: made.text.toWellFormed() };
    if (result.calls === 0 && isEmpty(result)) return { type: "truncate", calls: 0, fallbacks: [NOTHING_SAID] };
    if (isEmpty(result)) throw new CompactionError("summary-failed", "The summarizer returned an empty text.");
    return { type: "summary", result, by: given.summarizer, fallbacks: [] };
  } catch (error) {
    throwIfAborted(given.context.signal);
    return takeLadder(given, summaryInput, { error, calls });
  }
}

/** Whether a step of the ladder was taken because there was no summary, as opposed to nothing to summarise. */
export function isFailed(made: MadeSummary | undefined): boolean {
  return made?.fallbacks.some((fallback) => fallback !== NOTHING_SAID) ?? false;
}

export function throwIfAborted(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw new CompactionError("aborted", "Compaction was aborted; nothing was changed.", { cause: signal.reason });
}

function inputFor(given: MakeSummaryInput): LiveSummaryInput {
  const { input, step, counter, previousCheckpoint, instructions, live } = given;
  const leaving = new Set([...step.messageIds, ...step.replacesIds]);
  const prefix = new Set(step.turnPrefixIds);
  const zone = new Set(step.messageIds);
  const { messages } = input.conversation;
  const previous: Summary | undefined =
    input.found === undefined
      ? undefined
      : { text: input.found.text, ...(previousCheckpoint !== undefined && { checkpoint: previousCheckpoint }) };
  const pick = (test: (message: Message) => boolean): readonly Message[] => messages.filter(test);
  return {
    messages: pick(({ id }) => zone.has(id) && !prefix.has(id)).map(withReadableItems),
    turnPrefix: pick(({ id }) => prefix.has(id)),
    kept: pick(({ id }) => !leaving.has(id)),
    keptBefore: Math.max(
      0,
      messages.findIndex(({ id }) => leaving.has(id)),
    ),
    ...(previous !== undefined && { previous }),
    budgetTokens: step.budgetTokens,
    counter,
    ...(instructions !== undefined && { instructions }),
    ...(live !== undefined && { live: liveRequest(live, step) }),
  };
}

function isEmpty({ text }: SummaryResult): boolean {
  return text.trim() === "";
}

/** True of the failure, but not of the pass once a step of the ladder was taken. */
const UNCHANGED = / The conversation was not changed\.$/;

/** The zone holds no word: there is nothing to keep of it. */
const NOTHING_SAID: Fallback = { step: "truncate", because: "There is no text to summarize." };

function textOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(UNCHANGED, "") : String(error);
}

async function takeLadder(
  given: MakeSummaryInput,
  summaryInput: SummaryInput,
  { error, calls }: { readonly error: unknown; readonly calls: number },
): Promise<MadeSummary> {
  const because = textOf(error);
  const fallbacks: Fallback[] = [];
  for (const step of given.input.settings.failure.ladder) {
    fallbacks.push({ step, because });
    const made = await takeStep(step, given, summaryInput, { error, fallbacks, calls });
    if (made !== undefined) return made;
  }
  return { type: "keep", calls, fallbacks };
}

interface Failure {
  readonly error: unknown;
  readonly fallbacks: readonly Fallback[];
  readonly calls: number;
}

/** Undefined where the step has nothing to offer and the next one is tried. */
async function takeStep(
  step: FailureStep,
  given: MakeSummaryInput,
  summaryInput: SummaryInput,
  failure: Failure,
): Promise<MadeSummary | undefined> {
  const { fallbacks, calls } = failure;
  switch (step) {
    // The summarizer itself keeps what its parts achieved; when it failed as a whole there was nothing to keep.
    case "staged-partial":
      return undefined;
    case "extractive": {
      const result = await given.embedded.summarize(summaryInput, given.context);
      return { type: "summary", result: { ...result, calls }, by: given.embedded, fallbacks };
    }
    case "annotate": {
      const result = await annotate(given, summaryInput);
      return { type: "summary", result: { ...result, calls }, by: given.embedded, fallbacks };
    }
    case "truncate":
      return { type: "truncate", calls, fallbacks };
    case "keep-and-trim":
      return { type: "keep", calls, fallbacks };
    case "throw":
      throw failure.error instanceof CompactionError && failure.error.code === "summary-failed"
        ? failure.error
        : new CompactionError(
            "summary-failed",
            `Could not summarize ${given.step.messageIds.length} messages: ${textOf(failure.error).replace(/[.\s]+$/, "")}. Nothing was changed.`,
            { cause: failure.error, retryable: true },
          );
    default:
      return step satisfies never;
  }
}

/** R148, R149: says that there is no summary; what can be known without one (failures, files) is added by the extractor. */
async function annotate(
  { input, embedded, context, step }: MakeSummaryInput,
  summaryInput: SummaryInput,
): Promise<SummaryResult> {
  const note = input.settings.failure.annotation.replaceAll("{count}", () => String(step.messageIds.length));
  const noteTokens = summaryInput.counter.countText(note);
  const budgetTokens = Math.max(0, summaryInput.budgetTokens - noteTokens - 1);
  const digest = await embedded.summarize({ ...summaryInput, budgetTokens }, context);
  return { ...digest, text: `${note}\n\n${digest.text}`.trim() };
}
