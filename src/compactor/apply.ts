/**
 * Applies a decision to the view: the summary or the provider's own item replaces the messages that leave, thinking that was signed
 * over something else is removed, and the repair runs once more. Chooses among the plans of the decision and makes none. Pure.
 */

import type { SummaryResult } from "../core/checkpoint/summary.ts";
import { CompactionError } from "../core/errors.ts";
import { formatRules } from "../core/format-rules.ts";
import type { CompactionDetails } from "../core/hooks/hooks.ts";
import { isNativeItem } from "../core/items.ts";
import type { Conversation, Message } from "../core/message.ts";
import { applyPlan, checkPlan, isCompaction, removedBy } from "../core/plan/apply-plan.ts";
import { wantedCut } from "../core/plan/partition.ts";
import type { Plan } from "../core/plan/plan.ts";
import { type PlanInput, partitionFor, sumTokens } from "../core/plan/plan-input.ts";
import { holdsPrompt } from "../core/plan/render.ts";
import type { TokenCounter } from "../core/tokens/tokens.ts";
import type { Decision } from "./decide.ts";
import type { NativeAttempt, NativeOutcome } from "./native.ts";
import { settle } from "./settle.ts";
import { PROVIDED_NAME, type SummaryOutcome } from "./summarize.ts";

export interface ApplyInput {
  readonly decision: Decision;
  /** The view as the provider saw it last, before this pass shortened anything. */
  readonly seen: Conversation;
  readonly model: string | undefined;
  readonly counter: TokenCounter;
  /** The provider's compaction; undefined where the provider was not asked. */
  readonly native: NativeAttempt | undefined;
  /** Undefined where no summary was asked for. */
  readonly made: SummaryOutcome | undefined;
}

export interface AppliedPass {
  readonly conversation: Conversation;
  /** What was really done: the decision's plan, or the plan of the failure ladder. */
  readonly plan: Plan;
  readonly made: SummaryOutcome | undefined;
  /** The result of the provider's compaction; undefined where the provider was not asked. */
  readonly native: NativeOutcome | undefined;
  /** What an unreadable item of the provider's stands for. */
  readonly readable?: SummaryResult | undefined;
  readonly notes: readonly string[];
  /** What a hook adds to the compaction that it provided. */
  readonly details?: CompactionDetails | undefined;
}

export function applyDecision(given: ApplyInput): AppliedPass {
  const { decision, seen, model, native, made } = given;
  const { input } = decision;
  if (native?.settled !== undefined) {
    const { outcome, settled } = native;
    const notes = outcome.type === "replaced" ? outcome.notes : [];
    return { ...settled, plan: decision.rest, made: undefined, native: outcome, notes: [...settled.notes, ...notes] };
  }
  const plan = planToApply(given);
  const summary = made?.type === "summary" ? made.result.text : undefined;
  const { conversation, settings } = input;
  const { render, userTools } = settings;
  const applied = applyPlan({ conversation, plan, summary, render, userTools });
  const settled = settle(seen, applied, { settings, model });
  const notes = [
    ...replacedNative(plan, input),
    ...inListInstead(summary, input),
    ...shorterTail(plan, decision),
    ...settled.notes,
  ];
  return { ...settled, plan, made, native: native?.outcome, notes };
}

/** Throws where the plan would break a promise. Called before a model is asked, and before a fallback is applied. */
export function refuseBroken(plan: Plan, input: PlanInput): void {
  const problems = checkPlan(plan, input);
  if (problems.length > 0) throw new CompactionError("invalid-plan", `The plan was refused: ${problems.join(" ")}`);
}

/** The decision's plan, or the fallback that matches the summary's outcome. */
function planToApply({ decision, made, counter }: ApplyInput): Plan {
  const { fallbacks, input, isOwn } = decision;
  if (made?.type === "truncate") return fallbacks.truncation;
  if (made?.type === "keep") return fallbacks.nothing;
  // A summarizer that says less leaves its room to the tail. The host's own strategy decides its tail alone, and so does who provides a summary.
  const isPlanned = made?.by.name !== PROVIDED_NAME && made?.fallbacks.length === 0 && !isOwn;
  const longer = isPlanned ? fallbacks.longerTail(counter.countText(made.result.text)) : undefined;
  if (longer !== undefined) refuseBroken(longer, input);
  return longer ?? fallbacks.summary;
}

