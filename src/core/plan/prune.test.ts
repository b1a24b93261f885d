import { expect, test } from "vitest";
import { isCheaperPruned, type PruningFigures } from "./prune.ts";

/** A window of 64k: a compaction comes at 48,000 and leaves 24,000, a cycle of 24 calls; each call of it costs 4,750. */
const USUAL: PruningFigures = {
  tokens: 45_000,
  freedTokens: 20_000,
  rewrittenTokens: 20_000,
  growthTokens: 1_000,
  thresholdTokens: 48_000,
  compactedTokens: 24_000,
  compactionRewrites: 24_000,
};

const pays = (more: Partial<PruningFigures>): boolean => isCheaperPruned({ ...USUAL, ...more });

test("as much again as a compaction writes, for fewer calls than one gains, does not pay", () => {
  expect(pays({})).toBe(false);
  expect(pays({ tokens: 48_000, freedTokens: 24_000, rewrittenTokens: 24_000 })).toBe(false);
});

test("little that is freed far from the end of the request never pays, whatever the growth", () => {
  for (const growthTokens of [1, 100, 1_000, 10_000])
    expect(pays({ freedTokens: 5_000, rewrittenTokens: 35_000, growthTokens })).toBe(false);
});

test("much that is freed near the end of the request does", () => {
  expect([8_000, 6_000, 4_000, 0].map((rewrittenTokens) => pays({ rewrittenTokens }))).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

test("where a compaction would free next to nothing, pruning is what keeps it away", () => {
  expect(pays({ compactedTokens: 44_000, compactionRewrites: 44_000 })).toBe(true);
  expect(pays({ compactedTokens: 48_000, compactionRewrites: 48_000 })).toBe(true);
});
