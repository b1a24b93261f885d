/** Wire forms that a provider refuses and that only their own format can hold: what comes out is accepted and says all of it. */

import { expect, test } from "vitest";
import { anthropicMessages } from "../../formats/anthropic-messages.ts";
import { gemini } from "../../formats/gemini.ts";
import { openaiChat } from "../../formats/openai-chat.ts";
import { openaiResponses } from "../../formats/openai-responses.ts";
import { convert } from "../../formats.ts";
import type { Format } from "../ports.ts";
import { repair } from "./repair.ts";

function repaired(format: Format, body: object): unknown {
  expect(format.validate(body)).not.toEqual([]);
  const { conversation, repairs } = repair(format.decode(body));
  const after = format.encode(conversation);
  expect(repairs).not.toEqual([]);
  expect(format.validate(after)).toEqual([]);
  expect(repair(conversation)).toEqual({ conversation, repairs: [] });
  return after;
}

test("a result that names no call is quoted, whatever the server remembers", () => {
  const held = { previous_response_id: "resp_1" };
  const content = "[Result of the tool call. The call itself is not part of this conversation.]\n3 failed";
  const expected = { ...held, input: [{ role: "user", content }] };
  const output = { type: "function_call_output", output: "3 failed" };
  expect(repaired(openaiResponses, { ...held, input: [output] })).toEqual(expected);
  expect(repaired(openaiResponses, { ...held, input: [{ ...output, call_id: null }] })).toEqual(expected);
});

const asked = { role: "user", content: "look it up" };

test("a call of the provider's own tools is completed as any other", () => {
  const returned = { type: "mcp_tool_result", tool_use_id: "1", content: [{ type: "text", text: "found" }] };
  const check = (call: object, expected: object): void => {
    const bodyOf = (block: object): object => ({
      messages: [asked, { role: "assistant", content: [block, returned] }],
    });
    expect(repaired(anthropicMessages, bodyOf(call))).toEqual(bodyOf(expected));
  };
  const call = { type: "mcp_tool_use", id: "1", server_name: "docs" };
  check({ ...call, input: { q: "x" } }, { ...call, input: { q: "x" }, name: "unknown_tool" });
  check({ ...call, name: "find", input: "x" }, { ...call, name: "find", input: { input: "x" } });
});

test("a client's result for a call of the provider's own tools is quoted, and the call too where nothing else came back", () => {
  const search = { type: "server_tool_use", id: "1", name: "web_search", input: { query: "x" } };
  const found = { type: "web_search_tool_result", tool_use_id: "1", content: [] };
  const result = { type: "tool_result", tool_use_id: "1", content: "no network" };
  const said = (text: string): object => ({ type: "text", text });
  const quoted = said("[Result of the tool call 1. The call itself is not part of this conversation.]\nno network");
  const bodyOf = (answer: readonly object[], reply: object): object => ({
    messages: [asked, { role: "assistant", content: answer }, { role: "user", content: [reply] }],
  });
  expect(repaired(anthropicMessages, bodyOf([search, found], result))).toEqual(bodyOf([search, found], quoted));
  const interrupted = said('[Interrupted before it returned: web_search {"query":"x"}]');
  expect(repaired(anthropicMessages, bodyOf([search], result))).toEqual(bodyOf([interrupted], quoted));
});

test("a result of the provider's own tools answers no call of the client's", () => {
  const call = { type: "tool_use", id: "1", name: "f", input: {} };
  const found = { type: "web_search_tool_result", tool_use_id: "1", content: [{ type: "text", text: "found" }] };
  const answer = (...content: readonly object[]): object => ({ role: "assistant", content });
  const reply = (...content: readonly object[]): object => ({ role: "user", content });
  const quoted = {
    type: "text",
    text: "[Result of the tool call 1. The call itself is not part of this conversation.]\nfound",
  };
  const content = "This tool call was interrupted before it returned a result.";
  const interrupted = { type: "tool_result", tool_use_id: "1", content, is_error: true };
  expect(repaired(anthropicMessages, { messages: [asked, answer(call), reply(found)] })).toEqual({
    messages: [asked, answer(call), { role: "assistant", content: quoted.text }, reply(interrupted)],
  });
  expect(repaired(anthropicMessages, { messages: [asked, answer(call, found)] })).toEqual({
    messages: [asked, answer(call, quoted), reply(interrupted)],
  });
});

