/** Checks a plan and applies it. A plan that would break a promise is refused, in production too. Untouched messages stay the same objects. */

import { formatRules } from "../format-rules.ts";
import { isNativeItem } from "../items.ts";
import type { Conversation, Message } from "../message.ts";
import type { RenderSettings } from "../settings/settings.ts";
import { structureOf } from "../structure/structure.ts";
import { thinksManually } from "../thinking.ts";
import { unansweredRound } from "./partition.ts";
import type { Plan, TextStep } from "./plan.ts";
import type { PlanInput } from "./plan-input.ts";
import { withResultText } from "./prune.ts";
import { renderSummary, summaryPlace } from "./render.ts";

export interface ApplyInput {
  readonly conversation: Conversation;
  readonly plan: Pick<Plan, "steps">;
  /** The text for a `summarize` step; undefined when there is none. */
  readonly summary: string | undefined;
  /** The messages that the provider returned for a `native` step. */
  readonly native?: readonly Message[] | undefined;
  readonly render: RenderSettings;
  /** Tools whose results are the user's words. Default: none. */
  readonly userTools?: readonly string[];
}

export function applyPlan(input: ApplyInput): Conversation {
  const { conversation, plan, summary, native, render, userTools = [] } = input;
  const edited = applyTexts(conversation.messages, plan.steps.filter(isTextStep));
  const removed = removedBy(plan);
  if (native !== undefined) {
    const opensList = formatRules(conversation.format).native?.opensList ?? false;
    return { ...conversation, messages: withNative(edited, native, { removed, opensList }) };
  }
  const step = plan.steps.find((candidate) => candidate.type === "summarize");
  if (step === undefined || summary === undefined) {
    const messages = removed.size === 0 ? edited : edited.filter(({ id }) => !removed.has(id));
    return messages === conversation.messages ? conversation : { ...conversation, messages };
  }
  // The summary goes after the provider's own item: the provider may read nothing before that.
  const leadEnd = endOfNative(edited, removed);
  const options = { userTools, thinksManually: thinksManually(conversation) };
  const at = Math.max(leadEnd, summaryPlace(edited, keptIndices(edited, removed), options));
  const kept = (from: number, to?: number): readonly Message[] =>
    edited.slice(from, to).filter(({ id }) => !removed.has(id));
  const rendered = renderSummary({
    conversation,
    lead: kept(0, leadEnd),
    head: kept(leadEnd, at),
    tail: kept(at),
    summary,
    settings: render,
    rules: formatRules(conversation.format),
  });
  return { ...conversation, system: rendered.system, messages: rendered.messages };
}

function keptIndices(messages: readonly Message[], removed: ReadonlySet<string>): readonly number[] {
  return messages.flatMap(({ id }, index) => (removed.has(id) ? [] : [index]));
}

/** The end of the round of the newest kept item; 0 without one, or where nothing can be inserted after it. */
function endOfNative(messages: readonly Message[], removed: ReadonlySet<string>): number {
  const newest = messages.findLastIndex((message) => isNativeItem(message) && !removed.has(message.id));
  return newest < 0 ? 0 : (structureOf(messages).cutAtOrAfter(newest + 1, "pair-safe") ?? 0);
}

/** Inserts the provider's messages in place of the first message that they replace, or at the start where only that is valid. */
function withNative(
  messages: readonly Message[],
  native: readonly Message[],
  { removed, opensList }: { readonly removed: ReadonlySet<string>; readonly opensList: boolean },
): readonly Message[] {
  const first = messages.findIndex(({ id }) => removed.has(id));
  const at = opensList || first < 0 ? 0 : first;
  const kept = (list: readonly Message[]): readonly Message[] => list.filter(({ id }) => !removed.has(id));
  return [...kept(messages.slice(0, at)), ...native, ...kept(messages.slice(at))];
}

export function isTextStep(step: Plan["steps"][number]): step is TextStep {
  return step.type === "cap" || step.type === "trim" || step.type === "stub" || step.type === "clear";
}

export function removedIds(step: Plan["steps"][number]): readonly string[] {
  if (step.type === "summarize" || step.type === "native") return [...step.messageIds, ...step.replacesIds];
  return step.type === "drop" ? step.messageIds : [];
}

/** Whether the strategy acts, after a trigger or a demand; pruning and limits alone are no compaction. */
export function isCompaction({ reason, steps }: Plan): boolean {
  return reason !== "prune" && steps.length > 0;
}

/** All ids that a plan removes. Cached, because check, application and report need them. */
export function removedBy(plan: Pick<Plan, "steps">): ReadonlySet<string> {
  const known = REMOVED.get(plan.steps);
  if (known !== undefined) return known;
  const removed = new Set<string>();
  for (const step of plan.steps) for (const id of removedIds(step)) removed.add(id);
  REMOVED.set(plan.steps, removed);
  return removed;
}

/** Steps are immutable, and copies of a plan share them. */
const REMOVED = new WeakMap<Plan["steps"], ReadonlySet<string>>();

/** The ids that leave the view, without those of an earlier summary that is replaced. */
export function leavingIds(plan: Pick<Plan, "steps">): ReadonlySet<string> {
  const replaced = plan.steps.flatMap((step) => ("replacesIds" in step ? step.replacesIds : []));
  if (replaced.length === 0) return removedBy(plan);
  const leaving = new Set(removedBy(plan));
  for (const id of replaced) leaving.delete(id);
  return leaving;
}

function applyTexts(messages: readonly Message[], steps: readonly TextStep[]): readonly Message[] {
  if (steps.length === 0) return messages;
  const stepsOf = Map.groupBy(steps, ({ messageId }) => messageId);
  return messages.map((message) =>
    (stepsOf.get(message.id) ?? []).reduce((edited, { part, text }) => withResultText(edited, part, text), message),
  );
}

/** The problems of a plan, one sentence each; empty when it may be applied. */
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

/** Every removed id names a message. Ids are unique, so equal numbers prove it. */
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
  // An earlier summary of ours may be a system message, and a plan may replace it.
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
 * A call leaves with all of its results, and a result with its call; a round that the model has not answered stays.
 * Only an explicit target without room for unread results lets them be summarized.
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
