/** One summary for the zone. The tail shrinks where the target leaves no room for it; what is protected never goes. */

import { formatRules } from "../core/format-rules.ts";
import type { Partition } from "../core/plan/partition.ts";
import type { Plan, Step, SummarizeStep } from "../core/plan/plan.ts";
import {
  keptTokens,
  nothingToDo,
  obstacles,
  type PlanInput,
  partitionFor,
  type Strategy,
  sumTokens,
  totalTokens,
} from "../core/plan/plan-input.ts";

/** Marks, acknowledgement and message structure around a summary. */
const FRAME_TOKENS = 48;
/** The lines between neighbours of one role, where the provider refuses those. */
const BRIDGE_TOKENS = 32;
/** A summary below this says nothing worth the call; where somebody named the target, a line is better than too much. */
const USEFUL_TOKENS = 120;
const LINE_TOKENS = 24;

/** A summary that takes more than this of what it stands for is hardly one. */
const ZONE_SHARE_MAX = 0.5;

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
  const kept = keptTokens(input, parts);
  const zoneTokens = sumTokens(
    zone.flatMap((index) => input.conversation.messages[index] ?? []),
    input.tokensOf,
  );
  const budgetTokens = Math.min(
    summaryBudget(input, kept),
    Math.max(USEFUL_TOKENS, Math.floor(zoneTokens * ZONE_SHARE_MAX)),
  );
  const tokensBefore = totalTokens(input);
  const tokensAfter = kept + budgetTokens + frameTokens(input);
  if (tokensAfter >= tokensBefore) return nothingToDo(input, "frees-nothing");
  const fits = tokensAfter <= (input.targetTokens ?? input.settings.windowTokens);
  return {
    reason: input.reason,
    steps: [stepFor(budgetTokens)],
    tokensBefore,
    tokensAfter,
    targetTokens: input.targetTokens,
    fits,
    inTheWay: obstacles(input, parts),
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
  return indices.flatMap((index) => conversation.messages[index]?.id ?? []);
}

/** Of the room beside what must stay, this much goes to the newest messages and the rest to the summary. */
const TIGHT_TAIL_SHARE = 0.15;

/**
 * The full tail where it fits beside a useful summary. Else a tail that is limited to a share of the target; where even the
 * first request is in the way of a useful summary, it goes too (the summary quotes it), and so does what the provider compacted.
 */
export function partitionWithRoom(input: PlanInput, mayTakeNative = false): Partition {
  const { protect } = input.settings;
  const full = partitionFor(input, { tokens: protect.tailTokens, messages: protect.tailMessages, mayTakeNative });
  const { targetTokens } = input;
  if (targetTokens === undefined) return full;
  const room = (parts: Partition): number => targetTokens - keptTokens(input, parts) - frameTokens(input);
  if (room(full) >= wantedBudget(input)) return full;
  const tight = tightPartition(input, targetTokens, { mayDropFirstUser: false, mayTakeNative });
  if (room(tight) >= wantedBudget(input) / 2) return tight;
  return tightPartition(input, targetTokens, { mayDropFirstUser: true, mayTakeNative: true });
}

function tightPartition(
  input: PlanInput,
  targetTokens: number,
  may: { readonly mayDropFirstUser: boolean; readonly mayTakeNative: boolean },
): Partition {
  const tail = { messages: 0, isTight: true, ...may };
  const firm = keptTokens(input, partitionFor(input, { ...tail, tokens: 0 }));
  const room = Math.max(0, targetTokens - firm - frameTokens(input));
  const tokens = Math.min(input.settings.protect.tailTokens || room, Math.floor(room * TIGHT_TAIL_SHARE));
  return partitionFor(input, { ...tail, tokens });
}

/** What the settings would give a summary; a named target gives it all that is left. */
function wantedBudget({ settings, targetTokens, isTargetExplicit }: PlanInput): number {
  const { budget, maxOutputTokens } = settings.summary;
  if (targetTokens === undefined) return maxOutputTokens;
  if (isTargetExplicit) return Math.floor(targetTokens / 2);
  return Math.max(budget.minTokens, Math.min(budget.maxTokens, Math.floor(targetTokens * budget.ratioOfTarget)));
}

function summaryBudget(input: PlanInput, kept: number): number {
  if (input.targetTokens === undefined) return input.settings.summary.maxOutputTokens;
  const room = input.targetTokens - kept - frameTokens(input);
  if (input.isTargetExplicit) return Math.max(LINE_TOKENS, room);
  return Math.max(USEFUL_TOKENS, Math.min(wantedBudget(input), room));
}

function frameTokens({ conversation }: PlanInput): number {
  return FRAME_TOKENS + (formatRules(conversation.format).sameRole === "refused" ? BRIDGE_TOKENS : 0);
}
