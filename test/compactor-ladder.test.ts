import { describe, expect, test } from "vitest";
import { type CompactorOptions, createCompactor } from "../src/compactor.ts";
import type { Summarizer, SummaryInput, SummaryResult } from "../src/core/checkpoint/summary.ts";
import type { FailureStep } from "../src/core/settings/settings.ts";
import { messageCounter } from "../src/core/tokens/tokens.ts";
import { openaiChat } from "../src/formats/openai-chat.ts";

/** What a summarizer of one's own returns and should not, and what each step of the ladder owes all the same. One character is one token. */

const say = (role: string, content: string) => ({ role, content });
const MESSAGES = Array.from({ length: 30 }, (_, turn) => [
  say("user", `Look at src/part-${turn}.ts, please. `.repeat(10)),
  say("assistant", `I changed handler_${turn}. `.repeat(10)),
]).flat();

function own(answer: (input: SummaryInput) => Partial<SummaryResult>): Summarizer {
  const result = (input: SummaryInput): SummaryResult => ({ text: "", calls: 1, notes: [], ...answer(input) });
  return { name: "mine", version: "1", planCalls: () => 1, summarize: (input) => Promise.resolve(result(input)) };
}

function compacted(options: Partial<CompactorOptions>, messages: readonly object[] = MESSAGES, tokens = 6_000) {
  const compactor = createCompactor({
    format: openaiChat,
    windowTokens: 20_000,
    counter: messageCounter({ name: "characters", countText: (text) => text.length }),
    ...options,
    protect: { tailTokens: 1_000, tailMessages: 2, ...options.protect },
  });
  return compactor.compact({ messages }, { target: { tokens } });
}

describe.each(["", " \n\t"])("a text of nothing (%j)", (text) => {
  test.each([
    ["extractive", true],
    ["annotate", true],
    ["truncate", true],
    ["keep-and-trim", false],
  ] satisfies [FailureStep, boolean][])("is no summary: %s", async (step, isCompacted) => {
    const { report, request } = await compacted({ summarizer: own(() => ({ text })), failure: { ladder: [step] } });
    expect(report).toMatchObject({
      compacted: isCompacted,
      calls: 1,
      fallbacks: [{ step, because: "The summarizer returned an empty text." }],
    });
    const isSummarized = step === "extractive" || step === "annotate";
    expect(/handler_1\b/.test(JSON.stringify(request))).toBe(isSummarized || !isCompacted);
  });
  test("is an error where the ladder says so", async () => {
    const thrown = compacted({ summarizer: own(() => ({ text })), failure: { ladder: ["throw"] } });
    await expect(thrown).rejects.toMatchObject({ code: "summary-failed" });
  });
});

describe("over the budget", () => {
  const long = (more: number) =>
    own(({ budgetTokens }) => ({ text: "x ".repeat(budgetTokens).slice(0, Math.floor(budgetTokens * 1.25) + more) }));
  test("by a quarter it is shortened to it", async () => {
    const { report, plan } = await compacted({ summarizer: long(0) });
    expect(report.fallbacks).toEqual([]);
    const step = plan.steps.find(({ type }) => type === "summarize");
    expect(report.result?.summary?.length).toBeLessThanOrEqual(step?.type === "summarize" ? step.budgetTokens : 0);
  });
  test("by more it has failed", async () => {
    const { report } = await compacted({ summarizer: long(1) });
    expect(report.fallbacks).toEqual([
      { step: "extractive", because: expect.stringMatching(/tokens, and \d+ were allowed\.$/) },
    ]);
  });
});

test("the note that there is no summary, and what stands below it, keep to the budget together", async () => {
  const budgets: number[] = [];
  const failing = own(({ budgetTokens }) => {
    budgets.push(budgetTokens);
    throw new Error("no model");
  });
  const options = { summarizer: failing, failure: { ladder: ["annotate"] } } satisfies Partial<CompactorOptions>;
  const { report } = await compacted(options, MESSAGES, 2_000);
  const summary = report.result?.summary ?? "";
  expect(summary.length).toBeGreaterThan(100);
  expect(summary.length).toBeLessThanOrEqual(budgets[0] ?? 0);
  expect(report.fits).toBe(true);
});

test.each(["truncate", "keep-and-trim"] satisfies FailureStep[])(
  "the limit on messages holds although there is no summary: %s",
  async (step) => {
    const short = Array.from({ length: 60 }, (_, turn) => say(turn % 2 === 0 ? "user" : "assistant", `Part ${turn}.`));
    const { request, report } = await compacted(
      {
        summarizer: own(() => ({ text: "" })),
        failure: { ladder: [step] },
        maxMessages: 12,
        protect: { tailTokens: 400, tailMessages: 4 },
      },
      [say("user", "Read. ".repeat(1_500)), say("assistant", "Yes."), ...short],
    );
    expect(report.fallbacks).toMatchObject([{ step }]);
    expect(request.messages.length).toBeLessThanOrEqual(12);
  },
);

test("a summarizer is shown what was shortened and stays, as it came", async () => {
  const shown: (readonly number[])[] = [];
  const reading = own(({ cut, kept }) => {
    const lengths = (cut ?? []).map(({ parts }) => JSON.stringify(parts[0]).length);
    shown.push([lengths.length, Math.max(0, ...lengths), kept.length]);
    return { text: "It was read." };
  });
  const round = [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "a", type: "function", function: { name: "read", arguments: "{}" } }],
    },
    { role: "tool", tool_call_id: "a", content: "line\n".repeat(1_000) },
  ];
  await compacted({ summarizer: reading, prune: { capOnArrivalChars: 500 } }, [
    ...MESSAGES,
    say("user", "Read."),
    ...round,
  ]);
  expect(shown).toHaveLength(1);
  expect(shown[0]?.[0]).toBe(1);
  expect(shown[0]?.[1]).toBeGreaterThan(5_000);
});
