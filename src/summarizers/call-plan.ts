/**
 * Decides, before the first call, which requests a summary takes: how the conversation is divided, how partial summaries
 * are merged, and how many calls that takes. Numbers only, and pure: the same input always gives the same plan.
 */

import type { Message } from "../core/message.ts";
import type { CountTokens } from "../core/ports.ts";
import type { StagedSettings } from "../core/settings/settings.ts";
import { structureOf } from "../core/structure/structure.ts";

export interface PlannedEntry {
  readonly messageId: string;
  readonly text: string;
  readonly tokens: number;
}

/** A stretch of the conversation that one request covers. */
export interface PlannedPart {
  readonly entries: readonly PlannedEntry[];
  /** Positions of its first and last entry among all, counted from 1. */
  readonly from: number;
  readonly to: number;
}

interface DivisionSettings {
  readonly windowTokens: number;
  readonly staged: StagedSettings;
  /** What one request holds besides its instructions. */
  readonly capacityTokens: number;
  readonly isStaged: boolean;
  /** Partial summaries that one merge request holds. */
  readonly mergeWidth: number;
  /** Calls that parts and merges may take together. */
  readonly callsMax: number;
}

/** Share of all calls that is kept for retries. */
export const RETRY_RESERVE = 0.25;

/** One part when everything fits one request (or one chunk, when stages are asked for); otherwise equal shares. */
export function dividePlan(entries: readonly PlannedEntry[], settings: DivisionSettings): readonly PlannedPart[] {
  const { capacityTokens, staged, windowTokens, isStaged, callsMax, mergeWidth } = settings;
  const sizes = entries.map(tokensOf);
  const totalTokens = sum(sizes);
  const chunkTokens = Math.min(capacityTokens, Math.floor(windowTokens * chunkRatio(sizes, windowTokens, staged)));
  const isSplitUseful = isStaged && entries.length >= staged.minMessagesForSplit && totalTokens > chunkTokens;
  if (totalTokens <= capacityTokens && !isSplitUseful) return located([entries]);
  const partsMax = partsWithin(callsMax, mergeWidth);
  const wanted = Math.max(staged.parts, Math.ceil(totalTokens / Math.max(1, chunkTokens)));
  const shares = splitByTokenShare(entries, Math.min(wanted, partsMax), tokensOf);
  if (shares.every((share) => sum(share.map(tokensOf)) <= capacityTokens)) return located(shares);
  // Shares are equal only up to a message. Chunks by size are never over; they are used when the calls allow as many.
  const chunks = splitByMaxTokens(entries, capacityTokens, tokensOf);
  return located(chunks.length <= partsMax ? chunks : shares);
}

function tokensOf({ tokens }: PlannedEntry): number {
  return tokens;
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0);
}

function located(parts: readonly (readonly PlannedEntry[])[]): readonly PlannedPart[] {
  let to = 0;
  return parts.map((entries) => {
    const from = to + 1;
    to += entries.length;
    return { entries, from, to };
  });
}

/** Calls for so many parts and for merging their summaries, level by level. */
export function callsFor(parts: number, mergeWidth: number): number {
  let calls = parts;
  for (let left = parts; left > 1; left = Math.ceil(left / mergeWidth)) calls += Math.ceil(left / mergeWidth);
  return calls;
}

/** The most parts that so many calls can summarise and merge. */
export function partsWithin(callsMax: number, mergeWidth: number): number {
  let parts = 1;
  while (callsFor(parts + 1, mergeWidth) <= callsMax) parts++;
  return parts;
}

/** The newest entries are never shortened: work goes on from there. */
const NEWEST_ENTRIES = 12;

