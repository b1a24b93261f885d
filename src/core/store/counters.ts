/** What a session counts, and how an append, a compaction and a rollback change it. Pure. */

import { CompactionError } from "../errors.ts";

export interface Counters {
  /** Tokens of the view as far as known: reported by the provider, or left by the last compaction. */
  readonly totalTokens: number;
  /** True when the total is unknown: estimate it before you decide anything by it. */
  readonly isTotalStale: boolean;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The window of the model in use; 0 until known. */
  readonly contextTokens: number;
  readonly compactionCount: number;
  /** The compaction count at which memory was last flushed; null when it never was, or that count was taken back. */
  readonly memoryFlushCompactionCount: number | null;
  readonly turnCount: number;
  /** Everything ever appended; summaries are not. */
  readonly messageCount: number;
}

/** What the provider reported about the newest request. */
export interface UsageCounts {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly contextTokens?: number;
}

/** Rounds token counts to whole numbers. Refuses values that are no numbers. */
export function wholeUsage(usage: UsageCounts): UsageCounts {
  const { contextTokens } = usage;
  const counts = { inputTokens: wholeTokens(usage.inputTokens), outputTokens: wholeTokens(usage.outputTokens) };
  return contextTokens === undefined ? counts : { ...counts, contextTokens: wholeTokens(contextTokens) };
}

function wholeTokens(tokens: number): number {
  const whole = Math.round(tokens);
  if (Number.isSafeInteger(whole) && whole >= 0) return whole;
  throw new CompactionError("invalid-request", `Usage of ${tokens} tokens cannot be counted. Nothing was changed.`);
}

/** What the last passes achieved. */
export interface PassHistory {
  readonly weak: number;
  readonly tokensAfter: number;
}

export const NO_COUNTERS: Counters = {
  totalTokens: 0,
  isTotalStale: true,
  inputTokens: 0,
  outputTokens: 0,
  contextTokens: 0,
  compactionCount: 0,
  memoryFlushCompactionCount: null,
  turnCount: 0,
  messageCount: 0,
};

export interface AppendedCounts {
  readonly messages: number;
  readonly turns: number;
  readonly usage?: UsageCounts;
}

/** Without a report the total says too little from now on, so it is stale. */
export function countersAfterAppend(before: Counters, { messages, turns, usage }: AppendedCounts): Counters {
  const grown = {
    ...before,
    messageCount: before.messageCount + messages,
    turnCount: before.turnCount + turns,
  };
  if (usage === undefined) return messages === 0 ? grown : { ...grown, isTotalStale: true };
  return {
    ...grown,
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    totalTokens: usage.inputTokens + usage.outputTokens,
    isTotalStale: false,
    contextTokens: usage.contextTokens ?? before.contextTokens,
  };
}

export interface CompactedCounts {
  /** Of the view that the plan left; undefined when unknown. */
  readonly totalTokens: number | undefined;
  readonly isCompaction: boolean;
  /** Messages came after the commit was planned, so the view holds more than the plan counted. */
  readonly isOvertaken: boolean;
}

/** The total is what the compaction left, the breakdown is cleared; an unknown or overtaken total is stale. */
export function countersAfterCompaction(before: Counters, counts: CompactedCounts): Counters {
  const { totalTokens, isCompaction } = counts;
  const isKnown = totalTokens !== undefined && totalTokens > 0;
  return {
    ...before,
    compactionCount: before.compactionCount + (isCompaction ? 1 : 0),
    totalTokens: isKnown ? totalTokens : before.totalTokens,
    isTotalStale: !isKnown || counts.isOvertaken,
    inputTokens: 0,
    outputTokens: 0,
  };
}

/**
 * The total of the restored view is unknown, and the last reported usage belongs to another view: with it, a reopened session would
 * take its estimate for far too high. A flush behind compactions that are undone no longer speaks for any count:
 * otherwise the next compaction would come to the same count, and pass for flushed.
 */
export function countersAfterRollback(before: Counters, compactionsUndone: number): Counters {
  const { memoryFlushCompactionCount: flushed } = before;
  const compactionCount = Math.max(0, before.compactionCount - compactionsUndone);
  const memoryFlushCompactionCount = flushed !== null && flushed > compactionCount ? null : flushed;
  const unknown = { isTotalStale: true, inputTokens: 0, outputTokens: 0 };
  return { ...before, compactionCount, memoryFlushCompactionCount, ...unknown };
}
