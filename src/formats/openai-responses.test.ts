import { expect, test } from "vitest";
import type { JsonValue } from "../core/json.ts";
import { type Conversation, type Message, type Part, text } from "../core/message.ts";
import { repair } from "../core/repair/repair.ts";
import { openaiResponses } from "./openai-responses.ts";

function encodeInput(messages: readonly Omit<Message, "id">[]): unknown {
  const numbered = messages.map((message, index) => ({ ...message, id: `m${index}` }));
  const conversation: Conversation = { format: "openai-responses", system: [], tools: undefined, messages: numbered };
  return openaiResponses.encode(conversation);
}

function checkEncode(message: Omit<Message, "id">, expected: readonly JsonValue[]): void {
  expect(encodeInput([message])).toEqual({ input: expected });
}

/** Encodes after the only result's content was replaced by a text. */
function stubbed(item: JsonValue): unknown {
  const conversation = openaiResponses.decode([item]);
  const messages = conversation.messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) => (part.type === "tool-result" ? { ...part, content: [text("stub")] } : part)),
  }));
  return openaiResponses.encode({ ...conversation, messages });
}

function checkStub(item: JsonValue, expected: JsonValue): void {
  expect(JSON.stringify(stubbed(item))).toBe(JSON.stringify([expected]));
}

test("a result that was cut short keeps the form its tool wants", () => {
  const pair = { call_id: "c1" };
  checkStub(
    { type: "function_call_output", ...pair, output: "long", id: "o1" },
    { type: "function_call_output", ...pair, output: "stub", id: "o1" },
  );
  checkStub(
    { type: "function_call_output", ...pair, output: [{ type: "input_text", text: "long" }] },
    { type: "function_call_output", ...pair, output: [{ type: "input_text", text: "stub" }] },
  );
  const outcome = { type: "exit", exit_code: 3 };
  checkStub(
    { type: "shell_call_output", output: [{ stdout: "long", stderr: "", outcome }], ...pair },
    { type: "shell_call_output", output: [{ stdout: "stub", stderr: "", outcome }], ...pair },
  );
  checkStub(
    { type: "apply_patch_call_output", ...pair, status: "completed" },
    { type: "apply_patch_call_output", ...pair, status: "completed", output: "stub" },
  );
  checkStub(
    { type: "local_shell_call_output", id: "c1", output: "long" },
    { type: "local_shell_call_output", id: "c1", output: "stub" },
  );
  const emptyPicture = expect.stringMatching(/^data:image\/png;base64,.{1,200}$/);
  const screenshot = { type: "computer_screenshot", image_url: "data:image/png;base64,iVBO" };
  const computer = stubbed({ type: "computer_call_output", ...pair, output: screenshot });
  expect(computer).toEqual([
    { type: "computer_call_output", ...pair, output: { ...screenshot, image_url: emptyPicture } },
  ]);
  expect(computer).not.toMatchObject([{ output: screenshot }]);
});

test("a new message becomes as many items as it takes, in order", () => {
  const call: Part = { type: "tool-call", callId: "c1", name: "f", input: { a: 1 } };
  const result: Part = { type: "tool-result", callId: "c1", content: [text("ok")], isError: false };
  const picture: Part = {
    type: "media",
    kind: "image",
    mediaType: "image/png",
    source: { type: "base64", data: "iVBO" },
  };
  const wireCall = { type: "function_call", call_id: "c1", name: "f", arguments: '{"a":1}' };
  const wireResult = { type: "function_call_output", call_id: "c1", output: "ok" };
  checkEncode({ role: "assistant", parts: [{ type: "reasoning", text: "hm", encrypted: "gA" }, text("x"), call] }, [
    { type: "reasoning", summary: [{ type: "summary_text", text: "hm" }], encrypted_content: "gA" },
    { role: "assistant", content: "x" },
    wireCall,
  ]);
  checkEncode({ role: "assistant", parts: [text("x"), text("y")] }, [
    {
      role: "assistant",
      content: [
        { type: "output_text", text: "x" },
        { type: "output_text", text: "y" },
      ],
    },
  ]);
  checkEncode({ role: "user", parts: [result, text("x"), picture] }, [
    wireResult,
    {
      role: "user",
      content: [
        { type: "input_text", text: "x" },
        { type: "input_image", detail: "auto", image_url: "data:image/png;base64,iVBO" },
      ],
    },
  ]);
  checkEncode({ role: "tool", parts: [{ ...result, isError: true }] }, [{ ...wireResult, output: "ERROR: ok" }]);
});

test("an edited message keeps its own fields once, and what it cannot hold stands beside it", () => {
  const item = {
    type: "message",
    id: "msg_1",
    role: "assistant",
    phase: "commentary",
    content: [{ type: "output_text", text: "a" }],
  };
  const call: Part = { type: "tool-call", callId: "c1", name: "f", input: {} };
  const conversation = openaiResponses.decode([item]);
  const messages = conversation.messages.map((message) => ({ ...message, parts: [...message.parts, call, text("b")] }));
  expect(openaiResponses.encode({ ...conversation, messages })).toEqual([
    item,
    { type: "function_call", call_id: "c1", name: "f", arguments: "{}" },
    { role: "assistant", content: "b" },
  ]);
  const asUser = conversation.messages.map((message) => ({ ...message, role: "user" as const }));
  expect(openaiResponses.encode({ ...conversation, messages: asUser })).toEqual([{ role: "user", content: "a" }]);
});

