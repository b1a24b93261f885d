/** The end of a pass: count what came of it, refuse what did not help, remember the edit, report. */

import type { Conversation } from "../core/message.ts";
import { isCompaction, removedBy } from "../core/plan/apply-plan.ts";
import type { Plan } from "../core/plan/plan.ts";
import { obstaclesLeft, sumTokens } from "../core/plan/plan-input.ts";
import type { Violation } from "../core/ports.ts";
import { historyHolder, withoutServerHistory } from "../core/server-history.ts";
import type { Settings } from "../core/settings/settings.ts";
import { type CarriedOut, firstKept, strategyOf, zoneTokens } from "./carry-out.ts";
import { type DecideInput, type Decision, planInput, tokensIn } from "./decide.ts";
import { type Decided, type Engine, nativeMissing } from "./engine.ts";
import { isFailed } from "./make-summary.ts";
import { overflowReport } from "./overflow.ts";
import { type Passes, type PassTokens, passesAfter, passesAfterFailure, withRefusals } from "./passes.ts";
import { type Report, reportOf } from "./report.ts";
import { markedForSending, type Settled } from "./settle.ts";

export interface Compacted<Request> {
  readonly request: Request;
  /** What was done: the decision, or what the failure ladder made of it. */
  readonly plan: Plan;
  readonly report: Report;
}

export function finish<Request>(
  engine: Engine,
  request: Request,
  decided: Decided,
  carried: CarriedOut,
): Compacted<Request> {
  const { view, sent, encoded, plan, report, passes } = settleView(engine, decided, carried);
  const { source, recalled } = decided;
  if (view !== source || passes !== recalled.passes) engine.memory.remember(source, view, passes);
  const isSame = sent === source && decided.repairs.length === 0;
  // Encoding gives back the kind of body that was decoded.
  return { request: (isSame ? request : encoded) as Request, plan, report };
}

export interface SettledView {
  readonly view: Conversation;
  /** The view with what its request needs beside the messages. */
  readonly sent: Conversation;
  /** In wire form. */
  readonly encoded: unknown;
  readonly plan: Plan;
  readonly report: Report;
  readonly passes: Passes;
  /** Those in force for this pass, a call's own over the others. */
  readonly settings: Settings;
  /** What was done, by name: the settings' strategy, or what took its place; `prune` where it is no compaction. */
  readonly strategy: string;
  /** False for what was pruned or left out on the way, which the sources do not call a compaction. */
  readonly isCompaction: boolean;
  /** The event that was stored of it, where somebody stores it. */
  readonly stored?: StoredEvent;
}

export interface StoredEvent {
  readonly eventId: string;
  readonly createdAt: string;
}

export function settleView(engine: Engine, decided: Decided, carried: CarriedOut): SettledView {
  const { given, decision } = decided;
  const after = carried.conversation;
  const tokensBefore = tokensIn(given);
  const outcome = { ...given, view: after, systemTokens: given.systemTokens + addedSystem(decided, after) };
  const tokensAfter = tokensIn(outcome);
  // What was expected to help and did not is not handed out: the view from before is as good, and cached.
  const isWorse = after !== given.view && tokensAfter >= tokensBefore;
  const request = outgoing(engine, decided, isWorse ? given.view : after);
  const { view, sent, encoded, violations, undone } = request;
  const because = isWorse ? "frees-nothing" : undone === undefined ? undefined : "would-be-refused";
  const plan = withObstacles(
    because === undefined
      ? { ...decision.plan, ...planOutcome(carried, decision) }
      : { ...decision.plan, steps: [], because },
    because === undefined ? outcome : given,
    view !== given.view,
  );
  const told = reportOf({
    plan,
    made: carried.made,
    tokens: { before: tokensBefore, after: because === undefined ? tokensAfter : tokensBefore },
    messages: { before: given.view.messages.length, after: view.messages.length },
    zoneTokens: zoneTokens(decision, carried.plan),
    summaryTokens: summaryTokens(decided, carried),
    firstKept: firstKept(given.view, view),
    windowTokens: given.settings.windowTokens,
    model: decided.model,
    native: carried.native,
    details: carried.details,
    refused: decision.refused === undefined ? undefined : { strategy: decision.strategy, because: decision.refused },
    nativeMissing: nativeMissing(engine, given.settings),
    notes: [
      ...carried.notes,
      ...request.notes,
      ...(undone === undefined ? [] : [undoneNote(undone)]),
      ...violations.map(({ rule, path }) => `The provider may refuse this: ${rule} at ${path}.`),
    ],
    repairs: decided.repairs,
    prices: engine.prices,
  });
  const made = outcomeOf(decided, carried, { tokensBefore, tokensAfter, isChanged: view !== given.view });
  const { settings } = given;
  const { compacted, tokensAfter: left } = told;
  const recovery = { given, model: decided.model, made: carried.made, compacted, because: plan.because };
  const overflow = overflowReport(engine, { ...recovery, tokensAfter: left });
  const report = overflow === undefined ? told : { ...told, overflow };
  const passes = withRefusals(made, given.attempt ?? decided.recalled.passes.refusals);
  const named = { strategy: strategyOf(decision, carried), isCompaction: isCompaction(carried.plan) };
  return { view, sent, encoded, plan, report, passes, settings, ...named };
}

