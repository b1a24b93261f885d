import { describe, expect, test } from "vitest";
import { createCompactor } from "../src/compactor.ts";
import type { Summarizer } from "../src/core/checkpoint/summary.ts";
import type { JsonObject } from "../src/core/json.ts";
import { answerableTokens } from "../src/core/plan/trigger.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { profileNamed } from "../src/profiles/profiles.ts";

/** A profile without a target keeps what it protects, even above its trigger, for as long as there is room for a reply. */

const say = (index: number, tokens: number): JsonObject => ({
  role: index % 2 === 0 ? "user" : "assistant",
  content: `m${index} `.padEnd(tokens * 4, "x"),
});
const chat = (messages: number, tokensEach: number): JsonObject[] =>
  Array.from({ length: messages }, (_, index) => say(index, tokensEach));

const SCRIPTED = {
  name: "scripted",
  version: "1",
  planCalls: () => 1,
  summarize: async () => ({ text: "S", calls: 1, notes: [] }),
};

const compactorOf = (profile: "micro-agent" | "nous") =>
  createCompactor({ format: anthropicMessages, profile, compact: { auto: true }, summarizer: SCRIPTED });

describe("micro-agent: more than 80,000 tokens in few messages", () => {
  test.each([
    [7, 15_000, "nothing-to-compact"],
    [8, 11_000, "zone-too-small"],
    [8, 23_000, "zone-too-small"],
  ])("%d messages of %d tokens: the large context is accepted (R038)", async (count, tokensEach, reason) => {
    const body = { messages: chat(count, tokensEach) };
    const { request, report } = await compactorOf("micro-agent").fit(body);
    expect(report).toMatchObject({ compacted: false, reason, fits: true });
    expect(request).toBe(body);
  });

  test.each([11_000, 15_000, 20_000])(
    "9 messages of %d tokens: two go, the last six stay (R056)",
    async (tokensEach) => {
      const messages = chat(9, tokensEach);
      const { request, report } = await compactorOf("micro-agent").fit({ messages });
      expect(report).toMatchObject({ compacted: true, reason: "absolute", steps: { summarize: 1 } });
      expect(request.messages.slice(1)).toEqual(messages.slice(3));
      expect(request.messages[0]?.content).toContain("m0 ");
    },
  );

  test("results that were not read are not shortened either", async () => {
    const ids = Array.from({ length: 9 }, (_, index) => `t${index}`);
    const messages = [
      ...chat(9, 100),
      { role: "assistant", content: ids.map((id) => ({ type: "tool_use", id, name: "read", input: {} })) },
      {
        role: "user",
        content: ids.map((id) => ({ type: "tool_result", tool_use_id: id, content: "y".repeat(40_000) })),
      },
    ];
    const { request } = await compactorOf("micro-agent").fit({ messages });
    expect(request.messages.at(-1)).toEqual(messages.at(-1));
  });

  test("above what can be answered the tail gives way, and the newest request stays", async () => {
    const messages = chat(9, 30_000);
    const { request, report } = await compactorOf("micro-agent").fit({ messages });
    expect(report).toMatchObject({ compacted: true, fits: true });
    expect(report.tokensAfter).toBeLessThan(80_000);
    expect(request.messages.at(-1)).toEqual(messages.at(-1));
  });

  test("what the provider refused is made smaller all the same", async () => {
    const compact = { auto: true, checkPoints: ["onOverflow"] } as const;
    const options = { format: anthropicMessages, profile: "micro-agent", compact, summarizer: SCRIPTED } as const;
    const body = { messages: chat(8, 20_000) };
    const { report } = await createCompactor(options).fit(body, { checkPoint: "onOverflow" });
    expect(report).toMatchObject({ compacted: true, reason: "overflow" });
  });
});

test("nous: a single turn over the keep budget has no cut (D15)", async () => {
  const steps = Array.from({ length: 10 }, (_, index) => [
    { role: "assistant", content: [{ type: "tool_use", id: `t${index}`, name: "read", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `t${index}`, content: "short" }] },
    { role: "assistant", content: "z".repeat(36_000) },
  ]).flat();
  const body = { messages: [{ role: "user", content: "Go on." }, ...steps] };
  const { request, report } = await compactorOf("nous").fit(body);
  expect(report).toMatchObject({ compacted: false, reason: "no-legal-cut" });
  expect(request).toBe(body);
});

test.each([
  ["micro-agent", 192_000],
  ["nous", 184_000],
  ["openclaw", 180_000],
] as const)("%s: what can be answered leaves the longest reply and every reserve free", (profile, tokens) =>
  expect(answerableTokens(profileNamed(profile))).toBe(tokens),
);

test("nous: a tail that has to give way still begins with a turn, so roles alternate (R078)", async () => {
  const tail = ["Go.", "Done.", "Next."].map((content, index) => ({
    role: index === 1 ? "assistant" : "user",
    content,
  }));
  const messages = [say(0, 300_000), say(1, 10), ...tail];
  const { request, report } = await compactorOf("nous").fit({ messages });
  expect(report).toMatchObject({ compacted: true, fits: true });
  expect(request.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant", "user"]);
  expect(request.messages.slice(2)).toEqual(tail);
});

test.each([
  ["micro-agent", 4_096, {}],
  ["nous", 3_000, {}],
  ["openclaw", 16_000, {}],
  ["nous", 1_000, { budget: { maxTokens: 1_000 } }],
  ["openclaw", 2_000, { maxOutputTokens: 2_000 }],
] as const)("%s: a summary has at most %d tokens (R017, R100)", async (profile, expected, summary) => {
  const budgets: number[] = [];
  const summarizer: Summarizer = {
    ...SCRIPTED,
    summarize: (input) => {
      budgets.push(input.budgetTokens);
      return SCRIPTED.summarize();
    },
  };
  const compactor = createCompactor({ format: anthropicMessages, profile, summary, summarizer });
  await compactor.compact({ messages: chat(40, 4_000) });
  expect(budgets).toEqual([expected]);
});
