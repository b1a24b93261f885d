/** Refuses a plan that would break a promise, before anything happens. Runs in production too. */

import { isTextStep, removedBy } from "./apply-plan.ts";
import type { Plan } from "./plan.ts";
import type { PlanInput } from "./plan-input.ts";
import { unansweredRound } from "./unanswered-round.ts";

/** What is wrong with the plan, one sentence each; empty when it may be carried out. */
export function checkPlan(plan: Plan, input: PlanInput): readonly string[] {
  const removed = removedBy(plan);
  const isGone = input.conversation.messages.map(({ id }) => removed.has(id));
  return [
    ...checkKnown(input, removed, isGone),
    ...checkTexts(plan, input, removed),
    ...checkKept(input, isGone),
    ...checkPairs(input, isGone),
    ...(plan.tokensAfter > plan.tokensBefore ? ["The plan would make the conversation larger."] : []),
    ...(plan.steps.filter(({ type }) => type === "summarize").length > 1
      ? ["The plan makes more than one summary."]
      : []),
  ];
}

/** An id stands for one message: as many as there are ids, and all of them are there. */
function checkKnown(
  { conversation }: PlanInput,
  removed: ReadonlySet<string>,
  isGone: readonly boolean[],
): readonly string[] {
  let gone = 0;
  for (const is of isGone) if (is) gone++;
  if (gone === removed.size) return [];
  const known = new Set(conversation.messages.map(({ id }) => id));
  return [...removed]
    .filter((id) => !known.has(id))
    .map((id) => `The plan removes ${id}, which is not in the conversation.`);
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

function checkKept({ conversation, settings, found }: PlanInput, isGone: readonly boolean[]): readonly string[] {
  // An earlier summary of ours may be a system message; replacing it is the point.
  const ours = new Set(found?.messageIds ?? []);
  const problems: string[] = [];
  conversation.messages.forEach(({ id, pinned, role }, index) => {
    if (!isGone[index]) return;
    if (pinned) problems.push(`The plan removes the pinned message ${id}.`);
    else if (role === "system" && settings.protect.system && !ours.has(id))
      problems.push(`The plan removes the system message ${id}.`);
  });
  return problems;
}

/**
 * A call goes with all of its results, and a result with its call; a round that the model has not answered stays. Only who names
 * a target that has no room for results that were not read yet has them summarised.
 */
function checkPairs(
  { conversation, structure, isTargetExplicit }: PlanInput,
  isGone: readonly boolean[],
): readonly string[] {
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
