/**
 * Applies a decision to the view: the summary or the provider's own item replaces the messages that leave, thinking that was signed
 * over something else is removed, and the repair runs once more. Chooses among the plans of the decision and makes none. Pure.
 */

import type { SummaryResult } from "../core/checkpoint/summary.ts";
import { CompactionError } from "../core/errors.ts";
import { formatRules } from "../core/format-rules.ts";
import type { CompactionDetails } from "../core/hooks/hooks.ts";
import { historyHolder, isNativeItem, withoutServerHistory } from "../core/items.ts";
import { type Conversation, charsOf, type Message } from "../core/message.ts";
import { applyPlan, checkPlan, isCompaction, removedBy } from "../core/plan/apply-plan.ts";
import { wantedCut } from "../core/plan/partition.ts";
import type { Plan } from "../core/plan/plan.ts";
import { fullPartition, type PlanInput, sumTokens } from "../core/plan/plan-input.ts";
import { holdsPrompt } from "../core/plan/render.ts";
import type { Format, Violation } from "../core/ports.ts";
import { repair } from "../core/repair/repair.ts";
import type { Settings } from "../core/settings/settings.ts";
import { grouped } from "../core/text.ts";
import { bindsThinking, stripBoundThinking, withDroppableThinking } from "../core/thinking.ts";
import type { TokenCounter } from "../core/tokens/tokens.ts";
import type { Decision } from "./decide.ts";
import type { Reading } from "./decode.ts";
import type { NativeAttempt, NativeOutcome } from "./native.ts";
import { PROVIDED_NAME, type SummaryOutcome } from "./summarize.ts";

export interface ApplyInput {
  readonly decision: Decision;
  /** The view as the provider saw it last, before this pass shortened anything. */
  readonly seen: Conversation;
  readonly model: string | undefined;
  readonly counter: TokenCounter;
  /** The provider's compaction; undefined where the provider was not asked. */
  readonly native: NativeAttempt | undefined;
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
  const longer = isPlanned ? fallbacks.longerTail(tokensBesideTail(made.result.text, input, counter)) : undefined;
  if (longer !== undefined) refuseBroken(longer, input);
  return longer ?? fallbacks.summary;
}

/**
 * Of a summary, at least as many tokens as the conversation has in as many characters: prose counts fewer than the code and JSON that it stands for,
 * and a tail that took the difference would leave the view a larger share of the characters than of the tokens.
 */
function tokensBesideTail(summary: string, input: PlanInput, counter: TokenCounter): number {
  const { messages } = input.conversation;
  const chars = messages.reduce((sum, message) => sum + charsOf(message), 0);
  const tokensPerChar = sumTokens(messages, input.tokensOf) / Math.max(1, chars);
  return Math.max(counter.countText(summary), Math.ceil(summary.length * tokensPerChar));
}

