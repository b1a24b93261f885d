import { expect, test } from "vitest";
import { openaiChat } from "../../formats/openai-chat.ts";
import { openaiResponses } from "../../formats/openai-responses.ts";
import type { JsonValue } from "../json.ts";
import type { Format } from "../ports.ts";
import { repair } from "./repair.ts";

function check(format: Format, bodyOf: (name: JsonValue | undefined) => unknown): void {
  for (const name of [undefined, null, "", 5, ["f"]]) {
    const body = bodyOf(name);
    expect(format.validate(body).map(({ rule }) => rule)).toEqual(["missing-name"]);
    const { conversation } = repair(format.decode(body));
    expect(format.encode(conversation)).toEqual(bodyOf("unknown_tool"));
    expect(format.validate(format.encode(conversation))).toEqual([]);
  }
}

test("a Chat call without a name is given one, and keeps its arguments", () =>
  check(openaiChat, (name) => ({
    messages: [
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "1", type: "function", function: { name, arguments: "[1]" } }],
      },
      { role: "tool", tool_call_id: "1", content: "done" },
    ],
  })));

test("a Responses call without a name is given one, and keeps its arguments", () =>
  check(openaiResponses, (name) => ({
    input: [
      { role: "user", content: "go" },
      { type: "function_call", call_id: "1", name, arguments: "[1]" },
      { type: "function_call_output", call_id: "1", output: "done" },
    ],
  })));

test("a Chat call that says nothing of what is called is written as one of an unknown function", () => {
  const bodyOf = (call: object): object => ({
    messages: [
      { role: "user", content: "go" },
      { role: "assistant", content: null, tool_calls: [{ id: "1", ...call }] },
      { role: "tool", tool_call_id: "1", content: "done" },
    ],
  });
  const { conversation } = repair(openaiChat.decode(bodyOf({})));
  expect(openaiChat.encode(conversation)).toEqual(
    bodyOf({ type: "function", function: { name: "unknown_tool", arguments: "{}" } }),
  );
});

test("a Responses item whose type is empty is no item", () => {
  const input = [{ type: "", call_id: "1", output: "done" }];
  expect(() => openaiResponses.decode({ input })).toThrow("input.0 must have a `type` or a `role`.");
});
