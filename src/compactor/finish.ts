/** The end of a pass: counts the result, undoes an edit that frees nothing, and reports. Pure. */

import type { Conversation } from "../core/message.ts";
import { isCompaction, removedBy } from "../core/plan/apply-plan.ts";
import type { Plan } from "../core/plan/plan.ts";
import { obstaclesLeft, sumTokens, tokensAmong } from "../core/plan/plan-input.ts";
import type { Violation } from "../core/ports.ts";
import type { Settings } from "../core/settings/settings.ts";
import type { TokenCounter } from "../core/tokens/tokens.ts";
import { type AppliedPass, firstKept, outgoingView, strategyOf, undoneNote } from "./apply.ts";
import { type DecideInput, type Decision, planInput, tokensIn } from "./decide.ts";
import type { Reading } from "./decode.ts";
import { type Engine, nativeMissing } from "./engine.ts";
import { overflowReport } from "./overflow.ts";
import { type Passes, type PassTokens, passesAfter, passesAfterFailure, withRefusals } from "./passes.ts";
import { type Report, reportOf, violationNote } from "./report.ts";
import { isFailed } from "./summarize.ts";

/** The result of a pass; holds the same message objects where nothing was done to them. */
export interface PassResult {
  readonly view: Conversation;
  /** The view with what its request needs beside the messages. */
  readonly sent: Conversation;
  /** In wire form. */
  readonly encoded: unknown;
  readonly plan: Plan;
  readonly report: Report;
  readonly estimatedTokens: number;
  /** Violations that could not be repaired: the provider may refuse them. */
  readonly violations: readonly Violation[];
  /** Pass these to the next pass over this view. */
  readonly passes: Passes;
  /** The settings of this pass, with the call's own. */
  readonly settings: Settings;
  /** What was done, by name: the settings' strategy, or its replacement; `prune` where it is no compaction. */
  readonly strategy: string;
  /** False where results were only pruned, or messages dropped by a limit. */
  readonly isCompaction: boolean;
}

export interface FinishInput {
  readonly reading: Reading;
  readonly decision: Decision;
  readonly counter: TokenCounter;
  readonly carried: AppliedPass;
}

export function finish(engine: Engine, given: FinishInput): PassResult {
  const { reading, decision, carried } = given;
  const { input, model, recalled, source, repairs } = reading;
  const after = carried.conversation;
  const tokensBefore = tokensIn(input);
  const outcome = { ...input, view: after, systemTokens: input.systemTokens + addedSystem(given) };
  const tokensAfter = tokensIn(outcome);
  // An edit that frees nothing is undone: the view before it is as good, and cached.
  const isWorse = after !== input.view && tokensAfter >= tokensBefore;
  const outgoing = outgoingView(engine.format, { source, input, model, decision }, isWorse ? input.view : after);
  const { view, sent, encoded, violations, undone } = outgoing;
  const because = isWorse ? "frees-nothing" : undone === undefined ? undefined : "would-be-refused";
  const plan = withObstacles(
    because === undefined
      ? { ...decision.plan, ...planOutcome(carried, decision) }
      : { ...decision.plan, steps: [], because },
    because === undefined ? outcome : input,
    view !== input.view,
  );
  const told = reportOf({
    plan,
    made: carried.made,
    tokens: { before: tokensBefore, after: because === undefined ? tokensAfter : tokensBefore },
    messages: { before: input.view.messages.length, after: view.messages.length },
    zoneTokens: tokensAmong(removedBy(carried.plan), decision.input),
    summaryTokens: summaryTokens(given),
    firstKept: firstKept(input.view, view),
    windowTokens: input.settings.windowTokens,
    model,
    native: carried.native,
    readable: carried.readable,
    details: carried.details,
    refused: decision.refused === undefined ? undefined : { strategy: decision.strategy, because: decision.refused },
    nativeMissing: nativeMissing(engine, input.settings),
    notes: [
      ...carried.notes,
      ...outgoing.notes,
      ...(undone === undefined ? [] : [undoneNote(undone)]),
      ...violations.map(violationNote),
    ],
    repairs,
    prices: engine.prices,
  });
  const { compacted, tokensAfter: left } = told;
  const recovery = { input, model, made: carried.made, compacted, because: plan.because, tokensAfter: left };
  const overflow = overflowReport(engine, recovery);
  const passes = passesOf(given, { tokensBefore, tokensAfter, isChanged: view !== input.view });
  return {
    view,
    sent,
    encoded,
    plan,
    report: overflow === undefined ? told : { ...told, overflow },
    estimatedTokens: estimatedTokens(reading, sent),
    violations,
    passes: withRefusals(passes, input.attempt ?? recalled.passes.refusals),
    settings: input.settings,
    strategy: strategyOf(decision, carried),
    isCompaction: isCompaction(carried.plan),
  };
}

/** The obstacles that a plan names are expected ones. Where an edited view misses the target, they are read from the view itself. */
function withObstacles(plan: Plan, outcome: DecideInput, isEdited: boolean): Plan {
  const fits = tokensIn(outcome) <= (plan.targetTokens ?? outcome.settings.windowTokens);
  if (fits || (!isEdited && plan.inTheWay.length > 0)) return plan;
  return { ...plan, inTheWay: obstaclesLeft(planInput(outcome), plan.inTheWay) };
}

function estimatedTokens(
  { counting: { counter, sizeOf } }: Reading,
  { system, tools, messages }: Conversation,
): number {
  let size = 0;
  for (const message of messages) size += sizeOf(message);
  return counter.countParts(system) + counter.countTools(tools) + counter.tokens(size);
}

/** The steps of the decision as the failure ladder left or changed them. */
function planOutcome({ plan }: AppliedPass, decision: Decision): Partial<Plan> {
  if (plan === decision.rest) return {};
  const removed = removedBy(plan);
  // A message that was to leave and stays after all is still shortened.
  const steps = [...decision.texts.filter(({ messageId }) => !removed.has(messageId)), ...plan.steps];
  return { steps, ...(steps.length === 0 && plan.because !== undefined && { because: plan.because }) };
}

function summaryTokens({ counter, reading, carried: { made, native } }: FinishInput): number {
  if (native?.type === "replaced") return sumTokens(native.messages, reading.input.tokensOf);
  return made?.type === "summary" ? counter.countText(made.result.text) : 0;
}

function addedSystem({ reading, counter, carried }: FinishInput): number {
  const [before, after] = [reading.input.view.system, carried.conversation.system];
  return before === after ? 0 : counter.countParts(after) - counter.countParts(before);
}

/** The passes after this one. An undone pass counts too: it would ask for a summary and free nothing again with the next request. */
function passesOf(given: FinishInput, tokens: PassTokens & { readonly isChanged: boolean }): Passes {
  const { reading, decision, carried } = given;
  const { recalled, input } = reading;
  const { made, native } = carried;
  if (isFailed(made))
    return passesAfterFailure(tokens.isChanged ? tokens.tokensAfter : tokens.tokensBefore, input.settings);
  // Pruning says nothing about what a compaction would free.
  if (decision.input.reason === "prune") return recalled.passes;
  if (tokens.isChanged) return passesAfter(recalled.passes, tokens, input.settings);
  const wasAsked = made !== undefined || native !== undefined;
  return wasAsked
    ? passesAfter(recalled.passes, { ...tokens, tokensAfter: tokens.tokensBefore }, input.settings)
    : recalled.passes;
}
