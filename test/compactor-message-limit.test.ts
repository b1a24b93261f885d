import { describe, expect, test } from "vitest";
import { createCompactor } from "../src/compactor.ts";
import type { JsonObject } from "../src/core/json.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { gemini } from "../src/formats/gemini.ts";

/** R045, R146: the limit on messages counts what is put in to make the list valid, too. */

const say = (index: number): JsonObject => ({ role: index % 2 === 0 ? "user" : "assistant", content: `m${index}` });
const chat = (count: number): JsonObject[] => Array.from({ length: count }, (_, index) => say(index));
const loop = (rounds: number): JsonObject[] => [
  { role: "user", content: "Go on." },
  ...Array.from({ length: rounds }, (_, index) => [
    { role: "assistant", content: [{ type: "tool_use", id: `t${index}`, name: "read", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `t${index}`, content: `r${index}` }] },
  ]).flat(),
];

describe("nous without compaction: the last 20 messages are sent", () => {
  test.each([
    ["as many as that", chat(20), 20],
    ["one more: the list would begin with a reply, which goes too", chat(21), 19],
    ["two more", chat(22), 20],
    ["25", chat(25), 19],
    ["26", chat(26), 20],
    ["one request and 12 rounds: a line stands for the request", loop(12), 19],
    ["a list that begins with a reply", chat(21).slice(1), 19],
  ])("%s", async (_, messages, expected) => {
    const { request, report } = await createCompactor({ format: anthropicMessages, profile: "nous" }).fit({ messages });
    expect(anthropicMessages.validate(request)).toEqual([]);
    expect(request.messages).toHaveLength(expected);
    expect(report.messagesAfter).toBe(expected);
    expect(request.messages.slice(1)).toEqual(messages.slice(1 - expected));
    const again = await createCompactor({ format: anthropicMessages, profile: "nous" }).fit(request);
    expect(again.request).toBe(request);
  });
});

test("Gemini: the line between a summary and the model's next words counts", async () => {
  const contents = Array.from({ length: 60 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "model",
    parts: [{ text: `m${index} ${"word ".repeat(30)}` }],
  }));
  for (const length of [58, 59, 60]) {
    const compactor = createCompactor({
      format: gemini,
      profile: "nous",
      windowTokens: 2_000,
      compact: { auto: true, cut: "pair-safe" },
      protect: { tailTokens: 1_200 },
      maxMessages: 12,
      maxMessagesWhen: "always",
    });
    const { request, report } = await compactor.fit({ contents: contents.slice(0, length) });
    expect(report).toMatchObject({ compacted: true, steps: { summarize: 1 } });
    expect(gemini.validate(request)).toEqual([]);
    expect(request.contents.length).toBeLessThanOrEqual(12);
  }
});

test("a summary that was made before is not what goes first", async () => {
  const compactor = createCompactor({
    format: anthropicMessages,
    windowTokens: 50_000,
    maxMessages: 8,
    protect: { firstUser: false, tailTokens: 0, tailMessages: 4 },
  });
  const first = await compactor.compact({ messages: chat(40) }, { target: { ratio: 0.5 } });
  expect(first.report.steps).toHaveProperty("summarize", 1);
  const more = [...first.request.messages, ...chat(12).slice(first.request.messages.length % 2)];
  // Somebody else's compactor: only the marks tell what is a summary.
  const settings = { format: anthropicMessages, profile: compactor.settings };
  const { request, report } = await createCompactor(settings).fit({ messages: more });
  expect(report.steps).toEqual({ drop: 1 });
  expect(request.messages.length).toBeLessThanOrEqual(8);
  expect(JSON.stringify(request.messages)).toContain("[Summary of the earlier conversation");
});
