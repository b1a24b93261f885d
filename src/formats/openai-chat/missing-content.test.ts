import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { repair } from "../../core/repair/repair.ts";
import { openaiChat } from "../openai-chat.ts";
import { openaiResponses } from "../openai-responses.ts";

const user: JsonObject = { role: "user", content: "hi" };
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
