import { expect, test } from "vitest";
import type { JsonValue } from "../core/json.ts";
import { type Message, type Part, text } from "../core/message.ts";
import { openaiChat } from "./openai-chat.ts";

/** Decoded parts without their wire: what the rest of the library sees. */
function checkDecode(message: JsonValue, role: Message["role"], parts: readonly JsonValue[]): void {
  const [decoded] = openaiChat.decode([message]).messages;
  expect(decoded?.role).toBe(role);
  expect(decoded?.parts.map(bare)).toEqual(parts);
}

function bare(part: Part): unknown {
  const { wire: _, ...rest } = part;
  return rest.type === "tool-result" ? { ...rest, content: rest.content.map(bare) } : rest;
}

function checkEncode(messages: readonly Omit<Message, "id">[], expected: readonly JsonValue[]): void {
  const numbered = messages.map((message, index) => ({ ...message, id: `m${index}` }));
  const body = { format: "openai-chat" as const, system: [], tools: undefined, messages: numbered };
  expect(openaiChat.encode(body)).toEqual({ messages: expected });
}

/** Encodes after an edit of the only message's parts. */
function checkEdit(
  message: JsonValue,
  edit: (parts: readonly Part[]) => readonly Part[],
  expected: readonly JsonValue[],
): void {
  const conversation = openaiChat.decode([message]);
  const messages = conversation.messages.map((before) => ({ ...before, parts: edit(before.parts) }));
  expect(JSON.stringify(openaiChat.encode({ ...conversation, messages }))).toBe(JSON.stringify(expected));
}

const call = (callArguments: JsonValue): JsonValue => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id: "c1", type: "function", function: { name: "bash", arguments: callArguments } }],
});

test("every role is read", () => {
  checkDecode({ role: "developer", content: "x" }, "system", [{ type: "text", text: "x" }]);
  checkDecode({ role: "system", content: [{ type: "text", text: "x" }] }, "system", [{ type: "text", text: "x" }]);
  checkDecode({ role: "user", content: "x", name: "ann" }, "user", [{ type: "text", text: "x" }]);
  checkDecode({ role: "assistant" }, "assistant", []);
  const result = { type: "tool-result", content: [{ type: "text", text: "x" }], isError: false };
  checkDecode({ role: "tool", tool_call_id: "c1", content: "x" }, "tool", [{ ...result, callId: "c1" }]);
  checkDecode({ role: "function", name: "f", content: "x" }, "tool", [{ ...result, name: "f" }]);
});

test("arguments are parsed where they parse", () => {
  const checkInput = (wire: JsonValue, input: JsonValue): void =>
    checkDecode(call(wire), "assistant", [{ type: "tool-call", callId: "c1", name: "bash", input }]);
  checkInput('{"cmd": "ls"}', { cmd: "ls" });
  checkInput('{"cmd": "l', '{"cmd": "l');
  checkInput("", "");
  checkInput({ cmd: "ls" }, { cmd: "ls" });
  checkInput(null, {});
});

test("free text, deprecated calls, refusals, audio and reasoning become parts", () => {
  checkDecode(
    {
      role: "assistant",
      content: [{ type: "refusal", refusal: "no" }],
      refusal: "never",
      audio: { id: "a1" },
      reasoning_content: "hm",
      reasoning_details: [{ type: "reasoning.encrypted", data: "gAAA" }],
      function_call: { name: "f", arguments: "{}" },
      tool_calls: [{ id: "c2", type: "custom", custom: { name: "sh", input: "ls" } }],
    },
    "assistant",
    [
      { type: "reasoning", text: "hm", encrypted: "gAAA" },
      { type: "text", text: "no" },
      { type: "text", text: "never" },
      { type: "opaque", kind: "audio" },
      { type: "tool-call", name: "f", input: {} },
      { type: "tool-call", callId: "c2", name: "sh", input: "ls" },
    ],
  );
});

