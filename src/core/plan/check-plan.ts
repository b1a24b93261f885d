/** Refuses a plan that would break a promise, before anything happens. Runs in production too. */

import { isTextStep, removedBy } from "./apply-plan.ts";
import type { Plan } from "./plan.ts";
import type { PlanInput } from "./plan-input.ts";
import { unansweredRound } from "./unanswered-round.ts";

/** What is wrong with the plan, one sentence each; empty when it may be carried out. */
export function checkPlan(plan: Plan, input: PlanInput): readonly string[] {
  const { messages } = input.conversation;
  const known = new Set<string>();
  for (const { id } of messages) known.add(id);
  const removed = removedBy(plan);
  return [
    ...[...removed]
      .filter((id) => !known.has(id))
      .map((id) => `The plan removes ${id}, which is not in the conversation.`),
    ...checkTexts(plan, input, removed),
    ...checkKept(input, removed),
    ...checkPairs(input, removed),
    ...(plan.tokensAfter > plan.tokensBefore ? ["The plan would make the conversation larger."] : []),
    ...(plan.steps.filter(({ type }) => type === "summarize").length > 1
      ? ["The plan makes more than one summary."]
      : []),
  ];
}

function checkTexts(plan: Plan, { conversation }: PlanInput, removed: ReadonlySet<string>): readonly string[] {
  const steps = plan.steps.filter(isTextStep);
  if (steps.length === 0) return [];
  const byId = new Map(conversation.messages.map((message) => [message.id, message]));
  return steps.flatMap(({ messageId, part, type }) => {
    const message = byId.get(messageId);
    if (message?.parts[part]?.type !== "tool-result")
      return [`A ${type} step names part ${part} of ${messageId}, which is no tool result.`];
    if (message.pinned) return [`A ${type} step changes the pinned message ${messageId}.`];
    return removed.has(messageId) ? [`A ${type} step changes ${messageId}, which another step removes.`] : [];
  });
}

function checkKept({ conversation, settings, found }: PlanInput, removed: ReadonlySet<string>): readonly string[] {
  // An earlier summary of ours may be a system message; replacing it is the point.
  const ours = new Set(found?.messageIds ?? []);
  return conversation.messages.flatMap((message) => {
    if (!removed.has(message.id)) return [];
    if (message.pinned) return [`The plan removes the pinned message ${message.id}.`];
    return !ours.has(message.id) && message.role === "system" && settings.protect.system
      ? [`The plan removes the system message ${message.id}.`]
      : [];
  });
}

/**
 * A call goes with all of its results, and a result with its call; a round that the model has not answered stays. Only who names
 * a target that has no room for results that were not read yet has them summarised.
 */
function checkPairs(
  { conversation, structure, isTargetExplicit }: PlanInput,
  removed: ReadonlySet<string>,
): readonly string[] {
  const isGone = conversation.messages.map(({ id }) => removed.has(id));
  const isRemoved = (index: number): boolean => isGone[index] === true;
  const unanswered = isTargetExplicit ? structure.openRound() : unansweredRound(conversation.messages, structure);
  const split = structure.pairing.calls.filter((call) =>
    call.results.some(({ at }) => isRemoved(at.message) !== isRemoved(call.at.message)),
  );
  return [
    ...split.map(({ part }) => `The plan separates the call of ${part.name} from its result.`),
    ...(unanswered !== undefined && isRemoved(unanswered.start)
      ? ["The plan removes a call whose result is still to come, or was not read yet."]
      : []),
  ];
}
