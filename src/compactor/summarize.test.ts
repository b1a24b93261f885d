import { describe, expect, test } from "vitest";
import { checkpointText } from "../../test/summarizer-script.ts";
import { type CompactorOptions, createCompactor } from "../compactor.ts";
import type { Summarizer, SummaryInput, SummaryResult } from "../core/checkpoint/summary.ts";
import type { JsonArray, JsonObject } from "../core/json.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import type { Complete } from "../summarizers/ask.ts";
import { llm } from "../summarizers/llm.ts";

/** The call of a summarizer: its answer is checked, its cost is counted, and the report says what was done. */

const BODY: JsonObject = {
  model: "claude-opus-5",
  max_tokens: 100,
  messages: [
    { role: "user", content: "Fix the billing service." },
    ...Array.from({ length: 40 }, (_, index) => [
      { role: "assistant", content: `Read src/part-${index}.ts: handler_${index} is fine. `.repeat(20) },
      { role: "user", content: `Go on with part ${index}.` },
    ]).flat(),
  ],
};

/** A summarizer of the caller's, which may return any value. */
function own(answer: (input: SummaryInput) => unknown): Summarizer {
  const result = (input: SummaryInput): Promise<SummaryResult> => Promise.resolve(answer(input) as SummaryResult);
  return { name: "mine", version: "1", planCalls: () => 1, summarize: result };
}

async function compacted(options: Partial<CompactorOptions>, target = 0.2) {
  const compactor = createCompactor({ format: anthropicMessages, telemetry: false, ...options });
  return compactor.compact(BODY, { target: { ratio: target } });
}

const USAGE = { inputTokens: 50_000, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 100, reasoningTokens: 0 };
const PRICES = { input: 3, output: 15 };

describe("a summary over its budget", () => {
  const words = (factor: number) => (input: SummaryInput) => {
    const { counter, budgetTokens } = input;
    const tokensPerText = counter.countText("It works. ".repeat(1_000)) / 1_000;
    const text = "It works. ".repeat(Math.floor((budgetTokens * factor) / tokensPerText));
    return { text, calls: 1, usage: USAGE, notes: [] };
  };

  test("by far is a failure: the ladder is taken, and what it cost is counted all the same", async () => {
    const { report } = await compacted({ summarizer: own(words(3)), prices: PRICES });
    expect(report.fallbacks).toEqual([
      {
        step: "extractive",
        because: expect.stringMatching(/^The summary by mine counts \d+ tokens, and \d+ were allowed\.$/),
      },
    ]);
    expect(report).toMatchObject({ compacted: true, fits: true, calls: 1, usage: USAGE });
    expect(report.costUsd).toBeCloseTo(0.1515);
  });

  test("by a little is shortened, and that is noted", async () => {
    const { report } = await compacted({ summarizer: own(words(1.15)) });
    expect(report).toMatchObject({ compacted: true, fits: true, fallbacks: [] });
    expect(report.notes).toContainEqual(
      expect.stringMatching(/^The summary counted \d+ tokens, .* it was shortened\.$/),
    );
    expect(report.result?.summary).toContain("It works.");
  });

  test("from a hook is refused where it keeps the view above its target", async () => {
    const summary = "From the notes. ".repeat(9_000);
    const { report } = await compacted({ hooks: { provide: () => ({ compaction: { summary } }) } });
    expect(report).toMatchObject({ compacted: true, fits: true });
    expect(report.notes).toContainEqual(
      expect.stringMatching(/^A provide hook failed: The provided summary counts \d+/),
    );
  });
});

describe("a result of the wrong shape is one clear failure", () => {
  test.each([
    ["nothing", undefined, "no result"],
    ["no text", { calls: 1, notes: [] }, "a result whose `text` is no string"],
    ["no notes", { text: "ok", calls: 1 }, "a result whose `notes` is no list of texts"],
    ["no calls", { text: "ok", notes: [] }, "a result whose `calls` is no number of model calls"],
  ])("%s", async (_, answer, because) => {
    const { report } = await compacted({ summarizer: own(() => answer) });
    expect(report.fallbacks).toEqual([{ step: "extractive", because: `The summarizer mine returned ${because}.` }]);
    const thrown = compacted({ summarizer: own(() => answer), failure: { ladder: ["throw"] } });
    await expect(thrown).rejects.toMatchObject({ code: "summary-failed", reason: "malformed" });
  });
});

function asking(complete: Complete, options: Partial<CompactorOptions> = {}) {
  const retry = { maxAttempts: 1, sleep: () => Promise.resolve() };
  return compacted({ summarizer: llm({ complete, windowTokens: 100_000, retry }), ...options });
}

test("what a refusal cost is counted", async () => {
  const refuses: Complete = () => Promise.resolve({ text: "", stopReason: "refusal", usage: USAGE });
  const { report } = await asking(refuses, { prices: PRICES });
  expect(report).toMatchObject({ calls: 1, usage: USAGE, fallbacks: [{ step: "extractive" }] });
  expect(report.costUsd).toBeCloseTo(0.1515);
});