test("media", () => {
  const image = (url: string): JsonValue => ({ type: "image_url", image_url: { url } });
  checkDecode(
    {
      role: "user",
      content: [
        image("data:image/png;base64,iVBO"),
        image("https://example.test/a.png"),
        { type: "input_audio", input_audio: { data: "UklG", format: "mp3" } },
        { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBE" } },
        { type: "file", file: { file_id: "file-1" } },
        { type: "image_url" },
      ],
    },
    "user",
    [
      { type: "media", kind: "image", mediaType: "image/png", source: { type: "base64", data: "iVBO" } },
      { type: "media", kind: "image", source: { type: "url", url: "https://example.test/a.png" } },
      { type: "media", kind: "audio", mediaType: "audio/mpeg", source: { type: "base64", data: "UklG" } },
      {
        type: "media",
        kind: "document",
        mediaType: "application/pdf",
        source: { type: "base64", data: "JVBE" },
        name: "a.pdf",
      },
      { type: "media", kind: "document", source: { type: "file", fileId: "file-1" } },
      { type: "opaque", kind: "image_url" },
    ],
  );
});

test("an edit changes its field and nothing else", () => {
  const same = (parts: readonly Part[]): readonly Part[] => parts;
  checkEdit({ content: "a", role: "user", name: "ann" }, () => [text("b")], [
    { content: "b", role: "user", name: "ann" },
  ]);
  checkEdit({ role: "user", content: "a" }, (parts) => [...parts, text("b")], [
    {
      role: "user",
      content: [
        { type: "text", text: "a" },
        { type: "text", text: "b" },
      ],
    },
  ]);
  checkEdit(
    { role: "tool", content: [{ type: "text", text: "long", cache_control: {} }], tool_call_id: "c1", name: "f" },
    ([part]) => (part?.type === "tool-result" ? [{ ...part, content: [text("short")] }] : []),
    [{ role: "tool", content: [{ type: "text", text: "short" }], tool_call_id: "c1", name: "f" }],
  );
  checkEdit(call('{ "cmd":"ls" }'), same, [call('{ "cmd":"ls" }')]);
  const withInput = ([part]: readonly Part[]): readonly Part[] =>
    part?.type === "tool-call" ? [{ ...part, input: { cmd: "pwd" } }] : [];
  checkEdit(call('{ "cmd":"ls" }'), withInput, [call('{"cmd":"pwd"}')]);
});

test("a part that is gone takes its field with it", () => {
  const message = {
    role: "assistant",
    content: "a",
    refusal: null,
    reasoning_content: "hm",
    tool_calls: [{ id: "c1" }],
  };
  const keep =
    (...types: readonly Part["type"][]) =>
    (parts: readonly Part[]) =>
      parts.filter(({ type }) => types.includes(type));
  checkEdit(message, keep("text", "tool-call"), [
    { role: "assistant", content: "a", refusal: null, tool_calls: [{ id: "c1" }] },
  ]);
  checkEdit(message, keep("text"), [{ role: "assistant", content: "a", refusal: null }]);
  checkEdit(message, keep("tool-call"), [
    { role: "assistant", content: null, refusal: null, tool_calls: [{ id: "c1" }] },
  ]);
  checkEdit(message, keep(), []);
});

test("a new message becomes as many wire messages as it takes", () => {
  const result: Part = { type: "tool-result", callId: "c1", content: [text("3 failed")], isError: false };
  const toolCall: Part = { type: "tool-call", callId: "c1", name: "bash", input: { cmd: "ls" } };
  const wireCall = { id: "c1", type: "function", function: { name: "bash", arguments: '{"cmd":"ls"}' } };
  const wireResult = { role: "tool", tool_call_id: "c1", content: "3 failed" };
  checkEncode([{ role: "user", parts: [text("also"), result] }], [wireResult, { role: "user", content: "also" }]);
  checkEncode(
    [{ role: "tool", parts: [result, { ...result, callId: "c2" }] }],
    [wireResult, { ...wireResult, tool_call_id: "c2" }],
  );
  checkEncode(
    [{ role: "assistant", parts: [text("run"), toolCall, result, text("done")] }],
    [{ role: "assistant", content: "run", tool_calls: [wireCall] }, wireResult, { role: "assistant", content: "done" }],
  );
  checkEncode([{ role: "assistant", parts: [{ type: "reasoning", text: "hm" }] }], []);
});

test("an edited message keeps its own fields once", () => {
  const result: Part = { type: "tool-result", callId: "c1", content: [text("ok")], isError: false };
  checkEdit({ role: "assistant", content: "a", name: "bob" }, (parts) => [...parts, result, text("b")], [
    { role: "assistant", content: "a", name: "bob" },
    { role: "tool", tool_call_id: "c1", content: "ok" },
    { role: "assistant", content: "b" },
  ]);
});

test("the deprecated call and its result are written in today's form once they have an id", () => {
  const withId = (parts: readonly Part[]): readonly Part[] =>
    parts.map((part) => (part.type === "tool-call" || part.type === "tool-result" ? { ...part, callId: "c1" } : part));
  const named = { name: "f", arguments: "{ }" };
  checkEdit({ role: "assistant", content: null, function_call: named }, withId, [
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: "{}" } }],
    },
  ]);
  checkEdit({ role: "function", name: "f", content: "ok" }, withId, [
    { role: "tool", tool_call_id: "c1", content: "ok" },
  ]);
});

