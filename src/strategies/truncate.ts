/** Drops the zone without a summary: whole pairs, system and pinned messages kept; the target decides how much. */

import type { Plan } from "../core/plan/plan.ts";
import { keptTokens, nothingToDo, obstacles, type PlanInput, planOf, type Strategy } from "../core/plan/plan-input.ts";
import { foundTokens, partitionForTruncation } from "./room.ts";

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
