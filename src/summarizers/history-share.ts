/**
 * The safeguard's history pruning: when the history takes more than its share of the window, its oldest
 * chunks are set apart, to be summarised on their own. Pure; never parts a call from its result.
 */

import type { Message } from "../core/message.ts";
import type { CountTokens } from "../core/ports.ts";
import { structureOf } from "../core/structure/structure.ts";
import { SAFETY_MARGIN, splitByTokenShare } from "./chunks.ts";

export const MAX_HISTORY_SHARE = 0.5;
export const HISTORY_PARTS = 2;

export interface HistoryShareOptions {
  readonly windowTokens: number;
  readonly countTokens: CountTokens;
  readonly maxHistoryShare?: number;
  readonly parts?: number;
}

export interface HistoryShare {
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
