/** Prune tool results to the target first, without a model; summarise only if that was not enough. */

import type { Plan, TextStep } from "../core/plan/plan.ts";
import { type PlanInput, partitionFor, type Strategy, totalTokens } from "../core/plan/plan-input.ts";
import { prunableTokens, pruneSteps } from "../core/plan/prune.ts";
import { pruningPays } from "../core/plan/pruning-pays.ts";
import { summarize } from "./summarize.ts";

export const hybrid: Strategy = { name: "hybrid", plan: planHybrid };

function planHybrid(input: PlanInput): Plan {
  const steps = prunesToTarget(input);
  if (steps === undefined) return summarize.plan(input);
  // Whoever asks wants as little as possible to go; what comes by itself comes again and again, and has to pay.
  const mustPay = input.settings.prune.mustPay && input.reason !== "manual" && input.reason !== "overflow";
  const compaction = mustPay ? summarize.plan(input) : undefined;
  if (compaction !== undefined && !pruningPays(input, steps, compaction)) return compaction;
  const tokensBefore = totalTokens(input);
  const tokensAfter = tokensBefore - steps.reduce((sum, step) => sum + step.freesTokens, 0);
  const { reason, targetTokens } = input;
  return { reason, steps, tokensBefore, tokensAfter, targetTokens, fits: true, inTheWay: [] };
}

/** The gentle tiers, then stubs for whatever is old enough; undefined when even that stays above the target. */
function prunesToTarget(input: PlanInput): readonly TextStep[] | undefined {
  const { settings, conversation, structure, tokensOf, targetTokens } = input;
  if (!settings.prune.enabled || settings.protect.toolOutputs || targetTokens === undefined) return undefined;
  const { protect } = settings;
  const { protectedBy } = partitionFor(input, { tokens: protect.tailTokens, messages: protect.tailMessages });
  const freeTokens = totalTokens(input) - targetTokens;
  const pruneInput = {
    messages: conversation.messages,
    pairing: structure.pairing,
    settings,
    tokensOf,
    mayPrune: (index: number) => !protectedBy.has(index),
    namesRecall: input.namesRecall,
  };
  if (prunableTokens(pruneInput) < freeTokens) return undefined;
  for (const harder of [false, true]) {
    const steps = pruneSteps(pruneInput, { freeTokens, harder });
    if (steps.reduce((sum, step) => sum + step.freesTokens, 0) >= freeTokens && steps.length > 0) return steps;
  }
  return undefined;
}
