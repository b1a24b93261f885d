import { expect, test } from "vitest";
import { anthropicMessages } from "../../formats/anthropic-messages.ts";
import { repair } from "./repair.ts";

const asked = { role: "user", content: "Go." };

/** What a body becomes; the result is valid and needs nothing more. */
function repaired(body: object): unknown {
  const { conversation } = repair(anthropicMessages.decode(body));
  const after = anthropicMessages.encode(conversation);
  expect(anthropicMessages.validate(after)).toEqual([]);
  expect(repair(conversation)).toEqual({ conversation, repairs: [] });
  return after;
}

test("what the provider's own tools did stands under the assistant, both halves of it", () => {
  const search = { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "x" } };
  const found = { type: "web_search_tool_result", tool_use_id: "s1", content: [] };
  const said = { type: "text", text: "Go on." };
  const answer = (...content: readonly object[]): object => ({ role: "assistant", content });
  const reply = (...content: readonly object[]): object => ({ role: "user", content });
  const whole = { messages: [asked, answer(search, found), reply(said)] };
  expect(repaired({ messages: [asked, reply(search, found, said)] })).toEqual(whole);
  expect(repaired({ messages: [asked, reply(search, said, found)] })).toEqual(whole);
  expect(repaired({ messages: [asked, answer(search), reply(found, said)] })).toEqual({
    messages: [asked, answer(search), answer(found), reply(said)],
  });
  const call = { type: "tool_use", id: "t1", name: "f", input: {} };
  const result = { type: "tool_result", tool_use_id: "t1", content: "done" };
  expect(repaired({ messages: [asked, answer(search, call), reply(result, found)] })).toEqual({
    messages: [asked, answer(search, call), answer(found), reply(result)],
  });
  const [violation] = anthropicMessages.validate({ messages: [asked, answer(search), reply(found)] });
  expect(violation).toMatchObject({ rule: "misplaced-part", path: "messages.2.content.0" });
});

test("a call of the provider's own tools is not left open before results that are quoted", () => {
  const search = { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "x" } };
  const stray = { type: "tool_result", tool_use_id: "gone", content: "late" };
  const { messages } = repaired({
    messages: [asked, { role: "assistant", content: [search] }, { role: "user", content: [stray] }],
  }) as { messages: readonly object[] };
  expect(anthropicMessages.validate({ messages })).toEqual([]);
  expect(JSON.stringify(messages[1])).toContain("Interrupted before it returned: web_search");
});

/** All that came back for one call, as one result. */
function merged(outputs: readonly string[]): unknown {
  const call = { role: "assistant", content: [{ type: "tool_use", id: "1", name: "find", input: {} }] };
  const content = outputs.map((output) => ({ type: "tool_result", tool_use_id: "1", content: output }));
  const body = { messages: [{ role: "user", content: "look it up" }, call, { role: "user", content }] };
  const after = anthropicMessages.encode(repair(anthropicMessages.decode(body)).conversation);
  expect(anthropicMessages.validate(after)).toEqual([]);
  // As it was encoded above.
  return (after as typeof body).messages[2]?.content;
}

test.each([
  ["before", ["", "2 found", "3 found"]],
  ["between", ["2 found", "", "3 found"]],
  ["behind", ["2 found", "3 found", ""]],
])("an empty result %s others for the same call leaves no empty block", (_, outputs) => {
  const content = ["2 found", "3 found"].map((text) => ({ type: "text", text }));
  expect(merged(outputs)).toEqual([{ type: "tool_result", tool_use_id: "1", content }]);
});

test("several empty results are one", () =>
  expect(merged(["", ""])).toEqual([{ type: "tool_result", tool_use_id: "1", content: "" }]));
