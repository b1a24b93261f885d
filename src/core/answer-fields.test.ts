import { expect, test } from "vitest";
import { formatNamed } from "../formats.ts";
import type { FormatName } from "./message.ts";
import { repair } from "./repair/repair.ts";

/** The list is refused at these paths, and becomes the expected one. */
function check(name: FormatName, list: readonly object[], paths: readonly string[], expected: readonly object[]): void {
  const format = formatNamed(name);
  const found = format.validate(list).filter(({ rule }) => rule === "unknown-field");
  expect(found.map(({ path }) => path)).toEqual(paths);
  const { conversation, repairs } = repair(format.decode(list));
  expect(JSON.stringify(format.encode(conversation))).toBe(JSON.stringify(expected));
  expect(format.validate(format.encode(conversation))).toEqual([]);
  expect(repairs).toMatchObject([{ rule: "unknown-field", messageIndex: 1 }]);
}

test("Chat: what was parsed out of the content and out of the arguments", () => {
  const called = { name: "read", arguments: '{"path":"a"}' };
  const call = (held: object): object => ({ id: "c1", type: "function", function: held });
  const asked = { role: "user", content: "Go." };
  const result = { role: "tool", tool_call_id: "c1", content: "done" };
  const said = { role: "assistant", content: '{"a":1}', refusal: null };
  check(
    "openai-chat",
    [asked, { ...said, tool_calls: [call({ ...called, parsed_arguments: { path: "a" } })], parsed: { a: 1 } }, result],
    ["messages[1].parsed", "messages[1].tool_calls[0].function.parsed_arguments"],
    [asked, { ...said, tool_calls: [call(called)] }, result],
  );
});

test("Responses: the same, in items and their content", () => {
  const asked = { role: "user", content: "Go." };
  const call = { type: "function_call", id: "fc_1", call_id: "c1", name: "read", arguments: "{}" };
  const output = { type: "function_call_output", call_id: "c1", output: "done" };
  check(
    "openai-responses",
    [asked, { ...call, parsed_arguments: null }, output],
    ["input[1].parsed_arguments"],
    [asked, call, output],
  );
  const block = { type: "output_text", text: "hi", annotations: [] };
  const said = { type: "message", id: "msg_1", role: "assistant" };
  check(
    "openai-responses",
    [asked, { ...said, content: [{ ...block, parsed: { a: 1 } }] }],
    ["input[1].content[0].parsed"],
    [asked, { ...said, content: [block] }],
  );
});

test("Anthropic: what was parsed, and all that stands around an answer that was put into the list as it came", () => {
  const asked = { role: "user", content: "Go." };
  const content = [{ type: "text", text: "hi" }];
  check(
    "anthropic-messages",
    [asked, { role: "assistant", content, parsed_output: null }],
    ["messages.1.parsed_output"],
    [asked, { role: "assistant", content }],
  );
  const answer = { id: "msg_1", type: "message", role: "assistant", content, stop_reason: "end_turn" };
  check(
    "anthropic-messages",
    [asked, { ...answer, parsed_output: null }],
    ["messages.1.id", "messages.1.type", "messages.1.stop_reason", "messages.1.parsed_output"],
    [asked, { role: "assistant", content }],
  );
});

test("what a tool is called with, or returned, is nobody's answer", () => {
  const list = [
    { role: "user", content: "Go." },
    { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "f", input: { parsed: 1, parsed_output: 2 } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: '{"parsed":1}' }] },
  ];
  expect(formatNamed("anthropic-messages").validate(list)).toEqual([]);
});
