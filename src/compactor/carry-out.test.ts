import { expect, test } from "vitest";
import type { Summarizer } from "../core/checkpoint/summary.ts";
import type { DropStep, NativeStep, Step, SummarizeStep } from "../core/plan/plan.ts";
import { estimateTokens } from "../core/tokens/tokens.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import { resolveSettings } from "../settings.ts";
import { shrinkToTokens } from "../summarizers/shrink-text.ts";
import { detailsOf } from "../summarizers/tracked-details.ts";
import { type CarryOutInput, carryOut } from "./carry-out.ts";
import { decide } from "./decide.ts";
import { createTokenSizes } from "./token-sizes.ts";

/** A plan that would break a promise is refused before anybody is asked for anything, whoever made it. */

const CONVERSATION = anthropicMessages.decode({
  model: "claude-opus-5",
  messages: [
    { role: "user", content: "Build it." },
    { role: "assistant", content: [{ type: "tool_use", id: "call-1", name: "bash", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "call-1", content: "done ".repeat(400) }] },
    { role: "assistant", content: "It is built." },
    { role: "user", content: "Thanks." },
  ],
});
const [, CALL] = CONVERSATION.messages;

function inputWith(step: Step, asked: string[]): CarryOutInput {
  const counter = estimateTokens({ format: "anthropic-messages" });
  const settings = resolveSettings();
  const decision = decide({
    view: CONVERSATION,
    settings,
    ...createTokenSizes(counter, () => 1),
    systemTokens: 0,
    toolsTokens: 0,
    asked: "manual",
  });
  const summarizer: Summarizer = {
    name: "mine",
    version: "1",
    planCalls: () => 1,
    summarize: () => {
      asked.push("summarizer");
      return Promise.resolve({ text: "It is built.", calls: 1, notes: [] });
    },
  };
  const rest = { ...decision.rest, steps: [step], tokensBefore: 500, tokensAfter: 100 };
  return {
    decision: { ...decision, plan: rest, rest },
    seen: CONVERSATION,
    counter,
    summarizer,
    embedded: summarizer,
    detailsOf,
    shorten: shrinkToTokens,
    context: { signal: new AbortController().signal, progress: () => {} },
    instructions: undefined,
    native: {
      kind: "anthropic-compact",
      compact: () => {
        asked.push("provider");
        return Promise.resolve({});
      },
    },
    format: anthropicMessages,
    model: "claude-opus-5",
  };
}

const messageIds = [CALL?.id ?? ""];
const drop: DropStep = { type: "drop", messageIds, reason: "a test" };
const summarize: SummarizeStep = {
  type: "summarize",
  messageIds,
  turnPrefixIds: [],
  replacesIds: [],
  budgetTokens: 50,
};
const native: NativeStep = { type: "native", kind: "anthropic-compact", messageIds, replacesIds: [] };

test.each([drop, summarize, native])("$type: a call without its result", async (step) => {
  const asked: string[] = [];
  await expect(carryOut(inputWith(step, asked))).rejects.toMatchObject({
    code: "invalid-plan",
    message: "The plan was refused: The plan separates the call of bash from its result.",
  });
  expect(asked).toEqual([]);
});
