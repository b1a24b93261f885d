import { expect, test } from "vitest";
import { anthropicMessages } from "../../formats/anthropic-messages.ts";
import { repair } from "./repair.ts";

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
