/**
 * A decision carried out: summary, apply, reasoning, repair, validation. Either everything holds and the result is new, or the
 * conversation comes back as it was, with the reason.
 */

import { parseCheckpoint } from "../core/checkpoint/checkpoint-text.ts";
import { CompactionError } from "../core/errors.ts";
import type { Conversation } from "../core/message.ts";
import { applyPlan, removedIds } from "../core/plan/apply-plan.ts";
import { bindsThinking, stripBoundThinking } from "../core/plan/bound-thinking.ts";
import { checkPlan } from "../core/plan/check-plan.ts";
import type { Plan } from "../core/plan/plan.ts";
import type { PlanInput } from "../core/plan/plan-input.ts";
import { repair } from "../core/repair/repair.ts";
import { truncate } from "../strategies/truncate.ts";
import { type Decision, withBackstop } from "./decide.ts";
import { type MadeSummary, type MakeSummaryInput, makeSummary } from "./make-summary.ts";

export interface CarryOutInput
  extends Pick<MakeSummaryInput, "counter" | "summarizer" | "embedded" | "context" | "instructions"> {
  readonly decision: Decision;
  readonly model: string | undefined;
}

export interface CarriedOut {
  readonly conversation: Conversation;
  /** What was really done: the decision, or what the failure ladder made of it. */
  readonly plan: Plan;
  readonly made: MadeSummary | undefined;
  readonly notes: readonly string[];
}

export async function carryOut(given: CarryOutInput): Promise<CarriedOut> {
  const { input, rest } = given.decision;
  const problems = checkPlan(rest, input);
  if (problems.length > 0) throw new CompactionError("invalid-plan", `The plan was refused: ${problems.join(" ")}`);
  const step = rest.steps.find((candidate) => candidate.type === "summarize");
  const made =
    step === undefined
      ? undefined
      : await makeSummary({ ...given, input, step, previousCheckpoint: previousOf(input) });
  const plan = planAfter(rest, made, input);
  const summary = made?.type === "summary" ? made.result.text : undefined;
  const applied = applyPlan({ conversation: input.conversation, plan, summary, render: input.settings.render });
  return { ...settle(applied, given), plan, made };
}

function previousOf({ found }: PlanInput): MakeSummaryInput["previousCheckpoint"] {
  return found === undefined ? undefined : parseCheckpoint(found.text);
}

/** The ladder may turn a summary into a truncation, or into nothing. */
function planAfter(plan: Plan, made: MadeSummary | undefined, input: PlanInput): Plan {
  if (made === undefined || made.type === "summary") return plan;
  if (made.type === "truncate") return truncate.plan(input);
  const { tokensBefore } = plan;
  const steps = plan.steps.filter(({ type }) => type !== "summarize");
  return withBackstop({ ...plan, steps, tokensAfter: tokensBefore, because: "frees-nothing" }, input);
}

/** What an edit does to bound thinking, and a last look by the same repair that every incoming list gets. */
function settle(applied: Conversation, { decision, model }: CarryOutInput): Pick<CarriedOut, "conversation" | "notes"> {
  const { conversation: before, settings } = decision.input;
  const isBound = settings.compact.boundThinking === "strip" && bindsThinking(applied.format, model);
  const stripped = isBound ? stripBoundThinking(before, applied) : applied;
  const { conversation, repairs } = repair(stripped, model === undefined ? {} : { model });
  const notes = repairs.map(({ rule, change }) => `After the edit: ${change} (${rule}).`);
  return {
    conversation,
    notes:
      stripped === applied
        ? notes
        : ["Took out thinking that was bound to the edited prefix, pinned messages included.", ...notes],
  };
}

/** Tokens of what the plan replaced, for the zone ratio (D09). */
export function zoneTokens({ input }: Decision, plan: Plan): number {
  const removed = new Set(plan.steps.flatMap(removedIds));
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