/**
 * Says where less of the newest messages stays than the settings promise. An explicit target comes first, so it needs
 * no note; where turns stay whole, the tail begins later by its own rule.
 */
function shorterTail(plan: Plan, { input, originals, texts }: Decision): readonly string[] {
  const { conversation, settings, tokensOf, found } = input;
  const { tailTokens, tailMessages } = settings.protect;
  const removed = removedBy(plan);
  if (removed.size === 0 || input.isTargetExplicit) return [];
  const size = { messages: conversation.messages, tokensOf, tailTokens, tailMessages };
  const { cut } = partitionFor(input, { tokens: tailTokens, messages: tailMessages });
  const ours = new Set(found?.messageIds ?? []);
  const asked = conversation.messages.slice(Math.max(cut, wantedCut(size))).filter(({ id }) => !ours.has(id));
  const kept = asked.filter(({ id }) => !removed.has(id));
  // Where pruning spares the tail, a message trimmed there was trimmed for lack of room.
  const trimmed = settings.prune.sparesTail ? texts.filter(({ type }) => type === "trim") : [];
  const isTrimmed = new Set(trimmed.map(({ messageId }) => messageId));
  const whole = (message: Message): Message => (isTrimmed.has(message.id) && originals.get(message.id)) || message;
  const askedTokens = sumTokens(asked, (message) => tokensOf(whole(message)));
  const keptTokens = sumTokens(kept, tokensOf);
  if (kept.length === asked.length && keptTokens >= askedTokens) return [];
  const ofMessages = `${number(kept.length)} of ${number(asked.length)} messages`;
  const ofTokens = `${number(keptTokens)} of ${number(askedTokens)} tokens`;
  return [`There was no room for the whole tail that the settings protect: ${ofMessages} and ${ofTokens} of it stay.`];
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}

/** A note where the settings want the summary in the system prompt, and the conversation has none. */
function inListInstead(summary: string | undefined, { conversation, settings }: PlanInput): readonly string[] {
  const isPrompt =
    settings.render.renderer === "system" && formatRules(conversation.format).systemPrompt === "separate";
  return summary !== undefined && isPrompt && !holdsPrompt(conversation)
    ? ["A bare list has no system prompt, so the summary stands in a message of the list."]
    : [];
}

/** A note about the provider's own items that were removed. */
function replacedNative(plan: Plan, { conversation }: PlanInput): readonly string[] {
  const removed = removedBy(plan);
  const newest = conversation.messages.findLast(isNativeItem);
  return newest !== undefined && removed.has(newest.id)
    ? ["What the provider had compacted itself had to go too; only what can be read of it could be summarised."]
    : [];
}

/**
 * The name of what was done: the strategy that decided, unless a hook provided the summary, the ladder ended in a
 * truncation, or a summary replaced the provider's own compaction.
 */
export function strategyOf({ strategy }: Decision, carried: Pick<AppliedPass, "made" | "native" | "plan">): string {
  if (!isCompaction(carried.plan)) return "prune";
  const { made, native } = carried;
  if (made?.type === "summary" && made.by.name === PROVIDED_NAME) return PROVIDED_NAME;
  if (made?.type === "truncate") return "truncate";
  return strategy === "native" && native?.type !== "replaced" ? "summarize" : strategy;
}

/** Tokens of the messages that the plan replaced, for the zone ratio. */
export function zoneTokens({ input }: Decision, plan: Plan): number {
  const removed = removedBy(plan);
  return input.conversation.messages.reduce(
    (sum, message) => sum + (removed.has(message.id) ? input.tokensOf(message) : 0),
    0,
  );
}

/** The first message after all that left the view. */
export function firstKept(before: Conversation, after: Conversation): string | undefined {
  const kept = new Set(after.messages.map(({ id }) => id));
  return before.messages[before.messages.findLastIndex(({ id }) => !kept.has(id)) + 1]?.id;
}
