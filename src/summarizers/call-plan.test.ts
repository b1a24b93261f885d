import { describe, expect, test } from "vitest";
import { createRandom } from "../testing/random.ts";
import {
  BASE_CHUNK_RATIO,
  chunkRatio,
  MIN_CHUNK_RATIO,
  OVERSIZE_RATIO,
  oversizeLimit,
  SAFETY_MARGIN,
  shortenOldest,
  splitByMaxTokens,
  splitByTokenShare,
} from "./call-plan.ts";

const self = (tokens: number): number => tokens;

test("the sources' constants", () => {
  expect([BASE_CHUNK_RATIO, MIN_CHUNK_RATIO, SAFETY_MARGIN, OVERSIZE_RATIO]).toEqual([0.4, 0.15, 1.2, 0.5]);
});

test.each([
  [[], 0.4],
  [[100, 100], 0.4],
  [[8_333], 0.4], // × 1.2 / 100,000 is just below 0.1
  [[10_000], 0.4 - 2 * 0.12],
  [[5_000, 15_000], 0.4 - 2 * 0.12],
  [[12_000], 0.15], // 2 × 0.144 is above 0.25
  [[90_000], 0.15],
])("chunk ratio of %j in a window of 100,000 is %d", (sizes, expected) => {
  expect(chunkRatio(sizes, 100_000)).toBeCloseTo(expected, 10);
});

test("oversize is above half the window after the margin", () => {
  expect(oversizeLimit(100_000)).toBe(41_666);
});

describe("by token share", () => {
  test.each([
    [[], 2, []],
    [[1], 2, [[1]]],
    [
      [1, 1, 1, 1],
      2,
      [
        [1, 1],
        [1, 1],
      ],
    ],
    [[9, 1, 1, 1], 2, [[9], [1, 1, 1]]],
    [[1, 1, 1, 9], 2, [[1, 1, 1], [9]]],
    [[1, 2, 3], 9, [[1, 2], [3]]],
    [[5, 5, 5], 1, [[5, 5, 5]]],
  ])("%j in %d", (sizes, parts, expected) => {
    expect(splitByTokenShare(sizes, parts, self)).toEqual(expected);
  });
});

describe("by maximum", () => {
  test.each([
    [[], 5, []],
    [[2, 2, 2], 4, [[2, 2], [2]]],
    [[9, 1], 4, [[9], [1]]],
    [[1, 9, 1], 4, [[1], [9], [1]]],
  ])("%j with at most %d", (sizes, most, expected) => {
    expect(splitByMaxTokens(sizes, most, self)).toEqual(expected);
  });
});

test("both keep every item in order; shares are equal up to one item", () => {
  for (let seed = 0; seed < 300; seed++) {
    const random = createRandom(seed);
    const sizes = Array.from({ length: random.below(40) }, () => 1 + random.below(100));
    const parts = 1 + random.below(8);
    const shares = splitByTokenShare(sizes, parts, self);
    const chunks = splitByMaxTokens(sizes, 150, self);
    expect(shares.flat()).toEqual(sizes);
    expect(chunks.flat()).toEqual(sizes);
    expect(shares.length).toBeLessThanOrEqual(parts);
    const share = sizes.reduce((sum, size) => sum + size, 0) / parts;
    for (const part of shares) expect(part.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(share + 100);
    for (const chunk of chunks) expect(chunk.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(150);
  }
});

test("entries are shortened from the oldest on, as far as it takes, and never the twelve newest", () => {
  const entries = Array.from({ length: 20 }, (_, index) => ({ messageId: `m${index}`, text: "long", tokens: 10 }));
  const short = (entry: (typeof entries)[number]) => ({ ...entry, text: "short", tokens: 1 });
  const shortened = (limitTokens: number): string =>
    shortenOldest(entries, short, limitTokens)
      .entries.map(({ text }) => text.charAt(0))
      .join("");
  expect(shortened(200)).toBe("l".repeat(20));
  expect(shortened(180)).toBe(`sss${"l".repeat(17)}`);
  expect(shortened(0)).toBe(`${"s".repeat(8)}${"l".repeat(12)}`);
});
