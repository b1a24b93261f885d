/** One summary for the zone. The tail shrinks where the target leaves no room for it; what is protected never goes. */

import type { Message } from "../core/message.ts";
import type { Partition } from "../core/plan/partition.ts";
import type { Plan, Step, SummarizeStep } from "../core/plan/plan.ts";
import {
  nothingToDo,
  obstacles,
  type PlanInput,
  type Strategy,
  sumTokens,
  totalTokens,
} from "../core/plan/plan-input.ts";
import { saidBefore, stayingTokens } from "./earlier-summary.ts";
import { partitionWithRoom, summaryBudget, USEFUL_TOKENS, ZONE_SHARE_MAX } from "./room.ts";
import { frameTokens } from "./summary-frame.ts";

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
