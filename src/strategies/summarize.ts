/** One summary for the zone. The tail shrinks where the target leaves no room for it; what is protected never goes. */

import { formatRules } from "../core/format-rules.ts";
import type { Message } from "../core/message.ts";
import { isNativeItem } from "../core/plan/native-items.ts";
import type { Partition } from "../core/plan/partition.ts";
import type { Plan, Step, SummarizeStep, TextStep } from "../core/plan/plan.ts";
import {
  nothingToDo,
  obstacles,
  type PlanInput,
  partitionFor,
  type Strategy,
  sumTokens,
  totalTokens,
} from "../core/plan/plan-input.ts";
import { prunableTokens, pruneSteps, pruningPays } from "../core/plan/prune.ts";
import {
  frameTokens,
  partitionWithRoom,
  saidBefore,
  stayingTokens,
  summaryBudget,
  USEFUL_TOKENS,
  ZONE_SHARE_MAX,
} from "./room.ts";

export const summarize: Strategy = { name: "summarize", plan: planSummary };

function planSummary(input: PlanInput): Plan {
  const parts = partitionWithRoom(input);
  return planInstead(input, parts, (budgetTokens) => summarizeStep(input, parts, budgetTokens));
}

/** The plan of a pass that puts something of at most the budget in the place of the zone. */
export function planInstead(input: PlanInput, parts: Partition, stepFor: (budgetTokens: number) => Step): Plan {
  const { zone } = parts;
  if (zone.length === 0) return nothingToDo(input, parts.cut === 0 ? "no-legal-cut" : "nothing-to-compact");
  if (zone.length < input.settings.compact.minZoneMessages) return nothingToDo(input, "zone-too-small");
  const kept = stayingTokens(input, parts);
  const zoneTokens = sumTokens(messagesAt(input, zone), input.tokensOf);
  const budgetTokens = Math.min(
    summaryBudget(input, parts),
    Math.max(USEFUL_TOKENS, saidBefore(input) + Math.floor(zoneTokens * ZONE_SHARE_MAX)),
  );
  const tokensBefore = totalTokens(input);
  const tokensAfter = kept + budgetTokens + frameTokens(input, parts);
  if (tokensAfter >= tokensBefore) return nothingToDo(input, "frees-nothing");
  const fits = tokensAfter <= (input.targetTokens ?? input.settings.windowTokens);
  return {
    reason: input.reason,
    steps: [stepFor(budgetTokens)],
    tokensBefore,
    tokensAfter,
    targetTokens: input.targetTokens,
    fits,
    inTheWay: obstacles(input, parts, tokensAfter - kept),
  };
}

function summarizeStep(input: PlanInput, { zone, turnPrefix }: Partition, budgetTokens: number): SummarizeStep {
  return {
    type: "summarize",
    messageIds: idsAt(input, zone),
    turnPrefixIds: idsAt(input, turnPrefix),
    replacesIds: input.found?.messageIds ?? [],
    budgetTokens,
  };
}

export function idsAt({ conversation }: PlanInput, indices: readonly number[]): readonly string[] {
  return messagesAt({ conversation }, indices).map(({ id }) => id);
}

export function messagesAt(
  { conversation }: Pick<PlanInput, "conversation">,
  indices: readonly number[],
): readonly Message[] {
  const found: Message[] = [];
  for (const index of indices) {
    const message = conversation.messages[index];
    if (message !== undefined) found.push(message);
  }
  return found;
}

export const native: Strategy = { name: "native", plan: planNative };

function planNative(input: PlanInput): Plan {
  const { nativeKind: kind, found, conversation } = input;
  if (kind === undefined) return summarize.plan(input);
  const parts = partitionWithRoom(input, true);
  const newest = parts.zone.at(-1) ?? -1;
  const item = conversation.messages.findLastIndex(isNativeItem);
  // A zone that ends before, or in, what the provider compacted holds nothing that it has not seen.
  if (newest >= 0 && newest <= item) return planWithoutSeen(input, parts, item);
  return planInstead(input, parts, () => ({
    type: "native",
    kind,
    messageIds: idsAt(input, parts.zone),
    replacesIds: found?.messageIds ?? [],
  }));
}

/** The provider reads nothing before its newest item: what may go there goes, without another compaction of it. */
function planWithoutSeen(input: PlanInput, parts: Partition, item: number): Plan {
  const seen = parts.zone.filter((index) => index < item);
  const messages = messagesAt(input, seen);
  if (seen.length === 0 || isReturned(input, messages)) return nothingToDo(input, "nothing-to-compact");
  if (seen.length < input.settings.compact.minZoneMessages) return nothingToDo(input, "zone-too-small");
  const tokensBefore = totalTokens(input);
  const tokensAfter = tokensBefore - sumTokens(messages, input.tokensOf);
  const reason = "the provider has compacted it and reads nothing before its own item";
  return {
    reason: input.reason,
    steps: [{ type: "drop", messageIds: idsAt(input, seen), reason }],
    tokensBefore,
    tokensAfter,
    targetTokens: input.targetTokens,
    fits: tokensAfter <= (input.targetTokens ?? input.settings.windowTokens),
    inTheWay: obstacles(input, parts),
  };
}

/** Where an answer has users' messages in front of its item, those are a part of it; an item that came unasked has the rest there too. */
function isReturned({ conversation }: PlanInput, messages: ReturnType<typeof messagesAt>): boolean {
  const returnsUsers = formatRules(conversation.format).native?.returnsUsers ?? false;
  return returnsUsers && messages.every(({ role }) => role === "user" || role === "system");
}

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
