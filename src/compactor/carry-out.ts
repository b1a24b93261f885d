/**
 * A decision carried out: summary, apply, reasoning, repair, validation. Either everything holds and the result is new, or the
 * conversation comes back as it was, with the reason.
 */

import { parseCheckpoint } from "../core/checkpoint/checkpoint-text.ts";
import { CompactionError } from "../core/errors.ts";
import { formatRules } from "../core/format-rules.ts";
import type { CompactionDetails } from "../core/hooks/hooks.ts";
import type { Conversation, Message } from "../core/message.ts";
import { applyPlan, checkPlan, isCompaction, removedBy } from "../core/plan/apply-plan.ts";
import { withBackstop } from "../core/plan/backstop.ts";
import { isNativeItem } from "../core/plan/native-items.ts";
import { wantedCut } from "../core/plan/partition.ts";
import type { Plan } from "../core/plan/plan.ts";
import { type PlanInput, partitionFor, sumTokens } from "../core/plan/plan-input.ts";
import { holdsPrompt } from "../core/plan/render.ts";
import { summarize } from "../strategies/summarize.ts";
import { truncate } from "../strategies/truncate.ts";
import { type CarryOutNativeInput, carryOutNative } from "./carry-out-native.ts";
import type { Decision } from "./decide.ts";
import { planWithLongerTail, summaryStepOf } from "./longer-tail.ts";
import { type MadeSummary, type MakeSummaryInput, makeSummary } from "./make-summary.ts";
import type { NativeOutcome, RefusedNative } from "./native.ts";
import { PROVIDED_NAME } from "./provided.ts";
import { settle } from "./settle.ts";

export interface CarryOutInput
  extends Pick<
      MakeSummaryInput,
      "counter" | "summarizer" | "embedded" | "detailsOf" | "shorten" | "context" | "instructions" | "live"
    >,
    Pick<CarryOutNativeInput, "decision" | "seen" | "native" | "format" | "model"> {
  /** Told of a refusal before the summary that stands in is asked for, which may take long or be given up. */
  onNativeRefused?(refused: RefusedNative): void;
}

export interface CarriedOut {
  readonly conversation: Conversation;
  /** What was really done: the decision, or what the failure ladder made of it. */
  readonly plan: Plan;
  readonly made: MadeSummary | undefined;
  /** What came of asking the provider to compact; undefined where it was not asked. */
  readonly native: NativeOutcome | undefined;
  readonly notes: readonly string[];
  /** What a hook adds to the compaction that it provided. */
  readonly details?: CompactionDetails | undefined;
}

export async function carryOut(given: CarryOutInput): Promise<CarriedOut> {
  const { input, rest } = given.decision;
  refuseBroken(rest, input);
  const native = await carryOutNative(given);
  if (native?.outcome.type === "replaced" && native.settled !== undefined) {
    const { outcome, settled } = native;
    return { ...settled, plan: rest, made: undefined, native: outcome, notes: [...settled.notes, ...outcome.notes] };
  }
  if (native?.outcome.type === "refused") given.onNativeRefused?.(native.outcome);
  // What the provider cannot do itself is summarised.
  const carried = await carryOutSummary(
    given,
    native === undefined ? rest : withBackstop(summarize.plan(input), input),
  );
  return { ...carried, native: native?.outcome };
}

function refuseBroken(plan: Plan, input: PlanInput): void {
  const problems = checkPlan(plan, input);
  if (problems.length > 0) throw new CompactionError("invalid-plan", `The plan was refused: ${problems.join(" ")}`);
}

async function carryOutSummary(given: CarryOutInput, rest: Plan): Promise<Omit<CarriedOut, "native">> {
  const { input } = given.decision;
  if (rest !== given.decision.rest) refuseBroken(rest, input);
  const { made, planned } = await summarizeBest(given, rest);
  const plan = planAfter(planned, made, input);
  const summary = made?.type === "summary" ? made.result.text : undefined;
  const { conversation, settings } = input;
  const { render, userTools } = settings;
  const applied = applyPlan({ conversation, plan, summary, render, userTools });
  const settled = settle(given.seen, applied, { settings, model: given.model });
  const notes = [
    ...replacedNative(plan, input),
    ...inListInstead(summary, input),
    ...shorterTail(plan, given.decision),
    ...settled.notes,
  ];
  return { ...settled, plan, made, notes };
}

