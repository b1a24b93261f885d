/**
 * The strategies: `truncate` drops the oldest; `summarize` replaces the zone with one summary, `native` with the provider's own
 * compaction; `hybrid` prunes tool results first and summarizes only if that is not enough. Protected messages never leave. A host's
 * own strategy returns steps as data, which are checked and measured like any plan.
 */

import { errorText } from "./core/error-text.ts";
import { formatRules } from "./core/format-rules.ts";
import { isNativeItem } from "./core/items.ts";
import { isObject } from "./core/json.ts";
import type { Message } from "./core/message.ts";
import { applyPlan, checkPlan, isTextStep, removedBy } from "./core/plan/apply-plan.ts";
import type { Partition } from "./core/plan/partition.ts";
import type { Plan, Step, TextStep } from "./core/plan/plan.ts";
import {
  fullPartition,
  keptTokens,
  nothingToDo,
  type OwnStrategy,
  obstacles,
  type PlanInput,
  planOf,
  sumTokens,
  tokensAmong,
  totalTokens,
} from "./core/plan/plan-input.ts";
import { freedTokens, prunableTokens, pruneSteps, pruningPays } from "./core/plan/prune.ts";
import { shownValue } from "./core/settings/check-schema.ts";
import type { StrategyName } from "./core/settings/settings.ts";
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
} from "./strategies/room.ts";

const STRATEGIES: Readonly<Record<StrategyName, (input: PlanInput) => Plan>> = {
  none: (input) => nothingToDo(input, "strategy-none"),
  truncate: planTruncation,
  summarize: planSummary,
  hybrid: planHybrid,
  native: planNative,
};

export function planWith(name: StrategyName, input: PlanInput): Plan {
  return STRATEGIES[name](input);
}

/** The tail shrinks where the target leaves no room for it. */
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

