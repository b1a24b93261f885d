import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../core/json.ts";
import { repair } from "../core/repair/repair.ts";
import { structureOf } from "../core/structure/structure.ts";
import { estimateTokens } from "../core/tokens/tokens.ts";
import { convert } from "../formats.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import { gemini } from "./gemini.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";

test("a Responses body whose list the server holds may have none, and is not given one", () => {
  const body = { model: "gpt-6-sol", conversation: "conv_1" };
  expect(openaiResponses.encode(openaiResponses.decode(body))).toEqual(body);
  expect(() => openaiResponses.decode({ model: "gpt-6-sol" })).toThrow(/input/);
});

test("arguments that nest too deeply stay text, and can be counted", () => {
  const deep = `${"[".repeat(9_000)}${"]".repeat(9_000)}`;
  const call = { id: "a", type: "function", function: { name: "f", arguments: deep } };
  const body = [
    { role: "user", content: "go" },
    { role: "assistant", content: null, tool_calls: [call] },
  ];
  const conversation = openaiChat.decode(body);
  expect(estimateTokens().total(conversation.messages)).toBeGreaterThan(1_000);
  expect(JSON.stringify(openaiChat.encode(conversation))).toBe(JSON.stringify(body));
});

test("converting to the format it has already repairs it", () => {
  const broken = anthropicMessages.decode([{ role: "assistant", content: "hi" }]);
  const { conversation, repairs } = convert(broken, anthropicMessages);
  expect(repairs.map(({ rule }) => rule)).toEqual(["first-role"]);
  expect(anthropicMessages.validate(anthropicMessages.encode(conversation))).toEqual([]);
});

test("reasoning items without anything behind them", () => {
  const reasoning = (id: string): JsonObject => ({ type: "reasoning", id, summary: [], encrypted_content: "gAAAA" });
  const body = { input: [reasoning("rs_1"), reasoning("rs_2")] };
  const repaired = repair(openaiResponses.decode(body));
  expect(repaired.repairs).toHaveLength(2);
  expect(openaiResponses.validate(openaiResponses.encode(repaired.conversation))).toEqual([]);
  expect(repair(repaired.conversation).repairs).toEqual([]);
});

test("a provider's own call is given its id", () => {
  const messages = [
    { role: "user", content: "go" },
    { role: "assistant", content: [{ type: "server_tool_use", name: "web_search", input: {} }] },
  ];
  const { conversation } = repair(anthropicMessages.decode({ messages }));
  expect(anthropicMessages.validate(anthropicMessages.encode(conversation))).toEqual([]);
});

/** Quadratic work would take minutes here; the runner's own time limit is the bound. */
test("fifty thousand messages that reuse one id, answer late, or are all system messages", () => {
  const call = (id: string): JsonObject => ({
    role: "assistant",
    content: [{ type: "tool_use", id, name: "f", input: {} }],
  });
  const result = (id: string): JsonObject => ({
    role: "user",
    content: [{ type: "tool_result", tool_use_id: id, content: "x" }],
  });
  const many = Array.from({ length: 25_000 }, (_, index) => index);
  const reused = many.flatMap(() => [call("a"), result("a")]);
  const late = [...many.map((index) => call(`c${index}`)), ...many.map((index) => result(`c${index}`))];
  const notes = many.flatMap(() => [
    { role: "user", content: "go" },
    { role: "system", content: "note" },
  ]);
  for (const messages of [reused, late, notes]) {
    const conversation = anthropicMessages.decode({ messages });
    const { conversation: repaired } = repair(conversation);
    expect(anthropicMessages.validate(anthropicMessages.encode(repaired))).toEqual([]);
    expect(structureOf(repaired.messages).length).toBeGreaterThan(0);
  }
});

test("two owners of one history", () => {
  const body = { previous_response_id: "resp_1", conversation: "conv_1", input: "hi" };
  expect(openaiResponses.validate(body)).toMatchObject([{ rule: "conflicting-parameters" }]);
});

test.each([
  [anthropicMessages, [{ role: "user", content: [{ type: "text" }] }]],
  [openaiChat, [{ role: "user", content: [{ type: "text" }] }]],
  [gemini, [{ role: "user", parts: [{}] }]],
  [openaiResponses, [{ role: "user", content: [{ type: "input_text" }] }]],
  [openaiResponses, [{ type: "compaction_trigger" }, { role: "user", content: "hi" }]],
])("what lacks a required field, or stands where it may not, is mended: %#", (format, list) => {
  expect(format.validate(list)).toHaveLength(1);
  const { conversation, repairs } = repair(format.decode(list));
  expect(repairs).toHaveLength(1);
  expect(format.validate(format.encode(conversation))).toEqual([]);
});

test("a body in the place of what was decoded from it, and a name in that of a format, are refused in words", () => {
  // What only JavaScript lets through.
  const body = { messages: [{ role: "user", content: "hi" }] } as unknown as ReturnType<typeof openaiChat.decode>;
  const name = "gemini" as unknown as typeof gemini;
  expect(() => repair(body)).toThrow(/There is no format undefined; give what a format decoded/);
  expect(() => convert(body, gemini)).toThrow(/There is no format undefined; there are anthropic-messages, /);
  expect(() => convert(openaiChat.decode(body), name)).toThrow(/There is no format undefined/);
  expect(() => openaiChat.decode(undefined)).toThrow("must be an object or an array, not undefined");
});

test("what nests beyond what can be read is an invalid request", () => {
  let deep: JsonValue = "ok";
  for (let depth = 0; depth < 300_000; depth++) deep = [deep];
  const functionResponse = { name: "f", response: { output: deep } };
  const list = [
    { role: "user", parts: [{ text: "hi" }] },
    { role: "user", parts: [{ functionResponse }] },
  ];
  const message = "contents.1 nests too deeply to be read.";
  expect(() => gemini.decode(list)).toThrow(expect.objectContaining({ code: "invalid-request", message }));
  expect(gemini.validate(list)).toMatchObject([{ rule: "invalid-request", messageIndex: 1, message }]);
});
