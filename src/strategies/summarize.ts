/**
 * The strategies that replace the zone: `summarize` with one summary, `native` with the provider's own compaction;
 * `hybrid` prunes tool results first and summarizes only if that is not enough. Protected messages never leave.
 */

import { formatRules } from "../core/format-rules.ts";
import { isNativeItem } from "../core/items.ts";
import type { Message } from "../core/message.ts";
import type { Partition } from "../core/plan/partition.ts";
import type { Plan, Step, TextStep } from "../core/plan/plan.ts";
import {
  fullPartition,
  keptTokens,
  nothingToDo,
  obstacles,
  type PlanInput,
  planOf,
  type Strategy,
  sumTokens,
  totalTokens,
} from "../core/plan/plan-input.ts";
import { freedTokens, prunableTokens, pruneSteps, pruningPays } from "../core/plan/prune.ts";
import {
  foundTokens,
  frameTokens,
  partitionForTruncation,
  partitionWithRoom,
  saidBefore,
  stayingTokens,
  summaryBudget,
  USEFUL_TOKENS,
  ZONE_SHARE_MAX,
} from "./room.ts";

/** The tail shrinks where the target leaves no room for it. */
export const summarize: Strategy = { name: "summarize", plan: planSummary };

function planSummary(input: PlanInput): Plan {
  const parts = partitionWithRoom(input);
  return planInstead(input, parts, (budgetTokens) => ({
    type: "summarize",
    messageIds: idsAt(input, parts.zone),
    turnPrefixIds: idsAt(input, parts.turnPrefix),
    replacesIds: input.found?.messageIds ?? [],
    budgetTokens,
  }));
}

/** The plan of a pass that replaces the zone by something of at most the budget. */
function planInstead(input: PlanInput, parts: Partition, stepFor: (budgetTokens: number) => Step): Plan {
  const { zone } = parts;
  if (zone.length === 0) return nothingToDo(input, parts.cut === 0 ? "no-legal-cut" : "nothing-to-compact");
  if (zone.length < input.settings.compact.minZoneMessages) return nothingToDo(input, "zone-too-small");
  const kept = stayingTokens(input, parts);
  const zoneTokens = sumTokens(messagesAt(input, zone), input.tokensOf);
  const budgetTokens = Math.min(
    summaryBudget(input, parts),
    Math.max(USEFUL_TOKENS, saidBefore(input) + Math.floor(zoneTokens * ZONE_SHARE_MAX)),
  );
  const tokensAfter = kept + budgetTokens + frameTokens(input, parts);
  if (tokensAfter >= totalTokens(input)) return nothingToDo(input, "frees-nothing");
  return planOf(input, [stepFor(budgetTokens)], { tokensAfter, inTheWay: obstacles(input, parts, tokensAfter - kept) });
}

function idsAt(input: PlanInput, indices: readonly number[]): readonly string[] {
  return messagesAt(input, indices).map(({ id }) => id);
}

function messagesAt({ conversation }: PlanInput, indices: readonly number[]): readonly Message[] {
  return indices.flatMap((index) => conversation.messages[index] ?? []);
}

/**
 * Falls back to `summarize` where the provider offers no compaction. The provider's earlier compaction is part of the
 * zone: the next one replaces it too. Messages that the provider compacted without a request leave without a call.
 */
export const native: Strategy = { name: "native", plan: planNative };

function planNative(input: PlanInput): Plan {
  const { nativeKind: kind, found, conversation } = input;
  if (kind === undefined) return summarize.plan(input);
  const parts = partitionWithRoom(input, true);
  const newest = parts.zone.at(-1) ?? -1;
  const item = conversation.messages.findLastIndex(isNativeItem);
  // A zone that ends before or at the provider's own item holds nothing that it has not compacted.
  if (newest >= 0 && newest <= item) return planWithoutSeen(input, parts, item);
  return planInstead(input, parts, () => ({
    type: "native",
    kind,
    messageIds: idsAt(input, parts.zone),
    replacesIds: found?.messageIds ?? [],
  }));
}

/** The provider reads nothing before its newest item: those messages leave, where they may, without another compaction. */
function planWithoutSeen(input: PlanInput, parts: Partition, item: number): Plan {
  const seen = parts.zone.filter((index) => index < item);
  const messages = messagesAt(input, seen);
  if (seen.length === 0 || isReturned(input, messages)) return nothingToDo(input, "nothing-to-compact");
  if (seen.length < input.settings.compact.minZoneMessages) return nothingToDo(input, "zone-too-small");
  const tokensAfter = totalTokens(input) - sumTokens(messages, input.tokensOf);
  const reason = "the provider has compacted it and reads nothing before its own item";
  const drop: Step = { type: "drop", messageIds: idsAt(input, seen), reason };
  return planOf(input, [drop], { tokensAfter, inTheWay: obstacles(input, parts) });
}

/** An answer may repeat users' messages before its item, as a part of it; an item without a request has others there too. */
function isReturned({ conversation }: PlanInput, messages: readonly Message[]): boolean {
  const returnsUsers = formatRules(conversation.format).native?.returnsUsers ?? false;
  return returnsUsers && messages.every(({ role }) => role === "user" || role === "system");
}

/** Prunes to the target without a model. */
export const hybrid: Strategy = { name: "hybrid", plan: planHybrid };

function planHybrid(input: PlanInput): Plan {
  const steps = prunesToTarget(input);
  if (steps === undefined) return summarize.plan(input);
  // A caller who asks for a pass wants little to leave. A pass by a trigger comes again and again, and must pay.
  const mustPay = input.settings.prune.mustPay && input.reason !== "manual" && input.reason !== "overflow";
  const compaction = mustPay ? summarize.plan(input) : undefined;
  if (compaction !== undefined && !pruningPays(input, steps, compaction)) return compaction;
  return planOf(input, steps, { tokensAfter: totalTokens(input) - freedTokens(steps) });
}

/** The gentle tiers, then stubs for every old result; undefined when even that stays above the target. */
function prunesToTarget(input: PlanInput): readonly TextStep[] | undefined {
  const { settings, conversation, structure, tokensOf, targetTokens } = input;
  if (!settings.prune.enabled || settings.protect.toolOutputs || targetTokens === undefined) return undefined;
  const { protectedBy } = fullPartition(input);
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
    if (freedTokens(steps) >= freeTokens && steps.length > 0) return steps;
  }
  return undefined;
}

export const truncate: Strategy = { name: "truncate", plan: planTruncation };

function planTruncation(input: PlanInput): Plan {
  const parts = partitionForTruncation(input);
  const { messages } = input.conversation;
  const tokensAfter = keptTokens(input, parts) + foundTokens(input);
  const fits = tokensAfter <= (input.targetTokens ?? input.settings.windowTokens);
  // Where everything fits, the tail is the whole list.
  if (parts.zone.length === 0)
    return nothingToDo(input, parts.cut === 0 && !fits ? "no-legal-cut" : "nothing-to-compact");
  if (parts.zone.length < input.settings.compact.minZoneMessages) return nothingToDo(input, "zone-too-small");
  const messageIds = parts.zone.flatMap((index) => messages[index]?.id ?? []);
  const inTheWay = obstacles(input, parts);
  return planOf(input, [{ type: "drop", messageIds, reason: "older than the tail" }], { tokensAfter, inTheWay });
}
