/**
 * The safeguard's way with a history that has outgrown its share of the window: its oldest chunks are
 * summarised apart, and that text goes into the main summary in the place of the one from before. Nothing is left out
 * silently, and the calls of both are known before the first.
 */

import type { SummarizeContext, SummaryInput } from "../core/checkpoint/summary.ts";
import type { Message } from "../core/message.ts";
import type { CountTokens } from "../core/ports.ts";
import { structureOf } from "../core/structure/structure.ts";
import { SAFETY_MARGIN, splitByTokenShare } from "./call-plan.ts";
import { explanationOf, isAborted, reasonOf } from "./failure.ts";
import { type LlmSettings, MAX_HISTORY_SHARE } from "./llm-options.ts";
import { type LlmPlan, planLlm } from "./llm-plan.ts";
import { shrinkToTokens } from "./shrink-text.ts";
import { type StagedRun, writeDraft } from "./staged.ts";

export interface HistoryPlan {
  readonly share: HistoryShare;
  /** For the dropped part, with the summary from before. */
  readonly apart: LlmPlan;
  /** For the rest, with room for the summary of the dropped part. */
  readonly rest: LlmPlan;
}

/** Fewer calls than this could not be shared between two summaries. */
const CALLS_MIN = 4;

/** Undefined where the history keeps within its share, or the mode knows of none. */
export function planHistory(input: SummaryInput, settings: LlmSettings): HistoryPlan | undefined {
  const { mode, maxCalls, windowTokens, staged, guard } = settings;
  const { counter, messages, kept } = input;
  if (mode !== "staged" || maxCalls < CALLS_MIN) return undefined;
  const { maxHistoryShare, parts } = staged;
  if (!needsHistoryPruning(counter.total(kept), windowTokens, maxHistoryShare)) return undefined;
  const countTokens = (message: (typeof messages)[number]): number => counter.total([message]);
  const share = pruneHistory(messages, { windowTokens, countTokens, maxHistoryShare, parts });
  if (share.droppedMessages.length === 0) return undefined;
  const half = { ...settings, maxCalls: Math.floor(maxCalls / 2) };
  // The guard looks at the main summary only, so no call is kept for it here.
  const apart = planLlm({ ...input, messages: share.droppedMessages, turnPrefix: [] }, { ...half, guard: false });
  const previous = { text: PLACEHOLDER.repeat(apart.context.maxTokens) };
  const rest = planLlm({ ...input, messages: share.keptMessages, previous }, { ...half, guard });
  return isEmpty(apart) || isEmpty(rest) ? undefined : { share, apart, rest };
}

/** About a token, to hold the place of a text that is still to be written. */
const PLACEHOLDER = "word ";

function isEmpty({ parts }: LlmPlan): boolean {
  return parts.every(({ entries }) => entries.length === 0);
}

interface SummarizedApart {
  /** For the main summary. */
  readonly plan: LlmPlan;
  readonly notes: readonly string[];
  readonly omissions: readonly string[];
  /** Requests that failed and were done without. */
  readonly failures: readonly string[];
}

export async function summarizeApart(
  { share, apart, rest }: HistoryPlan,
  run: Omit<StagedRun, "plan">,
): Promise<SummarizedApart> {
  const note = describeShare(share);
  const limit = { limitTokens: run.countText(rest.previous ?? ""), count: run.countText };
  const withPrevious = (text: string | undefined): LlmPlan => ({
    ...rest,
    previous: text === undefined ? undefined : shrinkToTokens(text, limit),
  });
  try {
    const draft = await writeDraft({ ...run, plan: apart, context: renamed(run.context) });
    const notes = [note, ...apart.notes, ...draft.notes];
    const omissions = [...apart.omissions, ...draft.omissions];
    return { plan: withPrevious(draft.text), notes, omissions, failures: draft.failures };
  } catch (error) {
    if (isAborted(error) || !run.settings.allowPartial) throw error;
    const { droppedMessageCount } = share;
    const lost = `The oldest ${droppedMessageCount} messages could not be summarised (${reasonOf(error)}).`;
    const failures = [`${lost} ${explanationOf(error)}`];
    return { plan: withPrevious(apart.previous), notes: [note, lost], omissions: [lost], failures };
  }
}

/** In words. */
function describeShare(share: HistoryShare): string {
  const { droppedChunkCount, droppedMessageCount, droppedTokens, keptTokens, budgetTokens } = share;
  return `The history was over its share of the window: ${droppedChunkCount} chunk(s) with ${droppedMessageCount} messages (${droppedTokens} tokens) were summarised apart, ${keptTokens} tokens were kept of a budget of ${budgetTokens}.`;
}

function renamed(context: SummarizeContext): SummarizeContext {
  return { ...context, progress: ({ stage, ...counts }) => context.progress({ stage: `history-${stage}`, ...counts }) };
}

export const HISTORY_PARTS = 2;

interface HistoryShareOptions {
  readonly windowTokens: number;
  readonly countTokens: CountTokens;
  readonly maxHistoryShare?: number;
  readonly parts?: number;
}

interface HistoryShare {
  readonly keptMessages: readonly Message[];
  readonly droppedMessages: readonly Message[];
  readonly droppedChunkCount: number;
  readonly droppedMessageCount: number;
  readonly droppedTokens: number;
  readonly keptTokens: number;
  readonly budgetTokens: number;
}

export function pruneHistory(messages: readonly Message[], options: HistoryShareOptions): HistoryShare {
  const { windowTokens, countTokens, maxHistoryShare = MAX_HISTORY_SHARE, parts = HISTORY_PARTS } = options;
  const budgetTokens = Math.max(1, Math.floor(windowTokens * maxHistoryShare));
  const structure = structureOf(messages);
  const sizes = messages.map(countTokens);
  const totalTokens = sum(sizes);
  let start = 0;
  let keptTokens = totalTokens;
  let droppedChunkCount = 0;
  while (keptTokens > budgetTokens) {
    const [oldest, ...rest] = splitByTokenShare(sizes.slice(start), parts, (tokens) => tokens);
    if (oldest === undefined || rest.length === 0) break;
    const cut = structure.cutAtOrAfter(start + oldest.length, "pair-safe");
    if (cut === undefined) break;
    keptTokens -= sum(sizes.slice(start, cut));
    start = cut;
    droppedChunkCount++;
  }
  return {
    keptMessages: messages.slice(start),
    droppedMessages: messages.slice(0, start),
    droppedChunkCount,
    droppedMessageCount: start,
    droppedTokens: totalTokens - keptTokens,
    keptTokens,
    budgetTokens,
  };
}

/** Pruning starts only when what is new is above the share by the safety margin. */
export function needsHistoryPruning(
  newTokens: number,
  windowTokens: number,
  maxHistoryShare: number = MAX_HISTORY_SHARE,
): boolean {
  return newTokens > Math.floor(windowTokens * maxHistoryShare * SAFETY_MARGIN);
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0);
}
