/**
 * Runs the host's own strategy, which returns steps as data. The steps are checked and measured like any plan; an
 * invalid plan is refused with a reason. Never throws, and changes nothing.
 */

import { errorText } from "../core/error-text.ts";
import { isObject } from "../core/json.ts";
import type { Message } from "../core/message.ts";
import { applyPlan, checkPlan, isTextStep, removedBy } from "../core/plan/apply-plan.ts";
import type { Plan, Step, TextStep } from "../core/plan/plan.ts";
import {
  nothingToDo,
  type OwnStrategy,
  type PlanInput,
  planOf,
  sumTokens,
  totalTokens,
} from "../core/plan/plan-input.ts";
import { shownValue } from "../core/settings/check-schema.ts";
import { ZONE_SHARE_MAX } from "./room.ts";

export type OwnPlan = { readonly plan: Plan } | { readonly refused: string };

export function planOwn(strategy: OwnStrategy, input: PlanInput): OwnPlan {
  try {
    const { reason, structure, settings, tokensOf, targetTokens, conversation } = input;
    // A copy of the list: the strategy may change it.
    const shown = { reason, structure, settings, tokensOf, targetTokens, messages: [...conversation.messages] };
    const steps = readSteps(strategy.plan({ ...shown, tokens: totalTokens(input) }), input);
    if (steps.length === 0) return { plan: nothingToDo(input, "nothing-to-compact") };
    const plan = measured(steps, input);
    const problems = checkPlan(plan, input);
    return problems.length === 0 ? { plan } : { refused: problems.join(" ") };
  } catch (error) {
    return { refused: errorText(error) };
  }
}

function readSteps(returned: unknown, input: PlanInput): readonly Step[] {
  if (!Array.isArray(returned)) throw new Error(`It returned ${shownValue(returned)}, which is no list of steps.`);
  return returned.map((step: unknown) => readStep(step, input));
}

function readStep(step: unknown, input: PlanInput): Step {
  const { type, messageIds, messageId, part, text, budgetTokens } = isObject(step) ? step : {};
  if (type === "drop" && areIds(messageIds)) return { type, messageIds, reason: "the strategy said so" };
  if (type === "trim" && typeof messageId === "string" && typeof part === "number" && typeof text === "string") {
    return { type, messageId, part, text, freesTokens: freedBy({ messageId, part, text }, input) };
  }
  const isBudget = budgetTokens === undefined || (typeof budgetTokens === "number" && budgetTokens >= 1);
  if (type === "summarize" && areIds(messageIds) && isBudget) {
    const replacesIds = input.found?.messageIds ?? [];
    const ids = messageIds.filter((id) => !replacesIds.includes(id));
    const budget = typeof budgetTokens === "number" ? Math.floor(budgetTokens) : budgetFor(ids, input);
    return { type, messageIds: ids, turnPrefixIds: [], replacesIds, budgetTokens: budget };
  }
  throw new Error(`It returned ${shownValue(step)} among its steps; a step is ${STEPS}.`);
}

const STEPS =
  "{ type: drop, messageIds }, { type: summarize, messageIds, budgetTokens? } or { type: trim, messageId, part, text }";

function areIds(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((id) => typeof id === "string");
}

function freedBy(step: Pick<TextStep, "messageId" | "part" | "text">, input: PlanInput): number {
  const message = input.conversation.messages.find(({ id }) => id === step.messageId);
  // `checkPlan` reports this problem.
  if (message?.parts[step.part]?.type !== "tool-result") return 0;
  const [edited] = applied(
    [{ type: "trim", ...step, freesTokens: 0 }],
    { ...input.conversation, messages: [message] },
    input,
  );
  return edited === undefined ? 0 : input.tokensOf(message) - input.tokensOf(edited);
}

/** At most half of the messages that leave, the room under the target, and the settings' own bounds. */
function budgetFor(ids: readonly string[], input: PlanInput): number {
  const leaving = new Set(ids);
  const { minTokens, maxTokens } = input.settings.summary.budget;
  const zone = input.conversation.messages.filter(({ id }) => leaving.has(id));
  const zoneTokens = sumTokens(zone, input.tokensOf);
  const room = (input.targetTokens ?? input.settings.windowTokens) - (totalTokens(input) - zoneTokens);
  return Math.max(minTokens, Math.min(maxTokens, room, Math.floor(zoneTokens * ZONE_SHARE_MAX)));
}

function applied(
  steps: readonly Step[],
  conversation: PlanInput["conversation"],
  { settings }: PlanInput,
): readonly Message[] {
  return applyPlan({ conversation, plan: { steps }, summary: undefined, render: settings.render }).messages;
}

/** The plan of these steps with our own counts: a summary counts with its whole budget. */
function measured(steps: readonly Step[], input: PlanInput): Plan {
  const { conversation, baseTokens, tokensOf } = input;
  const known = new Map(conversation.messages.map((message) => [message.id, message]));
  const texts = steps.filter((step) => isTextStep(step) && isResult(known.get(step.messageId), step.part));
  const removed = removedBy({ steps });
  const kept = applied(texts, conversation, input).filter(({ id }) => !removed.has(id));
  const summaryTokens = steps.reduce((sum, step) => sum + (step.type === "summarize" ? step.budgetTokens : 0), 0);
  return planOf(input, steps, { tokensAfter: baseTokens + sumTokens(kept, tokensOf) + summaryTokens });
}

function isResult(message: Message | undefined, part: number): boolean {
  return message?.parts[part]?.type === "tool-result";
}
