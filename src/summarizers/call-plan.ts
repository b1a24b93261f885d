/**
 * Decides, before the first call, which requests a summary takes: how the conversation is divided, how partial summaries
 * are merged, and how many calls that can come to. Pure; the same input always gives the same plan.
 */

import type { StagedSettings } from "../core/settings/settings.ts";

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

/** Of all calls so many are kept for retries. */
export const RETRY_RESERVE = 0.25;

/** One part when everything fits one request (or one chunk, when stages are asked for); otherwise equal shares. */
export function dividePlan(entries: readonly PlannedEntry[], settings: DivisionSettings): readonly PlannedPart[] {
  const { capacityTokens, staged, windowTokens, isStaged } = settings;
  const sizes = entries.map(({ tokens }) => tokens);
  const totalTokens = sizes.reduce((sum, tokens) => sum + tokens, 0);
  const ratio = chunkRatio(sizes, windowTokens, { baseRatio: staged.baseChunkRatio, minRatio: staged.minChunkRatio });
  const chunkTokens = Math.min(capacityTokens, Math.floor(windowTokens * ratio));
  const isSplitUseful = isStaged && entries.length >= staged.minMessagesForSplit && totalTokens > chunkTokens;
  if (totalTokens <= capacityTokens && !isSplitUseful) return located([entries]);
  const partsMax = partsWithin(settings);
  const wanted = Math.max(staged.parts, Math.ceil(totalTokens / Math.max(1, chunkTokens)));
  return located(split(entries, Math.min(wanted, partsMax), partsMax, capacityTokens));
}

export function isTooLarge(entry: PlannedEntry, windowTokens: number): boolean {
  return isOversize(entry.tokens, windowTokens);
}

/** Calls to merge so many partial summaries, level by level. */
function mergeCalls(parts: number, mergeWidth: number): number {
  let calls = 0;
  for (let left = parts; left > 1; left = Math.ceil(left / mergeWidth)) calls += Math.ceil(left / mergeWidth);
  return calls;
}

export function callsFor(parts: number, mergeWidth: number): number {
  return parts + mergeCalls(parts, mergeWidth);
}

function split(
  entries: readonly PlannedEntry[],
  parts: number,
  partsMax: number,
  capacityTokens: number,
): readonly (readonly PlannedEntry[])[] {
  const tokensOf = ({ tokens }: PlannedEntry): number => tokens;
  const shares = splitByTokenShare(entries, parts, tokensOf);
  const isOver = (part: readonly PlannedEntry[]): boolean =>
    part.reduce((sum, { tokens }) => sum + tokens, 0) > capacityTokens;
  if (!shares.some(isOver)) return shares;
  // Shares are equal only up to a message. Chunks by size never are over; they are used when the calls allow as many.
  const chunks = splitByMaxTokens(entries, capacityTokens, tokensOf);
  return chunks.length <= partsMax ? chunks : shares;
}

function partsWithin({ callsMax, mergeWidth }: DivisionSettings): number {
  let parts = 1;
  while (callsFor(parts + 1, mergeWidth) <= callsMax) parts++;
  return parts;
}

function located(parts: readonly (readonly PlannedEntry[])[]): readonly PlannedPart[] {
  let at = 1;
  return parts.map((entries) => {
    const from = at;
    at += entries.length;
    return { entries, from, to: at - 1 };
  });
}

/** Where an estimate decides a chunk size or an oversize test. */
export const SAFETY_MARGIN = 1.2;
export const BASE_CHUNK_RATIO = 0.4;
export const MIN_CHUNK_RATIO = 0.15;
const LARGE_MESSAGE_RATIO = 0.1;
/** A message above this share of the window, margin included, is left out. */
export const OVERSIZE_RATIO = 0.5;

interface ChunkRatioOptions {
  readonly baseRatio?: number;
  readonly minRatio?: number;
}

/** The share of the window that one chunk takes: less when messages are large. */
export function chunkRatio(
  messageTokens: readonly number[],
  windowTokens: number,
  { baseRatio = BASE_CHUNK_RATIO, minRatio = MIN_CHUNK_RATIO }: ChunkRatioOptions = {},
): number {
  if (messageTokens.length === 0) return baseRatio;
  const averageTokens = messageTokens.reduce((sum, tokens) => sum + tokens, 0) / messageTokens.length;
  const averageRatio = (averageTokens * SAFETY_MARGIN) / windowTokens;
  if (averageRatio <= LARGE_MESSAGE_RATIO) return baseRatio;
  return Math.max(minRatio, baseRatio - Math.min(2 * averageRatio, baseRatio - minRatio));
}

export function isOversize(tokens: number, windowTokens: number): boolean {
  return tokens * SAFETY_MARGIN > windowTokens * OVERSIZE_RATIO;
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
  const shareTokens = items.reduce((sum, item) => sum + tokensOf(item), 0) / wanted;
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
  let chunkTokens = 0;
  for (const item of items) {
    const tokens = tokensOf(item);
    const current = chunks.at(-1);
    if (current === undefined || chunkTokens + tokens > maxTokens) {
      chunks.push([item]);
      chunkTokens = tokens;
    } else {
      current.push(item);
      chunkTokens += tokens;
    }
  }
  return chunks;
}
