/**
 * What a summary leaves unused of a target that somebody named goes to the newest messages. Decides alone; asks nobody, and
 * offers nothing where the tail would not grow.
 */

import { withBackstop } from "../core/plan/backstop.ts";
import type { Plan, SummarizeStep } from "../core/plan/plan.ts";
import type { PlanInput } from "../core/plan/plan-input.ts";
import { summarize } from "../strategies/summarize.ts";

/** Of the target: less than this is left as it is. */
const UNUSED_SHARE_MIN = 0.1;

/** A plan that keeps more of the newest messages beside a summary of about this size; undefined where there is none. */
export function planWithLongerTail(plan: Plan, input: PlanInput, saidTokens: number): Plan | undefined {
  const before = summaryStepOf(plan);
  const { isTargetExplicit, targetTokens } = input;
  if (before === undefined || !isTargetExplicit || targetTokens === undefined || !plan.fits) return undefined;
  if (before.budgetTokens - saidTokens < targetTokens * UNUSED_SHARE_MIN) return undefined;
  const longer = withBackstop(summarize.plan({ ...input, saidTokens }), input);
  const after = summaryStepOf(longer);
  if (after === undefined || !longer.fits || after.budgetTokens < saidTokens) return undefined;
  return after.messageIds.length < before.messageIds.length ? longer : undefined;
}

export function summaryStepOf({ steps }: Plan): SummarizeStep | undefined {
  return steps.find((step) => step.type === "summarize");
}
