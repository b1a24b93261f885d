import { describe, expect, test } from "vitest";
import { type CompactorOptions, createCompactor } from "../compactor.ts";
import type { Summarizer } from "../core/checkpoint/summary.ts";
import { openaiChat } from "../formats/openai-chat.ts";
import type { Complete } from "../summarizers/ask.ts";
import { llm } from "../summarizers/llm.ts";

const messages = Array.from({ length: 40 }, (_, index) => ({
  role: index % 2 === 0 ? "user" : "assistant",
  content: `Part ${index} of the billing service is fine. `.repeat(20),
}));

function compacted(options: Partial<CompactorOptions>) {
  const compactor = createCompactor({ format: openaiChat, telemetry: false, ...options });
  return compactor.compact({ model: "gpt-6-sol", messages }, { target: { ratio: 0.2 } });
}

function own(summarize: Summarizer["summarize"]): Summarizer {
  return { name: "mine", version: "1", planCalls: () => 1, summarize };
}

const USAGE = { inputTokens: 50_000, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 100, reasoningTokens: 0 };
const PRICES = { input: 3, output: 15 };

describe("what it cost, where nobody stated prices", () => {
  const replying = (model: unknown, usage: Partial<typeof USAGE> = {}): Complete =>
    (async () => ({ text: "## Goal\nFix it.", usage: { ...USAGE, ...usage }, model })) as unknown as Complete;
  const costOf = async (complete: Complete, options: Partial<CompactorOptions> = {}) =>
    (await compacted({ summarizer: llm({ complete, windowTokens: 2_000_000, guard: false }), ...options })).report
      .costUsd;
  const MILLION = { inputTokens: 1_000_000, outputTokens: 1_000_000 };
  const CACHED = { ...MILLION, cacheReadTokens: 400_000, cacheWriteTokens: 100_000 };

  test.each<[string, number | undefined, unknown, Partial<typeof USAGE>?]>([
    ["a known model", 50_000 * 1e-6 + 100 * 5e-6, "claude-haiku-4-5"],
    ["its dated name", 50_000 * 1e-6 + 100 * 5e-6, "claude-haiku-4-5-20251001"],
    ["the other way to write a date", 27.5, "gpt-4o-2024-08-06", { ...MILLION, inputTokens: 7_000_000 }],
    ["cached tokens", 0.5 * 5 + 0.4 * 0.5 + 0.1 * 6.25 + 25, "claude-opus-5", CACHED],
    ["no price for writing is that of reading", 0.6 * 1.25 + 0.4 * 0.125 + 10, "gpt-5", CACHED],
    ["up to the step", 0.01, "claude-haiku-5-5", { inputTokens: 100_000, outputTokens: 0 }],
    ["above the step", 0.0500005, "claude-haiku-5-5", { inputTokens: 100_001, outputTokens: 0 }],
    ["a long request to OpenAI", 2 * 0.5 * 2 + 2 * 0.4 * 0.2 + 2 * 0.1 * 2.5 + 1.5 * 10, "gpt-6-sol", CACHED],
    ["one that is not known", undefined, "small-2"],
    ["one that another sells", undefined, "openrouter/claude-haiku-4-5"],
    ["a newer one", undefined, "claude-haiku-4-6"],
    ["who answered is not said", undefined, undefined],
    ["what is no name", undefined, 7],
  ])("%s", async (_, expected, model, usage) => {
    const cost = await costOf(replying(model, usage));
    if (expected === undefined) expect(cost).toBeUndefined();
    else expect(cost).toBeCloseTo(expected, 6);
  });
  test("a model that was only asked for need not be the one that answered", async () => {
    const summarizer = llm({ complete: replying(undefined), windowTokens: 200_000, guard: false, model: "gpt-5" });
    const { report } = await compacted({ summarizer });
    expect([report.model, report.costUsd]).toEqual(["gpt-5", undefined]);
  });
  test("stated prices win", async () =>
    expect(await costOf(replying("claude-haiku-4-5"), { prices: PRICES })).toBeCloseTo(0.1515));
  test("one unknown price leaves the sum unknown", async () => {
    let calls = 0;
    const summarizer = own(async (_input, { answered }) => {
      for (const model of ["gpt-5", "gpt-5", "mine"].slice(0, calls)) answered?.({ usage: USAGE, model });
      return { text: "Fix it.", calls, notes: [] };
    });
    const costs: unknown[] = [];
    for (calls = 1; calls <= 3; calls++) costs.push((await compacted({ summarizer })).report.costUsd);
    expect(costs).toEqual([expect.closeTo(0.0635), expect.closeTo(0.127), undefined]);
  });
  test("several requests told as one are priced where their length does not matter", async () => {
    const told = (calls: number, inputTokens: number) =>
      own(async () => ({
        text: "Fix it.",
        calls,
        usage: { ...USAGE, inputTokens },
        model: "gemini-2.5-pro",
        notes: [],
      }));
    const cost = async (calls: number, inputTokens: number) =>
      (await compacted({ summarizer: told(calls, inputTokens) })).report.costUsd;
    expect(await cost(2, 200_000)).toBeCloseTo(0.251);
    expect(await cost(2, 300_000)).toBeUndefined();
    expect(await cost(1, 300_000)).toBeCloseTo(0.7515);
  });
});