/** Says where less of the newest messages stays than the settings promise. An explicit target comes first, so it needs no note. */
function shorterTail(plan: Plan, { input, originals, texts }: Decision): readonly string[] {
  const { conversation, settings, tokensOf, found } = input;
  const { tailTokens, tailMessages } = settings.protect;
  const removed = removedBy(plan);
  if (removed.size === 0 || input.isTargetExplicit) return [];
  const size = { messages: conversation.messages, tokensOf, tailTokens, tailMessages };
  const { cut } = fullPartition(input);
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
  const ofMessages = `${grouped(kept.length)} of ${grouped(asked.length)} messages`;
  const ofTokens = `${grouped(keptTokens)} of ${grouped(askedTokens)} tokens`;
  return [`There was no room for the whole tail that the settings protect: ${ofMessages} and ${ofTokens} of it stay.`];
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

/** The strategy that decided, or what was done instead: a hook's summary, a truncation, a summary in place of the provider's compaction. */
export function strategyOf({ strategy }: Decision, carried: Pick<AppliedPass, "made" | "native" | "plan">): string {
  if (!isCompaction(carried.plan)) return "prune";
  const { made, native } = carried;
  if (made?.type === "summary" && made.by.name === PROVIDED_NAME) return PROVIDED_NAME;
  if (made?.type === "truncate") return "truncate";
  return strategy === "native" && native?.type !== "replaced" ? "summarize" : strategy;
}

export function firstKept(before: Conversation, after: Conversation): string | undefined {
  const kept = new Set(after.messages.map(({ id }) => id));
  return before.messages[before.messages.findLastIndex(({ id }) => !kept.has(id)) + 1]?.id;
}

export interface SettledView {
  readonly conversation: Conversation;
  readonly notes: readonly string[];
}

export interface SettleOptions {
  readonly settings: Settings;
  readonly model: string | undefined;
  /** True where the provider itself made the edit, and thinking after it stays valid. */
  readonly keepsThinking?: boolean;
}

/** `before` is the view that the provider saw last, not one that this pass already shortened. */
export function settle(before: Conversation, applied: Conversation, options: SettleOptions): SettledView {
  if (before.messages.length === 0) return { conversation: applied, notes: [] };
  const { model, keepsThinking = false } = options;
  const thought = keepsThinking ? { conversation: applied, notes: [] } : settleThinking(before, applied, options);
  const { conversation, repairs } = repair(thought.conversation, model === undefined ? {} : { model });
  const moved = repairs.map(({ rule, change }) => `After the edit: ${change} (${rule}).`);
  // A repair is an edit too, and thinking may stand behind it.
  const again = repairs.length === 0 || keepsThinking ? undefined : settleThinking(before, conversation, options);
  const notes = [...new Set([...thought.notes, ...(again?.notes ?? [])])];
  return { conversation: again?.conversation ?? conversation, notes: [...notes, ...moved] };
}

function settleThinking(before: Conversation, applied: Conversation, { settings, model }: SettleOptions): SettledView {
  if (!bindsThinking(applied, model)) return { conversation: applied, notes: [] };
  const conversation = stripBoundThinking(before, applied);
  if (conversation === applied) return { conversation, notes: [] };
  if (settings.compact.boundThinking === "strip") return { conversation, notes: [STRIPPED] };
  const isMarked = withDroppableThinking(applied) !== undefined;
  return isMarked ? { conversation: applied, notes: [DROPPABLE] } : { conversation, notes: [STRIPPED, UNMARKED] };
}

const STRIPPED = "Took out thinking that was bound to the edited prefix, pinned messages included.";
const DROPPABLE =
  "The request lets the provider drop thinking that was bound to the edited prefix; it needs the header `anthropic-beta: thinking-binding-controls-2026-08-01`.";
const UNMARKED = "The request asks for no thinking, so it has no place for the mark that lets the provider drop some.";

/** The request as it is sent: with `drop-block` every request, from the first on, carries the mark; a later mark is too late. */
export function markedForSending(view: Conversation, { settings, model }: SettleOptions): Conversation {
  if (settings.compact.boundThinking !== "drop-block" || !bindsThinking(view, model)) return view;
  return withDroppableThinking(view) ?? view;
}

interface OutgoingInput extends Pick<Reading, "source" | "input" | "model"> {
  readonly decision: Decision;
}

interface OutgoingView {
  readonly view: Conversation;
  /** The view with what its request needs beside the messages. */
  readonly sent: Conversation;
  readonly encoded: unknown;
  readonly notes: readonly string[];
  readonly violations: readonly Violation[];
  readonly undone?: Violation;
}

/** Every pass ends here: undoes an edit that brings a violation which the view before it did not have. */
export function outgoingView(format: Format, sending: OutgoingInput, after: Conversation): OutgoingView {
  const { view } = sending.input;
  const edited = checked(format, sending, after);
  if (after === view || edited.violations.length === 0) return edited;
  const before = checked(format, sending, view);
  const known = new Set(before.violations.map(({ rule }) => rule));
  const undone = edited.violations.find(({ rule }) => !known.has(rule));
  return undone === undefined ? edited : { ...before, undone };
}

function checked(format: Format, sending: OutgoingInput, view: Conversation): OutgoingView {
  const { conversation: sent, notes } = forSending(sending, view);
  const encoded = format.encode(sent);
  const { model } = sending;
  const violations = format.validate(encoded, { sending: true, ...(model !== undefined && { model }) });
  return { view, sent, encoded, notes, violations };
}

export function undoneNote({ rule, path }: Violation): string {
  return `The compaction was undone, because the provider would refuse what came of it: ${rule} at ${path}.`;
}

/** A provider would read its stored history and then the list: an edited list must stand alone. */
function forSending(sending: OutgoingInput, view: Conversation): SettledView {
  const { source, input, model, decision } = sending;
  if (decision.plan.because === "server-history") return { conversation: view, notes: [SERVER_HOLDS] };
  const marked = markedForSending(view, { settings: input.settings, model });
  const isEdited = view !== source || decision.input.found !== undefined;
  if (!isEdited || historyHolder(source) === "list") return { conversation: marked, notes: [] };
  return { conversation: withoutServerHistory(marked), notes: [STANDS_ALONE] };
}

const SERVER_HOLDS =
  "The provider holds the history that this request refers to, so nothing taken out of the list would make it smaller: send the whole list without the reference, or start a new one from a summary.";
const STANDS_ALONE =
  "The reference to a history that the provider stored was taken out: the list holds the history, and it was compacted.";
