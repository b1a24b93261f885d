import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { repair } from "../../core/repair/repair.ts";
import { openaiChat } from "../openai-chat.ts";
import { openaiResponses } from "../openai-responses.ts";

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

const tool_calls = [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }];
const calling: JsonObject = { role: "assistant", content: null, tool_calls };

/** The list is refused, what stands for it is valid, and each change is reported at its message. */
function mends(messages: readonly JsonValue[], expected: readonly JsonValue[], at: readonly number[]): void {
  const format = openaiChat;
  expect(format.validate(messages).map(({ messageIndex }) => messageIndex)).toEqual(at);
  const { conversation, repairs } = repair(format.decode(messages));
  expect(format.encode(conversation)).toEqual(expected);
  expect(format.validate(format.encode(conversation))).toEqual([]);
  expect(repairs.map(({ rule, messageIndex }) => `${rule}@${messageIndex}`)).toEqual(
    at.map((index) => `invalid-request@${index}`),
  );
  expect(repair(conversation).repairs, "a repaired list needs no repair").toEqual([]);
}

const nothings: readonly JsonObject[] = [{ content: null }, {}, { content: [] }];

test("a message without any content goes, whoever said it", () => {
  for (const nothing of nothings) {
    for (const role of ["assistant", "user", "system", "developer"]) {
      mends([user, { role, ...nothing }, user], [user, user], [1]);
    }
  }
  mends([user, { role: "assistant", content: null, refusal: null, tool_calls: [] }], [user], [1]);
});

test("nothing but such messages: the list still begins", () => {
  const { conversation, repairs } = repair(openaiChat.decode([{ role: "user", content: null }]));
  expect(openaiChat.validate(openaiChat.encode(conversation))).toEqual([]);
  expect(repairs.map(({ rule }) => rule)).toEqual(["invalid-request", "no-messages"]);
});

test("one between a call and its result", () => {
  const result = { role: "tool", tool_call_id: "a", content: "ok" };
  const { conversation, repairs } = repair(openaiChat.decode([user, calling, { role: "assistant" }, result]));
  expect(openaiChat.encode(conversation)).toEqual([user, calling, result]);
  expect(repairs).toHaveLength(1);
});

test("a result without content is an empty one", () => {
  for (const nothing of nothings) {
    const result = { role: "tool", tool_call_id: "a" };
    mends([user, calling, { ...result, ...nothing }], [user, calling, { ...result, content: "" }], [2]);
  }
});

test("what else an assistant message holds stays, beside an empty text where it cannot do without", () => {
  const thinking = { role: "assistant", reasoning_content: "hm" };
  for (const nothing of nothings) mends([user, { ...thinking, ...nothing }], [user, { ...thinking, content: "" }], [1]);
  const result = { role: "tool", tool_call_id: "a", content: "ok" };
  for (const nothing of nothings) {
    const list = [
      user,
      { role: "assistant", tool_calls, ...nothing },
      result,
      { role: "assistant", refusal: "no", ...nothing },
    ];
    mends(list, list, []);
  }
});

test("a list of no calls goes, and what stands beside it stays", () => {
  const done: JsonObject = { role: "assistant", content: "done", name: "x" };
  mends([user, { ...done, tool_calls: [] }, user], [user, done, user], [1]);
  const thinking = { role: "assistant", reasoning_content: "hm" };
  mends([user, { ...thinking, content: null, tool_calls: [] }], [user, { ...thinking, content: "" }], [1]);
});

test("Responses: a message without content goes", () => {
  for (const nothing of [{ content: null }, {}]) {
    const input = [user, { role: "assistant", ...nothing }];
    expect(openaiResponses.validate(input)).toHaveLength(1);
    const { conversation, repairs } = repair(openaiResponses.decode(input));
    expect(openaiResponses.encode(conversation)).toEqual([user]);
    expect(repairs.map(({ rule, messageIndex }) => `${rule}@${messageIndex}`)).toEqual(["invalid-request@1"]);
  }
});