test("a failed result says so", () => {
  const failed = (content: readonly Part[], expected: string): void =>
    checkEncode(
      [{ role: "tool", parts: [{ type: "tool-result", callId: "c1", content, isError: true }] }],
      [{ role: "tool", tool_call_id: "c1", content: expected }],
    );
  failed([text("no such file")], "ERROR: no such file");
  failed([text("Error: no such file")], "Error: no such file");
  failed([], "ERROR: the tool call failed");
});

test("media that a role may not hold is described", () => {
  const picture: Part = {
    type: "media",
    kind: "image",
    mediaType: "image/png",
    source: { type: "base64", data: "iVBO" },
  };
  const result: Part = { type: "tool-result", callId: "c1", content: [picture], isError: false };
  checkEncode(
    [{ role: "tool", parts: [result] }],
    [{ role: "tool", tool_call_id: "c1", content: [{ type: "text", text: "[image: image/png]" }] }],
  );
  checkEncode(
    [{ role: "user", parts: [picture] }],
    [{ role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,iVBO" } }] }],
  );
});

test("a system prompt kept apart becomes the first message", () => {
  const messages = [{ id: "m0", role: "user" as const, parts: [text("hi")] }];
  const body = openaiChat.encode({ format: "openai-chat", system: [text("Be brief.")], tools: undefined, messages });
  expect(body).toEqual({
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "hi" },
    ],
  });
});

test("usage, wherever it stands", () => {
  const usage = {
    prompt_tokens: 900,
    completion_tokens: 20,
    prompt_tokens_details: { cached_tokens: 800, cache_write_tokens: 50 },
    completion_tokens_details: { reasoning_tokens: 5 },
  };
  const expected = {
    inputTokens: 900,
    cacheReadTokens: 800,
    cacheWriteTokens: 50,
    outputTokens: 20,
    reasoningTokens: 5,
  };
  expect(openaiChat.readUsage(usage)).toEqual(expected);
  expect(openaiChat.readUsage({ choices: [], usage })).toEqual(expected);
  expect(openaiChat.readUsage({ choices: [{}], usage: null })).toBeUndefined();
  const other = openaiChat.readUsage({
    usage: { prompt_tokens: 10, prompt_cache_hit_tokens: 8, prompt_tokens_details: null },
  });
  expect(other).toMatchObject({ inputTokens: 10, cacheReadTokens: 8, outputTokens: 0 });
});

test("tools", () => {
  const parameters = { type: "object" };
  const definitions = [{ name: "bash", description: "Run", parameters }, { name: "now" }];
  const tools = openaiChat.writeTools(definitions);
  expect(tools).toEqual([
    { type: "function", function: { name: "bash", description: "Run", parameters } },
    { type: "function", function: { name: "now" } },
  ]);
  expect(openaiChat.readTools(tools)).toEqual({ definitions, foreign: [] });
  expect(openaiChat.readTools([{ type: "custom", custom: { name: "sh" } }])).toEqual({
    definitions: [],
    foreign: ["sh"],
  });
  expect(openaiChat.readTools(undefined)).toEqual({ definitions: [], foreign: [] });
});
