import { expect, test } from "vitest";
import type { DropStep, NativeStep, Step, SummarizeStep } from "../core/plan/plan.ts";
import { estimateTokens } from "../core/tokens/tokens.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import { resolveSettings } from "../settings.ts";
import { refuseBroken } from "./apply.ts";
import { type Decision, decide } from "./decide.ts";
import { createCounting } from "./engine.ts";

/** A plan that would break a promise is refused before a model is asked, whoever made the plan. */

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

function decisionWith(step: Step): Decision {
  const counter = estimateTokens({ format: "anthropic-messages" });
  const { tokensOf, totalOf } = createCounting(counter, () => 1);
  const counted = { tokensOf, totalOf, systemTokens: 0, toolsTokens: 0 };
  const decision = decide({ view: CONVERSATION, settings: resolveSettings(), ...counted, asked: "manual" });
  const rest = { ...decision.rest, steps: [step], tokensBefore: 500, tokensAfter: 100 };
  return { ...decision, plan: rest, rest };
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

test.each([drop, summarize, native])("$type: a call without its result", (step) => {
  const { rest, input } = decisionWith(step);
  expect(() => refuseBroken(rest, input)).toThrow(
    "The plan was refused: The plan separates the call of bash from its result.",
  );
});
