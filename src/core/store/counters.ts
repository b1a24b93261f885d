/** The counters of a session, and how an append, a compaction and a rollback change them. Pure. */

import { CompactionError } from "../errors.ts";

export interface Counters {
  /** Tokens of the view as far as known: as the provider reported them, or after the last compaction. */
  readonly totalTokens: number;
  /** True when the total is unknown: estimate it before any decision. */
  readonly isTotalStale: boolean;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The window of the model in use; 0 until known. */
  readonly contextTokens: number;
  readonly compactionCount: number;
  /** The compaction count at the last memory flush; null when there was none, or a rollback undid that count. */
  readonly memoryFlushCompactionCount: number | null;
  readonly turnCount: number;
  /** All messages ever appended, without summaries. */
  readonly messageCount: number;
}

/** The usage that the provider reported for the newest request. */
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

/** The outcome of the last passes. */
export interface PassHistory {
  /** Passes in a row that freed too little; a failed one counts as many as the limit. */
  readonly weak: number;
  /** Tokens of the view after the last pass. */
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

/** Without reported usage, the total is too low after an append, so it is stale. */
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
  /** Tokens of the view after the plan; undefined when unknown. */
  readonly totalTokens: number | undefined;
  readonly isCompaction: boolean;
  /** True when messages were appended after the plan, so the view holds more than the plan counted. */
  readonly isOvertaken: boolean;
}

/** Sets the total after a compaction and clears the breakdown; an unknown or overtaken total is stale. */
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
 * The total of the restored view is unknown, and the last reported usage belongs to another view: a reopened session
 * would calibrate wrongly with it. A flush at an undone compaction count is forgotten: otherwise the next compaction
 * would reach the same count, and count as flushed.
 */
export function countersAfterRollback(before: Counters, compactionsUndone: number): Counters {
  const { memoryFlushCompactionCount: flushed } = before;
  const compactionCount = Math.max(0, before.compactionCount - compactionsUndone);
  const memoryFlushCompactionCount = flushed !== null && flushed > compactionCount ? null : flushed;
  const unknown = { isTotalStale: true, inputTokens: 0, outputTokens: 0 };
  return { ...before, compactionCount, memoryFlushCompactionCount, ...unknown };
}
