import { expect, test } from "vitest";
import { createCompactor } from "../../src/compactor.ts";
import type { Summarizer, SummaryInput } from "../../src/core/checkpoint/summary.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { type Message, textsOf } from "../../src/core/message.ts";
import { messageCounter, type TokenCounter } from "../../src/core/tokens/tokens.ts";
import { openaiChat } from "../../src/formats/openai-chat.ts";

/** Scenario C (R231) under the `agentpg` profile: 176K of 200K, the first three summarised to 8K, the last two kept. */

/** One character is one token, so that the scenario's numbers are exact. */
const characters = (message: Message): number => textsOf(message.parts).join("").length;
const counter: TokenCounter = {
  ...messageCounter({ name: "characters", countText: (text) => text.length }),
  size: characters,
  count: characters,
  total: (messages) => messages.reduce((sum, message) => sum + characters(message), 0),
};
const of = (role: string, tokens: number): JsonObject => ({ role, content: "x".repeat(tokens) });

test("scenario C: system 1K + 30K + 40K + 35K + 50K + 20K become 79K", async () => {
  const inputs: SummaryInput[] = [];
  const summarizer: Summarizer = {
    name: "scripted",
    version: "1",
    planCalls: () => 1,
    summarize: (input) => {
      inputs.push(input);
      return Promise.resolve({ text: "s".repeat(8_000), calls: 1, notes: [] });
    },
  };
  const messages = [
    of("system", 1_000),
    of("user", 30_000),
    of("assistant", 40_000),
    of("user", 35_000),
    of("assistant", 50_000),
    of("user", 20_000),
  ];
  const compactor = createCompactor({
    format: openaiChat,
    profile: "agentpg",
    counter,
    summarizer,
    protect: { tailMessages: 2 },
  });
  const { request, report } = await compactor.fit({ messages });
  expect(report.tokensBefore).toBe(176_000);
  expect(report.reason).toBe("ratio");
  expect(inputs[0]?.messages.map(({ id }) => id)).toEqual(["m1", "m2", "m3"]);
  const kept = request.messages as JsonObject[];
  expect(kept[0]).toEqual(messages[0]);
  expect(kept.slice(2)).toEqual(messages.slice(4));
  // 79K and the few words that mark a summary as one: 40 % of the window.
  expect(report.tokensAfter).toBeGreaterThanOrEqual(79_000);
  expect(report.tokensAfter).toBeLessThan(79_100);
  expect(report.ratios.whole).toBeCloseTo(2.2, 1);
  expect(report.ratios.zone).toBeCloseTo(105 / 8, 1);
});

test.each([
  ["above the trigger", 46, 170_000],
  ["above the window", 60, 200_000],
])("without automatic compaction nothing is shortened, %s (R010, R040)", async (_, rounds, overTokens) => {
  const messages: JsonObject[] = [{ role: "user", content: "Read them all." }];
  for (let round = 0; round < rounds; round++) {
    const id = `c${round}`;
    const call = { id, type: "function", function: { name: "read", arguments: "{}" } };
    messages.push(
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: id, content: "some words of it ".repeat(1_000) },
    );
  }
  const body = { messages };
  const compactor = createCompactor({ format: openaiChat, profile: "agentpg", compact: { auto: false } });
  const { request, report } = await compactor.fit(body);
  expect(report.tokensBefore).toBeGreaterThan(overTokens);
  expect(report).toMatchObject({ compacted: false, reason: "auto-off", ok: true });
  expect(request).toBe(body);
  const { report: asked } = await compactor.compact(body);
  expect(asked.steps).toMatchObject({ stub: expect.any(Number) });
});
