/** What was spent, and what everything would have cost, over records as an exchange writes them. */

import { expect, test } from "vitest";
import type { RequestRecord } from "../core/store/traffic.ts";
import { moneyOf } from "./money.ts";

const base = { sessionId: "a", model: "claude-opus-4-8", status: 200, outputTokens: 0, windowTokens: 100_000 };
const more = { triggerTokens: null, eventId: null, firstByteMs: null, durationMs: 1 };
const at = (seconds: number): string => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000).toISOString();
const record = (seconds: number, tokens: Partial<RequestRecord>): RequestRecord => ({
  ...{ ...base, ...more, at: at(seconds) },
  ...{ inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, viewTokens: 0, fullTokens: 0, ...tokens },
});
const whole = (seconds: number, inputTokens: number, cacheReadTokens: number): RequestRecord =>
  record(seconds, {
    inputTokens,
    cacheReadTokens,
    cacheWriteTokens: inputTokens - cacheReadTokens,
    viewTokens: inputTokens,
    fullTokens: inputTokens,
  });

test("nothing is saved or lost while everything is sent", () => {
  const money = moneyOf([whole(0, 50_000, 0), whole(60, 60_000, 50_000)], []);
  // $6.25 for a million written, $0.50 for a million read.
  expect(money.spentUsd).toBeCloseTo((60_000 * 6.25 + 50_000 * 0.5) / 1e6, 10);
  expect(money.everythingUsd).toBe(money.spentUsd);
});

test("a compaction writes its prefix anew, and saves what is read less", () => {
  const shrunk = record(120, {
    inputTokens: 20_000,
    cacheWriteTokens: 20_000,
    viewTokens: 10_000,
    fullTokens: 40_000,
  });
  const money = moneyOf([whole(0, 50_000, 0), whole(60, 60_000, 50_000), shrunk], []);
  const before = (60_000 * 6.25 + 50_000 * 0.5) / 1e6;
  expect(money.spentUsd).toBeCloseTo(before + (20_000 * 6.25) / 1e6, 10);
  // The estimate of 40,000 stands for 80,000 as the provider counts.
  expect(money.everythingUsd).toBeCloseTo(before + (60_000 * 0.5 + 20_000 * 6.25) / 1e6, 10);
});

test("a cold cache is paid for by both, and what fits into no window is counted", () => {
  const shrunk = record(900, {
    inputTokens: 20_000,
    cacheWriteTokens: 20_000,
    viewTokens: 20_000,
    fullTokens: 120_000,
  });
  const money = moneyOf([whole(0, 50_000, 0), whole(60, 60_000, 50_000), shrunk], []);
  expect(money.everythingUsd).toBeCloseTo((60_000 * 6.25 + 50_000 * 0.5 + 120_000 * 6.25) / 1e6, 10);
  expect(money.overWindow).toBe(1);
});

test("an unknown price is no price", () => {
  const money = moneyOf([{ ...whole(0, 10, 0), model: "nobody-knows" }], []);
  expect([money.spentUsd, money.everythingUsd]).toEqual([null, null]);
  expect(moneyOf([], []).spentUsd).toBeNull();
});
