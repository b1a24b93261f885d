import { expect, test } from "vitest";
import { countersAfterCompaction, countersAfterRollback, NO_COUNTERS, wholeUsage } from "./counters.ts";

const before = { ...NO_COUNTERS, totalTokens: 900, isTotalStale: false, inputTokens: 800, outputTokens: 100 };

test.each([
  [500, 4, [500, false]],
  [500, 5, [500, true]],
  [undefined, 4, [900, true]],
  [0, 4, [900, true]],
] as const)("a compaction that left %s tokens, with %i as the last number", (totalTokens, last, expected) => {
  const counts = { totalTokens, isCompaction: true, isOvertaken: last > 4 };
  const after = countersAfterCompaction(before, counts);
  expect([after.totalTokens, after.isTotalStale]).toEqual(expected);
  expect([after.inputTokens, after.outputTokens, after.compactionCount]).toEqual([0, 0, 1]);
});

test.each([
  [3, 2, 1, [2, 2]],
  [3, 3, 1, [2, null]],
  [3, null, 1, [2, null]],
  [1, 0, 2, [0, 0]],
  [3, 3, 0, [3, 3]],
])("of %i compactions, flushed at %s, %i are taken back", (compactionCount, flushed, undone, expected) => {
  const counters = { ...before, compactionCount, memoryFlushCompactionCount: flushed };
  const after = countersAfterRollback(counters, undone);
  expect([after.compactionCount, after.memoryFlushCompactionCount]).toEqual(expected);
  expect([after.totalTokens, after.isTotalStale]).toEqual([900, true]);
  expect([after.inputTokens, after.outputTokens]).toEqual([0, 0]);
});

test("usage is whole, and says no more than it was given", () => {
  expect(wholeUsage({ inputTokens: 1.5, outputTokens: 0.4 })).toEqual({ inputTokens: 2, outputTokens: 0 });
  expect(() => wholeUsage({ inputTokens: Number.NaN, outputTokens: 1 })).toThrow("NaN tokens");
});