/** Falls back to `summarize` where the provider offers no compaction. The provider's earlier compaction is part of the zone. */
function planNative(input: PlanInput): Plan {
  const { nativeKind: kind, found, conversation } = input;
  if (kind === undefined) return planSummary(input);
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
function planHybrid(input: PlanInput): Plan {
  const steps = prunesToTarget(input);
  if (steps === undefined) return planSummary(input);
  // A caller who asks for a pass wants little to leave. A pass by a trigger comes again and again, and must pay.
  const mustPay = input.settings.prune.mustPay && input.reason !== "manual" && input.reason !== "overflow";
  const compaction = mustPay ? planSummary(input) : undefined;
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

function planTruncation(input: PlanInput): Plan {
  const parts = partitionForTruncation(input);
  const tokensAfter = keptTokens(input, parts) + foundTokens(input);
  const fits = tokensAfter <= (input.targetTokens ?? input.settings.windowTokens);
  // Where everything fits, the tail is the whole list.
  if (parts.zone.length === 0)
    return nothingToDo(input, parts.cut === 0 && !fits ? "no-legal-cut" : "nothing-to-compact");
  if (parts.zone.length < input.settings.compact.minZoneMessages) return nothingToDo(input, "zone-too-small");
  const drop: Step = { type: "drop", messageIds: idsAt(input, parts.zone), reason: "older than the tail" };
  return planOf(input, [drop], { tokensAfter, inTheWay: obstacles(input, parts) });
}

type OwnPlan = { readonly plan: Plan } | { readonly refused: string };

export function planOwn(strategy: OwnStrategy, input: PlanInput): OwnPlan {
  try {
    const { reason, structure, settings, tokensOf, targetTokens, conversation } = input;
    // A copy of the list: the strategy may change it.
    const shown = { reason, structure, settings, tokensOf, targetTokens, messages: [...conversation.messages] };
    const steps = readSteps(strategy.plan({ ...shown, tokens: totalTokens(input) }), input);
    if (steps.length === 0) return { plan: nothingToDo(input, "nothing-to-compact") };
    const plan = measured(steps, input);
    const problems = checkPlan(plan, input);
    return problems.length === 0 ? { plan } : { refused: problems.join(" ") };
  } catch (error) {
    return { refused: errorText(error) };
  }
}

function readSteps(returned: unknown, input: PlanInput): readonly Step[] {
  if (!Array.isArray(returned)) throw new Error(`It returned ${shownValue(returned)}, which is no list of steps.`);
  return returned.map((step: unknown) => readStep(step, input));
}

function readStep(step: unknown, input: PlanInput): Step {
  const { type, messageIds, messageId, part, text, budgetTokens } = isObject(step) ? step : {};
  if (type === "drop" && areIds(messageIds)) return { type, messageIds, reason: "the strategy said so" };
  if (type === "trim" && typeof messageId === "string" && typeof part === "number" && typeof text === "string") {
    return { type, messageId, part, text, freesTokens: freedBy({ messageId, part, text }, input) };
  }
  const isBudget = budgetTokens === undefined || (typeof budgetTokens === "number" && budgetTokens >= 1);
  if (type === "summarize" && areIds(messageIds) && isBudget) {
    const replacesIds = input.found?.messageIds ?? [];
    const ids = messageIds.filter((id) => !replacesIds.includes(id));
    const budget = typeof budgetTokens === "number" ? Math.floor(budgetTokens) : budgetFor(ids, input);
    return { type, messageIds: ids, turnPrefixIds: [], replacesIds, budgetTokens: budget };
  }
  throw new Error(`It returned ${shownValue(step)} among its steps; a step is ${STEPS}.`);
}

const STEPS =
  "{ type: drop, messageIds }, { type: summarize, messageIds, budgetTokens? } or { type: trim, messageId, part, text }";

function areIds(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((id) => typeof id === "string");
}

function freedBy(step: Pick<TextStep, "messageId" | "part" | "text">, input: PlanInput): number {
  const message = input.conversation.messages.find(({ id }) => id === step.messageId);
  // `checkPlan` reports this problem.
  if (message?.parts[step.part]?.type !== "tool-result") return 0;
  const [edited] = applied(
    [{ type: "trim", ...step, freesTokens: 0 }],
    { ...input.conversation, messages: [message] },
    input,
  );
  return edited === undefined ? 0 : input.tokensOf(message) - input.tokensOf(edited);
}

/** At most half of the messages that leave, the room under the target, and the settings' own bounds. */
function budgetFor(ids: readonly string[], input: PlanInput): number {
  const { minTokens, maxTokens } = input.settings.summary.budget;
  const zoneTokens = tokensAmong(new Set(ids), input);
  const room = (input.targetTokens ?? input.settings.windowTokens) - (totalTokens(input) - zoneTokens);
  return Math.max(minTokens, Math.min(maxTokens, room, Math.floor(zoneTokens * ZONE_SHARE_MAX)));
}

function applied(
  steps: readonly Step[],
  conversation: PlanInput["conversation"],
  { settings }: PlanInput,
): readonly Message[] {
  return applyPlan({ conversation, plan: { steps }, summary: undefined, render: settings.render }).messages;
}

/** The plan of these steps with our own counts: a summary counts with its whole budget. */
function measured(steps: readonly Step[], input: PlanInput): Plan {
  const { conversation, baseTokens, tokensOf } = input;
  const known = new Map(conversation.messages.map((message) => [message.id, message]));
  const texts = steps.filter((step) => isTextStep(step) && isResult(known.get(step.messageId), step.part));
  const removed = removedBy({ steps });
  const kept = applied(texts, conversation, input).filter(({ id }) => !removed.has(id));
  const summaryTokens = steps.reduce((sum, step) => sum + (step.type === "summarize" ? step.budgetTokens : 0), 0);
  return planOf(input, steps, { tokensAfter: baseTokens + sumTokens(kept, tokensOf) + summaryTokens });
}

function isResult(message: Message | undefined, part: number): boolean {
  return message?.parts[part]?.type === "tool-result";
}