test("the deprecated function role answers a call by name, though it bears an id", () => {
  const call = { id: "1", type: "function", function: { name: "f", arguments: "{}" } };
  const bodyOf = (result: object): object => ({
    messages: [asked, { role: "assistant", content: null, tool_calls: [call] }, result],
  });
  const result = { role: "function", name: "f", tool_call_id: "1", content: "ok" };
  expect(openaiChat.encode(openaiChat.decode(bodyOf(result)))).toEqual(bodyOf(result));
  expect(repaired(openaiChat, bodyOf(result))).toEqual(bodyOf({ role: "tool", tool_call_id: "1", content: "ok" }));
});

test("the deprecated call with its answer by name stays as it is, and is given an id where something is wrong with it", () => {
  const call = { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } };
  const result = { role: "function", name: "f", content: "ok" };
  const valid = openaiChat.decode({ messages: [asked, call, result, asked, call, result] });
  expect(repair(valid)).toEqual({ conversation: valid, repairs: [] });
  expect(repair(valid).conversation).toBe(valid);
  const today = { id: "call_1_0", type: "function", function: { name: "f", arguments: "{}" } };
  const changed = repair(openaiChat.decode({ messages: [asked, call, asked, result] })).conversation;
  expect(openaiChat.encode(changed)).toEqual({
    messages: [
      asked,
      { role: "assistant", content: null, tool_calls: [today] },
      { role: "tool", tool_call_id: "call_1_0", content: "ok" },
      asked,
    ],
  });
});

test("a quoted result says what its blocks say, of whatever type they are", () => {
  const header = "[Result of the tool call 1. The call itself is not part of this conversation.]";
  const block = { type: "search_result", source: "s", title: "t", content: [{ type: "text", text: "found" }] };
  const result = { type: "tool_result", tool_use_id: "1", content: [block] };
  const found = '[search_result] {"source":"s","title":"t","content":[{"type":"text","text":"found"}]}';
  expect(repaired(anthropicMessages, { messages: [{ role: "user", content: [result] }] })).toEqual({
    messages: [{ role: "user", content: [{ type: "text", text: `${header}\n${found}` }] }],
  });
  const untyped = { role: "tool", tool_call_id: "1", content: [{ text: "denied" }] };
  expect(JSON.stringify(repaired(openaiChat, { messages: [asked, untyped] }))).toContain("denied");
});

test("without storage, items under their id alone are said as far as they can be read, and named where they cannot", () => {
  const bodyOf = (...input: readonly object[]): object => ({ store: false, input: [asked, ...input] });
  const check = (input: readonly object[], expected: readonly object[]): void =>
    expect(repaired(openaiResponses, bodyOf(...input))).toEqual(bodyOf(...expected));
  const call = { type: "function_call", call_id: "c1", name: "f", arguments: "{}" };
  const output = { type: "function_call_output", call_id: "c1", output: "found" };
  const said = { type: "message", role: "assistant", content: [{ type: "output_text", text: "there" }] };
  const bare = { type: "reasoning", id: "rs_1", summary: [] };
  const whole = { ...bare, id: "rs_2", encrypted_content: "gAAA" };
  const summary = [{ type: "summary_text", text: "It must be in a." }];
  const quoted = { role: "assistant", content: "[Reasoning]\nIt must be in a." };

  check([{ type: "item_reference", id: "msg_1" }, asked], [asked]);
  check([{ id: "msg_1" }, said], [said]);
  // Its call was only referred to.
  const header = "[Result of the tool call c1. The call itself is not part of this conversation.]";
  const result = { role: "user", content: `${header}\nfound` };
  check([{ type: "item_reference", id: "fc_1" }, output], [result]);
  // What the reasoning led to is no longer looked up by its id; what other reasoning led to is as it was.
  const own = { ...said, id: "msg_2" };
  check([bare, { ...call, id: "fc_1" }, output, whole, own], [call, output, whole, own]);
  check(
    [
      { ...bare, summary },
      { ...said, id: "msg_1" },
    ],
    [quoted, said],
  );
  expect(openaiResponses.validate({ store: false, input: [asked, whole, own] })).toEqual([]);
});