describe("the model", () => {
  const answered = (model?: string): Complete => {
    const text = checkpointText("Fix the billing service.");
    return (request) => Promise.resolve({ text: request.model === "broken" ? "" : text, ...(model && { model }) });
  };
  test.each([
    ["the one that the settings name", { summary: { model: "small" } }, undefined, "small"],
    ["the conversation's own", { summary: { model: "inherit" } }, undefined, "claude-opus-5"],
    ["the one that answered", { summary: { model: "small" } }, "small-2", "small-2"],
    ["the one that was asked in vain", { summary: { model: "broken" } }, undefined, "broken"],
  ])("%s is asked and recorded", async (_, options, answering, recorded) => {
    const asked: unknown[] = [];
    const complete: Complete = (request) => {
      asked.push(request.model);
      return answered(answering)(request);
    };
    const { report } = await asking(complete, options);
    expect(new Set(asked)).toEqual(
      new Set([options.summary.model === "inherit" ? "claude-opus-5" : options.summary.model]),
    );
    expect(report.model).toBe(recorded);
  });

  test("in band it is the conversation's own, whatever the settings name", async () => {
    const asked: unknown[] = [];
    const complete: Complete = (request) => {
      asked.push([request.model, request.body === undefined]);
      return answered()(request);
    };
    const summarizer = llm({ complete, model: "small", windowTokens: 100_000, inBand: true, guard: false });
    const { report } = await compacted({ summarizer });
    expect(asked).toEqual([["claude-opus-5", false]]);
    expect(report.model).toBe("claude-opus-5");
  });

  test("none where none was asked", async () => {
    expect((await compacted({})).report).not.toHaveProperty("model");
  });
});

describe("the report names the step that was really taken", () => {
  const flaky = (failing: (call: number) => boolean): Partial<CompactorOptions> => {
    let calls = 0;
    const complete: Complete = ({ prompt }) =>
      failing(calls++)
        ? Promise.reject(new Error("flaky"))
        : Promise.resolve({ text: `Decisions: keep ${/handler_\d+/.exec(prompt)?.[0]} as it is.` });
    const retry = { maxAttempts: 1 };
    return { profile: "openclaw", summarizer: llm({ complete, windowTokens: 6_000, retry }) };
  };

  test("what the parts achieved", async () => {
    const { report } = await compacted(flaky((call) => call === 1));
    expect(report.fallbacks).toEqual([
      { step: "staged-partial", because: expect.stringMatching(/could not be summarised \(error\)/) },
    ]);
    expect(report.compacted).toBe(true);
  });

  test("not what was of no use", async () => {
    const { report } = await compacted(flaky(() => true));
    expect(report.fallbacks.map(({ step }) => step)).toEqual(["annotate"]);
  });

  test("nothing where nothing went wrong", async () => {
    expect((await compacted(flaky(() => false))).report.fallbacks).toEqual([]);
  });
});

test("whoever gives up while a summary is made hears of it as an abort", async () => {
  const controller = new AbortController();
  const summarizer = own(() => {
    controller.abort();
    return { text: "Done.", calls: 1, notes: [] };
  });
  const compactor = createCompactor({ format: anthropicMessages, telemetry: false, summarizer });
  const pass = compactor.compact(BODY, { target: { ratio: 0.2 }, signal: controller.signal });
  await expect(pass).rejects.toMatchObject({ code: "aborted" });
});

test("a summary that stands merged into the first message is given once, as the one before", async () => {
  const inputs: SummaryInput[] = [];
  const summarizer = own((input) => {
    inputs.push(input);
    return { text: "The ledger is in harbour_77.", calls: 0, notes: [] };
  });
  const compactor = createCompactor({
    format: anthropicMessages,
    profile: "micro-agent",
    summarizer,
    telemetry: false,
  });
  const first = await compactor.compact(BODY, { target: { ratio: 0.3 } });
  const messages = [...(first.request.messages as JsonArray), ...(BODY.messages as JsonArray)];
  await compactor.compact({ ...BODY, messages }, { target: { ratio: 0.3 } });
  const [, second] = inputs;
  expect(JSON.stringify(first.request)).toContain("harbour_77");
  expect(second?.previous?.text).toContain("harbour_77");
  expect(JSON.stringify([second?.messages, second?.kept].flat().map((message) => message?.parts))).not.toContain(
    "harbour_77",
  );
});

describe("usage that is not what the types say", () => {
  const NOTHING = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0 };
  const CASES: readonly (readonly [unknown, object | undefined, number | undefined])[] = [
    [null, undefined, undefined],
    ["x", undefined, undefined],
    [{ input_tokens: 5 }, undefined, undefined],
    [{ inputTokens: Number.NaN, outputTokens: null }, undefined, undefined],
    [{ inputTokens: 1_000, outputTokens: 100 }, { ...NOTHING, inputTokens: 1_000, outputTokens: 100 }, 0.0045],
    [{ inputTokens: -5, outputTokens: 100 }, { ...NOTHING, outputTokens: 100 }, 0.0015],
  ];

  test.each(CASES)("%j costs neither the summary nor the sum", async (said, usage, costUsd) => {
    const text = checkpointText("Fix the billing service.");
    const complete = (async () => ({ text, usage: said })) as unknown as Complete;
    const asked = [
      own(() => ({ text, calls: 1, usage: said, notes: [] })),
      llm({ complete, windowTokens: 200_000, guard: false }),
    ];
    for (const summarizer of asked) {
      const { report } = await compacted({ summarizer, prices: PRICES });
      expect(report).toMatchObject({ compacted: true, calls: 1, fallbacks: [] });
      expect([report.usage, report.costUsd]).toEqual([usage, costUsd]);
    }
  });
});

test("one number that is stated for the summarizer leaves the others of its group to the settings", async () => {
  let calls = 0;
  let running = 0;
  let runningMax = 0;
  const complete: Complete = async () => {
    calls++;
    runningMax = Math.max(runningMax, ++running);
    await Promise.resolve();
    running--;
    return { text: checkpointText("Fix the billing service.") };
  };
  const summarizer = llm({ complete, windowTokens: 100_000, guard: false, staged: { concurrency: 1 } });
  const staged = { parts: 6, baseChunkRatio: 0.05, minChunkRatio: 0.05 };
  await compacted({ summarizer, summary: { mode: "staged", staged }, compact: { strategy: "summarize" } });
  // Six parts and their merge.
  expect([calls, runningMax]).toEqual([7, 1]);
});
