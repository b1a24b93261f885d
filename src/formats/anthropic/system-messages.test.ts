import { expect, test } from "vitest";
import { repair } from "../../core/repair/repair.ts";
import { anthropicMessages } from "../anthropic-messages.ts";

const go = { role: "user", content: "go" };
const note = { role: "system", content: "note" };
const answer = { role: "assistant", content: "ok" };
const call = { role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] };
const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "a", content: "done" }] };

function check(model: string, expected: readonly string[]): void {
  const rules = (body: object, options?: { model: string }): readonly string[] =>
    anthropicMessages.validate(body, options).map(({ rule, path }) => `${rule} ${path}`);
  expect(rules({ model, messages: [go, note, answer] }), model).toEqual(expected);
  expect(rules([go, note, answer], { model }), `${model}, named by the caller`).toEqual(expected);
}

test("models that take no system messages refuse one wherever it stands", () => {
  for (const model of [
    "claude-sonnet-5",
    "anthropic/claude-sonnet-4.6",
    "claude-opus-4-7",
    "claude-opus-4-20250514",
    "us.anthropic.claude-haiku-4-5-20251001-v1:0",
    "claude-3-7-sonnet-20250219",
  ]) {
    check(model, ["system-position messages.1"]);
  }
});

test("newer ones take it, and so may one that is not known", () => {
  for (const model of [
    "claude-opus-4-8",
    "claude-opus-5",
    "claude-fable-5",
    "claude-mythos-5-1",
    "claude-sonnet-5-5",
    "m",
  ]) {
    check(model, []);
  }
  expect(anthropicMessages.validate([go, note, answer])).toEqual([]);
});

test("what such a model refuses becomes a user message, also out of a round", () => {
  const said = { role: "user", content: "note" };
  const mended = (messages: readonly object[], model = "claude-sonnet-5"): unknown => {
    const { conversation } = repair(anthropicMessages.decode({ model, messages }));
    const after = anthropicMessages.encode(conversation);
    expect(anthropicMessages.validate(after)).toEqual([]);
    expect(repair(conversation)).toEqual({ conversation, repairs: [] });
    return (after as { messages: unknown }).messages;
  };
  expect(mended([go, note, answer])).toEqual([go, said, answer]);
  expect(mended([note, go])).toEqual([said, go]);
  expect(mended([go, call, note, result])).toEqual([go, call, result, said]);
  expect(mended([go, note, answer], "claude-opus-5")).toEqual([go, note, answer]);
  const control = { role: "system", content: [{ type: "tool_removal", tool_name: "bash" }] };
  expect(mended([go, control, answer])).toEqual([
    go,
    { role: "user", content: [{ type: "text", text: '[tool_removal] {"tool_name":"bash"}' }] },
    answer,
  ]);
});

test("the model that a caller names comes before that of the body", () => {
  const decoded = anthropicMessages.decode({ model: "claude-opus-5", messages: [go, note, answer] });
  expect(repair(decoded).repairs).toEqual([]);
  expect(repair(decoded, { model: "claude-sonnet-5" }).repairs).toMatchObject([{ rule: "system-position" }]);
});