test("a reference that goes is named in the report; where items are stored none goes", () => {
  const input = [asked, { type: "item_reference", id: "msg_1" }, asked];
  expect(repair(openaiResponses.decode({ store: false, input })).repairs).toEqual([
    {
      rule: "item-not-found",
      messageIndex: 1,
      change: "removed item msg_1: nothing is stored under its id, and the request has no more of it",
    },
  ]);
  for (const body of [{ input }, { store: true, input }]) {
    expect(repair(openaiResponses.decode(body)).repairs).toEqual([]);
  }
});
test("a result holds no calls, results or thinking, and no block that lacks what it needs", () => {
  const image = { type: "image", source: { type: "url", url: "https://example.com/a.png" } };
  const refused = [
    { type: "tool_use", id: "2", name: "g", input: {} },
    { type: "tool_result", tool_use_id: "1", content: [{ type: "tool_result", tool_use_id: "1", content: "x" }] },
    { type: "thinking", thinking: "hm", signature: "c2ln" },
    { type: "text" },
    { text: "untyped" },
  ];
  const call = { type: "tool_use", id: "1", name: "f", input: {} };
  const carried = [{ type: "search_result", source: "a", title: "b", content: [] }, image];
  const bodyOf = (content: readonly object[]): object => ({
    messages: [
      asked,
      { role: "assistant", content: [call] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "1", content: [...carried, ...content] }] },
    ],
  });
  const quoted = refused.map((block) => ({ type: "text", text: `[Malformed part] ${JSON.stringify(block)}` }));
  expect(repaired(anthropicMessages, bodyOf(refused))).toEqual(bodyOf(quoted));
  for (const to of [openaiChat, openaiResponses, gemini]) {
    const { conversation } = convert(anthropicMessages.decode(bodyOf(refused)), to);
    const said = JSON.stringify(to.encode(conversation));
    expect(to.validate(to.encode(conversation))).toEqual([]);
    expect(said).toContain("untyped");
  }
});

