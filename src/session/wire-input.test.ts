import { expect, test } from "vitest";
import type { JsonObject } from "../core/json.ts";
import type { FormatName } from "../core/message.ts";
import { formatNamed } from "../formats.ts";
import { openSession } from "../session.ts";
import { memoryStore } from "../stores/memory.ts";

/** A finished answer without text. */
const SILENT: Readonly<Record<FormatName, JsonObject>> = {
  "anthropic-messages": {
    type: "message",
    role: "assistant",
    content: [],
    stop_reason: "refusal",
    usage: { input_tokens: 5, output_tokens: 2 },
  },
  "openai-chat": {
    choices: [{ finish_reason: "content_filter", message: { role: "assistant", content: null, refusal: null } }],
    usage: { prompt_tokens: 5, completion_tokens: 2 },
  },
  "openai-responses": {
    object: "response",
    status: "incomplete",
    output: [],
    usage: { input_tokens: 5, output_tokens: 2 },
  },
  gemini: {
    candidates: [{ finishReason: "MAX_TOKENS", content: { role: "model" } }],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2 },
  },
};

for (const [name, response] of Object.entries(SILENT)) {
  test(`${name}: an answer that says nothing leaves its usage and no message`, async () => {
    const store = memoryStore();
    // The keys of the record are the formats' names.
    const format = formatNamed(name as FormatName);
    const session = await openSession("a", { store, compactor: { format }, body: { model: "m" } });
    await session.append("Hello?");
    expect(await session.append(response)).toEqual([]);
    await session.append("Are you there?");
    expect(await session.view()).toHaveLength(2);
    expect((await store.open("a"))?.counters).toMatchObject({ inputTokens: 5, outputTokens: 2, messageCount: 2 });
    expect(format.validate(await session.request(), { sending: true })).toEqual([]);
  });
}

test("a message without content that was stored before does not spoil the requests after it", async () => {
  const format = formatNamed("openai-chat");
  const session = await openSession("a", { store: memoryStore(), compactor: { format }, body: { model: "m" } });
  await session.append([
    { role: "user", content: "hi" },
    { role: "assistant", content: null, refusal: null },
  ]);
  await session.append("Go on.");
  expect(await session.view()).toHaveLength(3);
  expect(await session.request()).toMatchObject({
    messages: [
      { role: "user", content: "hi" },
      { role: "user", content: "Go on." },
    ],
  });
});

test("a field called __proto__ is a field like any other, from the store to the request", async () => {
  const text =
    '{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"merge","input":{"__proto__":{"x":1},"a":2}}]}';
  const format = formatNamed("anthropic-messages");
  const session = await openSession("a", { store: memoryStore(), compactor: { format }, body: { model: "m" } });
  await session.append([{ role: "user", content: "Is it safe?" }, JSON.parse(text)]);
  expect(JSON.stringify((await session.view())[1]?.body)).toBe(text);
  expect(JSON.stringify(await session.request())).toContain(text);
  expect(JSON.stringify((await session.export({ all: true })).request)).toContain(text);
});
