import { expect, test } from "vitest";
import { anthropicMessages } from "../../formats/anthropic-messages.ts";
import { openaiResponses } from "../../formats/openai-responses.ts";
import { bindsThinking, withDroppableThinking } from "../thinking.ts";

function check(expected: boolean, models: readonly (string | undefined)[]): void {
  const request = anthropicMessages.decode([]);
  for (const model of models) expect(bindsThinking(request, model), model).toBe(expected);
}

test("models that sign the prefix, however they are spelled", () =>
  check(true, [
    "claude-fable-5-1",
    "claude-fable-5.1",
    "claude-mythos-6",
    "claude-opus-5-5",
    "anthropic/claude-opus-5.5",
    "us.anthropic.claude-opus-5-5-20260901-v1:0",
    "claude-sonnet-5-5@20260901",
    "Claude-Haiku-5-5",
    "claude-opus-6",
  ]));

test("models that are known not to", () =>
  check(false, [
    "claude-opus-5",
    "claude-opus-5-20260401",
    "anthropic/claude-opus-4.8",
    "claude-opus-4-20250514",
    "claude-sonnet-4-5-20250929",
    "claude-fable-5",
    "claude-3-7-sonnet-20250219",
    "claude-3.5-haiku",
    "claude-2.1",
    "claude-instant-1.2",
  ]));

test("what is not known is taken to sign it: without thinking a request is valid everywhere", () =>
  check(true, [undefined, "", "my-deployment", "claude-opus-latest", "claude-opus-5-latest", "claude-saga-1"]));

test("a budget for thinking says that the model is an older one, unless its name says otherwise", () => {
  const thinking = { type: "enabled", budget_tokens: 2048 };
  const request = anthropicMessages.decode({ thinking, messages: [] });
  for (const model of [undefined, "my-deployment", "claude-sonnet-4-5"]) {
    expect(bindsThinking(request, model), model).toBe(false);
  }
  expect(bindsThinking(request, "claude-opus-5-5")).toBe(true);
  const adaptive = anthropicMessages.decode({ thinking: { type: "adaptive" }, messages: [] });
  expect(bindsThinking(adaptive, "my-deployment")).toBe(true);
});

test("other formats bind nothing", () => expect(bindsThinking(openaiResponses.decode([]), undefined)).toBe(false));

test("the mark goes where thinking is asked for, and only there", () => {
  const marked = (body: unknown): unknown => {
    const conversation = withDroppableThinking(anthropicMessages.decode(body));
    return conversation === undefined ? undefined : anthropicMessages.encode(conversation);
  };
  const messages = [{ role: "user", content: "Go on" }];
  const thinking = { type: "adaptive", display: "omitted" };
  const droppable = { ...thinking, block_binding: { prefix_mismatch_behavior: "drop_block" } };
  expect(marked({ thinking, messages })).toEqual({ thinking: droppable, messages });
  expect(marked({ messages })).toBeUndefined();
  expect(marked({ thinking: { type: "disabled" }, messages })).toBeUndefined();
  expect(marked(messages)).toBeUndefined();
  const already = anthropicMessages.decode({ thinking: droppable, messages });
  expect(withDroppableThinking(already)).toBe(already);
});
