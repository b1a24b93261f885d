import { expect, test } from "vitest";
import { repair } from "../../core/repair/repair.ts";
import { anthropicMessages } from "../anthropic-messages.ts";

const blank = { type: "text", text: " \n" };
const said = { type: "text", text: "ok" };
const go = { role: "user", content: "go" };
const mended = (body: object): unknown => anthropicMessages.encode(repair(anthropicMessages.decode(body)).conversation);
const refused = (body: object): readonly string[] =>
  anthropicMessages.validate(body).map(({ rule, path, message }) => `${rule} ${path}: ${message}`);

test("a block of the system prompt is refused, empty or blank, and taken out", () => {
  const body = { system: [{ type: "text", text: "" }, said, blank], messages: [go] };
  expect(refused(body)).toEqual([
    "empty-content system.0: system: text content blocks must be non-empty",
    "empty-content system.2: system: text content blocks must contain non-whitespace text",
  ]);
  const { conversation, repairs } = repair(anthropicMessages.decode(body));
  expect(anthropicMessages.encode(conversation)).toEqual({ system: [said], messages: [go] });
  const change = "removed an empty text from the system prompt";
  expect(repairs).toEqual([{ rule: "empty-content", messageIndex: -1, change }]);
  expect(repair(conversation)).toEqual({ conversation, repairs: [] });
});
test("a prompt of nothing else goes; one that is the empty string stays", () => {
  for (const system of [[{ type: "text", text: "" }], " \n"]) {
    expect(refused({ system, messages: [go] })).toHaveLength(1);
    expect(mended({ system, messages: [go] })).toEqual({ messages: [go] });
  }
  expect(refused({ system: "", messages: [go] })).toEqual([]);
  expect(mended({ system: "", messages: [go] })).toEqual({ system: "", messages: [go] });
});
test("a message that says nothing else is refused and taken out, as a string too", () => {
  const answer = { role: "assistant", content: [said] };
  for (const content of [[blank], [blank, blank], "\n\n"]) {
    const body = { messages: [go, { role: "assistant", content }, go, answer] };
    expect(refused(body)).toEqual([
      "empty-content messages.1: messages: text content blocks must contain non-whitespace text",
    ]);
    expect(mended(body)).toEqual({ messages: [go, go, answer] });
  }
});
test("beside text, a call or a picture it is accepted", () => {
  const use = { type: "tool_use", id: "a", name: "f", input: {} };
  const back = { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: [blank] }] };
  for (const content of [
    [blank, said],
    [blank, use],
  ]) {
    const body = { messages: [go, { role: "assistant", content }, ...(content.includes(use) ? [back] : [])] };
    expect(refused(body)).toEqual([]);
    expect(mended(body)).toEqual(body);
  }
});