test("a result of ours takes the type that its call asks for", () => {
  const check = (call: JsonValue, output: JsonValue): void => {
    const conversation = openaiResponses.decode([call]);
    const callId =
      conversation.messages[0]?.parts[0]?.type === "tool-call" ? conversation.messages[0].parts[0].callId : undefined;
    expect(callId).toBe("c1");
    const result: Part = { type: "tool-result", callId: "c1", content: [text("lost")], isError: true };
    const messages: readonly Message[] = [...conversation.messages, { id: "new", role: "tool", parts: [result] }];
    expect(openaiResponses.encode({ ...conversation, messages })).toEqual([call, output]);
  };
  const error = { call_id: "c1", output: "ERROR: lost" };
  check(
    { type: "function_call", call_id: "c1", name: "f", arguments: "{}" },
    { type: "function_call_output", ...error },
  );
  check(
    { type: "custom_tool_call", call_id: "c1", name: "f", input: "" },
    { type: "custom_tool_call_output", ...error },
  );
  check({ type: "apply_patch_call", call_id: "c1" }, { type: "apply_patch_call_output", status: "failed", ...error });
  check(
    { type: "local_shell_call", call_id: "c1" },
    { type: "local_shell_call_output", id: "c1", output: "ERROR: lost" },
  );
  check(
    { type: "shell_call", call_id: "c1" },
    {
      type: "shell_call_output",
      call_id: "c1",
      output: [{ stdout: "ERROR: lost", stderr: "", outcome: { type: "exit", exit_code: 1 } }],
    },
  );
  check(
    { type: "mcp_approval_request", id: "c1" },
    { type: "mcp_approval_response", approval_request_id: "c1", approve: false },
  );
});

test("a string input stays one until it has company", () => {
  const conversation = openaiResponses.decode({ input: "hi", model: "gpt-6-sol" });
  expect(openaiResponses.encode(conversation)).toEqual({ input: "hi", model: "gpt-6-sol" });
  const messages: readonly Message[] = [
    ...conversation.messages,
    { id: "new", role: "assistant", parts: [text("hello")] },
  ];
  expect(openaiResponses.encode({ ...conversation, messages })).toEqual({
    input: [
      { role: "user", content: "hi" },
      { role: "assistant", content: "hello" },
    ],
    model: "gpt-6-sol",
  });
});

test("instructions are the system prompt", () => {
  const input = [{ role: "user", content: "hi" }];
  const check = (
    instructions: JsonValue,
    edit: (system: readonly Part[]) => readonly Part[],
    expected: JsonValue | undefined,
  ): void => {
    const conversation = openaiResponses.decode({ instructions, input });
    const body = openaiResponses.encode({ ...conversation, system: edit(conversation.system) });
    expect(body).toEqual({ ...(expected !== undefined && { instructions: expected }), input });
  };
  const items = [{ role: "developer", content: [{ type: "input_text", text: "a" }], id: "msg_1" }];
  check("a", (system) => [...system], "a");
  check("a", (system) => [...system, text("b")], "a\n\nb");
  check("a", () => [], undefined);
  check(items, (system) => [...system], items);
  check(items, (system) => [...system, text("b")], [...items, { role: "developer", content: "b" }]);
});

test("usage, wherever it stands", () => {
  const usage = {
    input_tokens: 900,
    input_tokens_details: { cached_tokens: 800, cache_write_tokens: 50 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 5 },
  };
  const expected = {
    inputTokens: 900,
    cacheReadTokens: 800,
    cacheWriteTokens: 50,
    outputTokens: 20,
    reasoningTokens: 5,
  };
  for (const source of [usage, { usage }, { type: "response.completed", response: { usage } }]) {
    expect(openaiResponses.readUsage(source)).toEqual(expected);
  }
  expect(openaiResponses.readUsage({ type: "response.created", response: { usage: null } })).toBeUndefined();
  expect(openaiResponses.readUsage({ object: "response.input_tokens", input_tokens: 7 })?.inputTokens).toBe(7);
});

test("tools", () => {
  const definitions = [{ name: "bash", description: "Run", parameters: { type: "object" } }, { name: "now" }];
  const tools = openaiResponses.writeTools(definitions);
  expect(tools).toEqual([
    { type: "function", name: "bash", description: "Run", parameters: { type: "object" }, strict: false },
    { type: "function", name: "now", parameters: null, strict: false },
  ]);
  expect(openaiResponses.readTools(tools)).toEqual({ definitions, foreign: [] });
  const foreign = [{ type: "web_search" }, { type: "custom", name: "sh" }, { type: "mcp", server_label: "docs" }];
  expect(openaiResponses.readTools(foreign)).toEqual({ definitions: [], foreign: ["web_search", "sh", "docs"] });
});

test("a screenshot whose call is lost becomes a picture of the user's", () => {
  const url = "data:image/png;base64,iVBORw0KGgo=";
  const input = [
    { role: "user", content: "go" },
    { type: "computer_call_output", call_id: "c", output: { type: "computer_screenshot", image_url: url } },
  ];
  const { input: mended } = openaiResponses.encode(repair(openaiResponses.decode({ input })).conversation) as {
    input: readonly { content: unknown }[];
  };
  expect(mended[1]?.content).toEqual([
    { type: "input_text", text: expect.stringContaining("Result of the tool call c") },
    { type: "input_image", detail: "auto", image_url: url },
  ]);
});