/**
 * A plan names what it expects to stay. What is left is counted as a whole, and the summary may have become longer than planned: of an
 * edited view that misses, the obstacles are found in the view itself.
 */
function withObstacles(plan: Plan, outcome: DecideInput, isEdited: boolean): Plan {
  const fits = tokensIn(outcome) <= (plan.targetTokens ?? outcome.settings.windowTokens);
  if (fits || (!isEdited && plan.inTheWay.length > 0)) return plan;
  return { ...plan, inTheWay: obstaclesLeft(planInput(outcome), plan.inTheWay) };
}

interface Outgoing {
  readonly view: Conversation;
  /** The view with what its request needs beside the messages. */
  readonly sent: Conversation;
  readonly encoded: unknown;
  readonly notes: readonly string[];
  /** What nobody could mend. */
  readonly violations: readonly Violation[];
  /** Why the edit is not handed out. */
  readonly undone?: Violation;
}

/** The one way out of a pass: an edit that brings what the provider refuses is undone, because the view from before had it not. */
function outgoing(engine: Engine, decided: Decided, after: Conversation): Outgoing {
  const { view } = decided.given;
  const edited = checked(engine, decided, after);
  if (after === view || edited.violations.length === 0) return edited;
  const before = checked(engine, decided, view);
  const known = new Set(before.violations.map(({ rule }) => rule));
  const undone = edited.violations.find(({ rule }) => !known.has(rule));
  return undone === undefined ? edited : { ...before, undone };
}

function checked({ format }: Engine, decided: Decided, view: Conversation): Outgoing {
  const { conversation: sent, notes } = forSending(decided, view);
  const encoded = format.encode(sent);
  const { model } = decided;
  const violations = format.validate(encoded, { sending: true, ...(model !== undefined && { model }) });
  return { view, sent, encoded, notes, violations };
}

function undoneNote({ rule, path }: Violation): string {
  return `The compaction was undone, because the provider would refuse what came of it: ${rule} at ${path}.`;
}

/** A list of its own and a history that the provider stored would be read one after the other: the list has to stand alone. */
function forSending(decided: Decided, view: Conversation): Settled {
  const { source, given, model, decision } = decided;
  if (decision.plan.because === "server-history") return { conversation: view, notes: [SERVER_HOLDS] };
  const marked = markedForSending(view, { settings: given.settings, model });
  const isEdited = view !== source || decision.input.found !== undefined;
  if (!isEdited || historyHolder(source) === "list") return { conversation: marked, notes: [] };
  return { conversation: withoutServerHistory(marked), notes: [STANDS_ALONE] };
}

const SERVER_HOLDS =
  "The provider holds the history that this request refers to, so nothing taken out of the list would make it smaller: send the whole list without the reference, or start a new one from a summary.";
const STANDS_ALONE =
  "The reference to a history that the provider stored was taken out: the list holds the history, and it was compacted.";

/** Steps of the decision that the failure ladder left or changed. */
function planOutcome({ plan }: CarriedOut, decision: Decision): Partial<Plan> {
  if (plan === decision.rest) return {};
  const removed = removedBy(plan);
  // What was to leave and stays after all was shortened on the way nevertheless.
  const steps = [...decision.texts.filter(({ messageId }) => !removed.has(messageId)), ...plan.steps];
  return { steps, ...(steps.length === 0 && plan.because !== undefined && { because: plan.because }) };
}

function summaryTokens({ counter, given }: Decided, { made, native }: CarriedOut): number {
  if (native?.type === "replaced") return sumTokens(native.messages, given.tokensOf);
  return made?.type === "summary" ? counter.countText(made.result.text) : 0;
}

function addedSystem({ given, counter }: Decided, after: Conversation): number {
  if (after.system === given.view.system) return 0;
  return counter.countParts(after.system) - counter.countParts(given.view.system);
}

/** Undone or not: a pass that asked for a summary and freed nothing would do so again with the next request. */
function outcomeOf(
  decided: Decided,
  carried: CarriedOut,
  tokens: PassTokens & { readonly isChanged: boolean },
): Passes {
  const { recalled, given, decision } = decided;
  const { made, native } = carried;
  if (isFailed(made))
    return passesAfterFailure(tokens.isChanged ? tokens.tokensAfter : tokens.tokensBefore, given.settings);
  // Results that are pruned on the way are no compaction, and say nothing about what one would free.
  if (decision.input.reason === "prune") return recalled.passes;
  if (tokens.isChanged) return passesAfter(recalled.passes, tokens, given.settings);
  const wasAsked = made !== undefined || native !== undefined;
  return wasAsked
    ? passesAfter(recalled.passes, { ...tokens, tokensAfter: tokens.tokensBefore }, given.settings)
    : recalled.passes;
}