test("a block in a result that lacks what it needs is quoted in every format", () => {
  const chat = (content: readonly object[]): object => ({
    messages: [
      asked,
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "1", type: "function", function: { name: "f", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "1", content },
    ],
  });
  expect(repaired(openaiChat, chat([{ type: "text", text: "a" }, { type: "text" }]))).toEqual(
    chat([
      { type: "text", text: "a" },
      { type: "text", text: '[Malformed part] {"type":"text"}' },
    ]),
  );
  const responses = (output: readonly object[]): object => ({
    input: [
      asked,
      { type: "function_call", call_id: "1", name: "f", arguments: "{}" },
      { type: "function_call_output", call_id: "1", output },
    ],
  });
  expect(repaired(openaiResponses, responses([{ text: "a" }]))).toEqual(
    responses([{ type: "input_text", text: '[Malformed part] {"text":"a"}' }]),
  );
  const contents = (functionResponse: object): object => ({
    contents: [
      { role: "user", parts: [{ text: "go" }] },
      { role: "model", parts: [{ functionCall: { name: "f", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { name: "f", ...functionResponse } }] },
    ],
  });
  expect(repaired(gemini, contents({ response: { output: "a" }, parts: [{}] }))).toEqual(
    contents({ response: { output: "a\n[Malformed part] {}" } }),
  );
});

test("arguments that are no object are refused by Gemini, and made one", () => {
  const bodyOf = (args: unknown): object => ({
    contents: [
      { role: "user", parts: [{ text: "go" }] },
      { role: "model", parts: [{ functionCall: { name: "f", args } }] },
      { role: "user", parts: [{ functionResponse: { name: "f", response: { output: "a" } } }] },
    ],
  });
  expect(repaired(gemini, bodyOf(["x"]))).toEqual(bodyOf({ input: ["x"] }));
});

test("a result whose content is null is given an empty one", () => {
  const bodyOf = (content: unknown): object => ({
    messages: [
      asked,
      { role: "assistant", content: [{ type: "tool_use", id: "1", name: "f", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "1", content }] },
    ],
  });
  expect(repaired(anthropicMessages, bodyOf(null))).toEqual(bodyOf(""));
  for (const to of [openaiChat, openaiResponses, gemini]) {
    const { conversation } = convert(anthropicMessages.decode(bodyOf(null)), to);
    expect(to.validate(to.encode(conversation))).toEqual([]);
  }
});

test("a text or a list of parts among messages is written out; alone it stays", () => {
  const said = { role: "assistant", content: "ok" };
  expect(repaired(openaiResponses, { input: ["hi", said] })).toEqual({
    input: [{ role: "user", content: "hi" }, said],
  });
  expect(repaired(openaiResponses, { input: ["hi"] })).toEqual({ input: [{ role: "user", content: "hi" }] });
  const model = { role: "model", parts: [{ text: "ok" }] };
  const expected = { contents: [{ role: "user", parts: [{ text: "hi" }] }, model] };
  expect(repaired(gemini, { contents: ["hi", model] })).toEqual(expected);
  expect(repaired(gemini, { contents: [["hi"], model] })).toEqual(expected);
  expect(repaired(gemini, { contents: [{ text: "hi" }, model] })).toEqual(expected);
  const mixed = { contents: ["hi", [{ text: "there" }], model] };
  expect(gemini.encode(gemini.decode(mixed))).toEqual(mixed);
  for (const contents of ["hi", ["hi"], [["hi"]], { text: "hi" }, ["hi", { text: "there" }]]) {
    expect(gemini.validate({ contents })).toEqual([]);
    expect(gemini.encode(repair(gemini.decode({ contents })).conversation)).toEqual({ contents });
  }
  expect(openaiResponses.validate({ input: "hi" })).toEqual([]);
  expect(openaiResponses.encode(repair(openaiResponses.decode({ input: "hi" })).conversation)).toEqual({ input: "hi" });
});

test("a Gemini part whose data is of another type is quoted; a content is no part", () => {
  const bodyOf = (...parts: readonly object[]): object => ({ contents: [{ role: "user", parts }] });
  const refused = [
    { text: 5 },
    { functionCall: "f" },
    { functionResponse: [] },
    { inlineData: { mimeType: "image/png" } },
    { file_data: { file_uri: 5 } },
    { functionCall: null },
    { text: 5, thoughtSignature: "c2ln" },
  ];
  const quoted = refused.map((part) => ({ text: `[Malformed part] ${JSON.stringify(part)}` }));
  expect(repaired(gemini, bodyOf(...refused))).toEqual(bodyOf(...quoted));
  expect(gemini.validate(bodyOf({ text: null, executableCode: { code: "1" } }))).toEqual([]);
  const nested = { contents: [[{ role: "user", parts: [{ text: "hi" }] }]] };
  expect(() => gemini.decode(nested)).toThrow("contents.0.0 must be a part, not a content.");
});

test("a Chat or Responses block whose data is of another type is quoted", () => {
  const chat = (...content: readonly object[]): object => ({ messages: [{ role: "user", content }] });
  const responses = (...content: readonly object[]): object => ({ input: [{ role: "user", content }] });
  const quote = (block: object): string => `[Malformed part] ${JSON.stringify(block)}`;
  for (const block of [
    { type: "file", file: null },
    { type: "input_audio", input_audio: [] },
    { type: "refusal" },
    {},
  ]) {
    expect(repaired(openaiChat, chat(block))).toEqual(chat({ type: "text", text: quote(block) }));
  }
  for (const block of [{ type: "input_image", image_url: 5 }, { type: "input_file" }, { type: "refusal" }, {}]) {
    expect(repaired(openaiResponses, responses(block))).toEqual(responses({ type: "input_text", text: quote(block) }));
  }
});