/**
 * Where the settings promise more of the newest messages than there was room for. Under a target that somebody named, the target comes
 * first; where turns stay whole, the tail begins later by its own rule.
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
  // Pruning spares the tail, or is meant to reach it: what is trimmed there otherwise was trimmed for want of room.
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

/** Where the settings want the summary in the system prompt, and there is none to put it in. */
function inListInstead(summary: string | undefined, { conversation, settings }: PlanInput): readonly string[] {
  const isPrompt =
    settings.render.renderer === "system" && formatRules(conversation.format).systemPrompt === "separate";
  return summary !== undefined && isPrompt && !holdsPrompt(conversation)
    ? ["A bare list has no system prompt, so the summary stands in a message of the list."]
    : [];
}

interface Summarized {
  readonly made: MadeSummary | undefined;
  readonly planned: Plan;
}

/** Where the embedded summarizer had less to say than there was room for, its summary stands before a longer tail. */
async function summarizeBest(given: CarryOutInput, rest: Plan): Promise<Summarized> {
  const { input, originals } = given.decision;
  const step = summaryStepOf(rest);
  if (step === undefined) return { made: undefined, planned: rest };
  const made = await makeSummary({ ...given, input, step, originals, previousCheckpoint: previousOf(input) });
  // What the host's own strategy keeps is its own business.
  if (
    given.decision.isOwn ||
    made.type !== "summary" ||
    made.by.name !== given.embedded.name ||
    made.fallbacks.length > 0
  )
    return { made, planned: rest };
  const longer = planWithLongerTail(rest, input, given.counter.countText(made.result.text));
  if (longer === undefined) return { made, planned: rest };
  refuseBroken(longer, input);
  return { made, planned: longer };
}

/** Items of the provider's that had to go are spoken of. */
function replacedNative(plan: Plan, { conversation }: PlanInput): readonly string[] {
  const removed = removedBy(plan);
  const newest = conversation.messages.findLast(isNativeItem);
  return newest !== undefined && removed.has(newest.id)
    ? ["What the provider had compacted itself had to go too; only what can be read of it could be summarised."]
    : [];
}

function previousOf({ found }: PlanInput): MakeSummaryInput["previousCheckpoint"] {
  return found === undefined ? undefined : parseCheckpoint(found.text);
}

/** The ladder may turn a summary into a truncation, or into nothing. */
function planAfter(plan: Plan, made: MadeSummary | undefined, input: PlanInput): Plan {
  if (made === undefined || made.type === "summary") return plan;
  if (made.type === "truncate") return withBackstop(truncate.plan(input), input);
  const { tokensBefore } = plan;
  const steps = plan.steps.filter(({ type }) => type !== "summarize");
  return withBackstop({ ...plan, steps, tokensAfter: tokensBefore, because: "frees-nothing" }, input);
}

/**
 * What was done, by name: the strategy that decided, unless a hook did it, the ladder came to a truncation, or a summary stands in for the
 * provider's own.
 */
export function strategyOf({ strategy }: Decision, carried: Pick<CarriedOut, "made" | "native" | "plan">): string {
  if (!isCompaction(carried.plan)) return "prune";
  const { made, native } = carried;
  if (made?.type === "summary" && made.by.name === PROVIDED_NAME) return PROVIDED_NAME;
  if (made?.type === "truncate") return "truncate";
  return strategy === "native" && native?.type !== "replaced" ? "summarize" : strategy;
}

/** Tokens of what the plan replaced, for the zone ratio. */
export function zoneTokens({ input }: Decision, plan: Plan): number {
  const removed = removedBy(plan);
  return input.conversation.messages.reduce(
    (sum, message) => sum + (removed.has(message.id) ? input.tokensOf(message) : 0),
    0,
  );
}

/** The first message behind everything that left the view. */
export function firstKept(before: Conversation, after: Conversation): string | undefined {
  const kept = new Set(after.messages.map(({ id }) => id));
  return before.messages[before.messages.findLastIndex(({ id }) => !kept.has(id)) + 1]?.id;
}