/** Takes short forms in the place of entries, oldest first, until all of them fit. A short form that saves nothing is not taken. */
export function shortenOldest<Entry extends PlannedEntry>(
  entries: readonly Entry[],
  shortOf: (entry: Entry, index: number) => Entry,
  limitTokens: number,
): { readonly entries: readonly Entry[]; readonly shortened: number; readonly totalTokens: number } {
  let totalTokens = sum(entries.map(tokensOf));
  let shortened = 0;
  const fitted = entries.map((entry, index) => {
    if (totalTokens <= limitTokens || index >= entries.length - NEWEST_ENTRIES) return entry;
    const short = shortOf(entry, index);
    if (short.tokens >= entry.tokens) return entry;
    totalTokens -= entry.tokens - short.tokens;
    shortened++;
    return short;
  });
  return { entries: fitted, shortened, totalTokens };
}

/** Applied where an estimate decides a chunk size or an oversize test. */
export const SAFETY_MARGIN = 1.2;
export const BASE_CHUNK_RATIO = 0.4;
export const MIN_CHUNK_RATIO = 0.15;
const LARGE_MESSAGE_RATIO = 0.1;
/** A message above this share of the window, margin included, is left out. */
export const OVERSIZE_RATIO = 0.5;

/** The share of the window that one chunk takes: less when messages are large. */
export function chunkRatio(
  messageTokens: readonly number[],
  windowTokens: number,
  {
    baseChunkRatio = BASE_CHUNK_RATIO,
    minChunkRatio = MIN_CHUNK_RATIO,
  }: Partial<Pick<StagedSettings, "baseChunkRatio" | "minChunkRatio">> = {},
): number {
  if (messageTokens.length === 0) return baseChunkRatio;
  const averageRatio = ((sum(messageTokens) / messageTokens.length) * SAFETY_MARGIN) / windowTokens;
  if (averageRatio <= LARGE_MESSAGE_RATIO) return baseChunkRatio;
  return Math.max(minChunkRatio, baseChunkRatio - Math.min(2 * averageRatio, baseChunkRatio - minChunkRatio));
}

export function oversizeLimit(windowTokens: number): number {
  return Math.floor((windowTokens * OVERSIZE_RATIO) / SAFETY_MARGIN);
}

type TokensOf<Item> = (item: Item) => number;

/** At most `parts` parts of about equal token share, in order, none empty. */
export function splitByTokenShare<Item>(
  items: readonly Item[],
  parts: number,
  tokensOf: TokensOf<Item>,
): readonly (readonly Item[])[] {
  const wanted = Math.min(Math.max(1, Math.floor(parts)), items.length);
  if (wanted <= 1) return items.length === 0 ? [] : [items];
  const shareTokens = sum(items.map(tokensOf)) / wanted;
  const result: Item[][] = [[]];
  let before = 0;
  for (const item of items) {
    const tokens = tokensOf(item);
    const current = result.at(-1) ?? [];
    // A boundary lies where the running total passes a multiple of the share; the item nearer to it goes on its side.
    const isFull = current.length > 0 && before + tokens / 2 > shareTokens * result.length;
    if (isFull && result.length < wanted) result.push([item]);
    else current.push(item);
    before += tokens;
  }
  return result;
}

/** As many chunks as it takes, each within the limit, unless one item alone is above it. */
export function splitByMaxTokens<Item>(
  items: readonly Item[],
  maxTokens: number,
  tokensOf: TokensOf<Item>,
): readonly (readonly Item[])[] {
  const chunks: Item[][] = [];
  let chunkTokens = Infinity;
  for (const item of items) {
    const tokens = tokensOf(item);
    if (chunkTokens + tokens > maxTokens) {
      chunks.push([]);
      chunkTokens = 0;
    }
    chunks.at(-1)?.push(item);
    chunkTokens += tokens;
  }
  return chunks;
}

/** Share of the window above which the oldest part of the history is summarised before the rest. */
export const MAX_HISTORY_SHARE = 0.5;
export const HISTORY_PARTS = 2;

interface HistoryShareOptions {
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

/** Drops the oldest chunks until the rest keeps within its share. Never cuts between a call and its result. */
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

/** True when the new messages exceed the share by the safety margin. */
export function needsHistoryPruning(
  newTokens: number,
  windowTokens: number,
  maxHistoryShare: number = MAX_HISTORY_SHARE,
): boolean {
  return newTokens > Math.floor(windowTokens * maxHistoryShare * SAFETY_MARGIN);
}
