import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { openaiChat } from "../openai-chat.ts";

const user: JsonObject = { role: "user", content: "hi" };
const note: JsonObject = { role: "developer", content: "note" };
const calls = (...ids: readonly (string | undefined)[]): JsonObject => ({
  role: "assistant",
  content: null,
  tool_calls: ids.map((id) => ({
    ...(id !== undefined && { id }),
    type: "function",
    function: { name: "f", arguments: "{}" },
  })),
});
const result = (id?: string): JsonObject => ({
  role: "tool",
  content: "ok",
  ...(id !== undefined && { tool_call_id: id }),
});

/** Each expected violation as `rule@index`. */
function check(messages: readonly JsonValue[], ...expected: readonly string[]): void {
  expect(openaiChat.validate(messages).map(({ rule, messageIndex }) => `${rule}@${messageIndex}`)).toEqual(expected);
  expect(openaiChat.validate({ messages })).toEqual(openaiChat.validate(messages));
}

test("what the provider accepts", () => {
  check([user, calls("a", "b"), result("b"), result("a"), { role: "assistant", content: "done" }]);
  check([note, user, user, { role: "assistant", content: "a" }, { role: "assistant", content: "b" }]);
  check([user, calls("a"), result("a"), user, calls("a"), result("a")]);
  check([user, { role: "assistant", tool_calls: calls("a").tool_calls }, result("a")]);
  check([
    user,
    { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
    { role: "function", name: "f", content: null },
  ]);
  check([user, { role: "assistant", content: null, refusal: "no" }, { role: "user", content: "" }]);
});

test("calls without their results", () => {
  check([user, calls("a")], "call-without-result@1");
  check([user, calls("a", "b"), result("a"), user], "call-without-result@1");
  check([user, calls("a"), { role: "function", name: "f", content: "ok" }], "call-without-result@1");
});

test("results without their call", () => {
  check([user, result("a")], "result-without-call@1");
  check([user, calls("a"), result("a"), result("z")], "result-without-call@3");
  check([user, calls("a"), result("a"), user, result("a")], "result-without-call@4");
});

test("nothing stands between a call and its results", () => {
  check([user, calls("a"), note, result("a")], "call-without-result@1", "result-without-call@3");
  check([user, calls("a", "b"), result("a"), user, result("b")], "call-without-result@1", "result-without-call@4");
});

test("ids", () => {
  check([user, calls("a"), result("a"), result("a")], "duplicate-result@3");
  check([user, calls("a", "a"), result("a")], "duplicate-call-id@1");
  check([user, calls(undefined), result()], "missing-id@1", "missing-id@2");
});

test("content", () => {
  check([], "no-messages@-1");
  check([{ role: "user" }], "invalid-request@0");
  check([{ role: "system", content: null }, user], "invalid-request@0");
  check([user, { role: "assistant", content: null }], "invalid-request@1");
  check([user, { role: "assistant", content: null, reasoning_content: "hm" }], "invalid-request@1");
  check([user, { role: "assistant", content: [] }], "invalid-request@1");
  check([user, { role: "assistant", content: "hi", tool_calls: [] }], "invalid-request@1");
  check([user, calls("a"), { role: "tool", tool_call_id: "a" }], "invalid-request@2");
  check([{ role: "user", content: [{ type: "text" }] }], "invalid-request@0");
  check([{ role: "user", content: 1 }], "invalid-request@0");
  check([user, { role: "robot", content: "x" }], "invalid-request@1");
  check([user, { role: "function", content: "x" }], "invalid-request@1");
});

test("the provider's own words and notation", () => {
  const [unanswered] = openaiChat.validate([user, calls("call_1")]);
  expect(unanswered).toEqual({
    rule: "call-without-result",
    path: "messages.[1].tool_calls[0]",
    messageIndex: 1,
    message:
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_1",
  });
  const [orphan] = openaiChat.validate([user, result("call_1")]);
  expect(orphan?.path).toBe("messages.[1].role");
  expect(orphan?.message).toBe(
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
  );
});

test("a body that is no body is reported, not thrown", () => {
  for (const body of [null, 1, "x", {}, { messages: [null] }]) {
    expect(openaiChat.validate(body).map(({ rule }) => rule)).toEqual(["invalid-request"]);
  }
});
