/**
 * How a long conversation is divided among several requests: chunk ratio, the two splitters, the oversize test. Pure
 * arithmetic over token counts; never looks at a message.
 */

/** Where an estimate decides a chunk size or an oversize test. */
export const SAFETY_MARGIN = 1.2;
export const BASE_CHUNK_RATIO = 0.4;
export const MIN_CHUNK_RATIO = 0.15;
const LARGE_MESSAGE_RATIO = 0.1;
/** A message above this share of the window, margin included, is left out. */
export const OVERSIZE_RATIO = 0.5;

export interface ChunkRatioOptions {
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

export type TokensOf<Item> = (item: Item) => number;

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
