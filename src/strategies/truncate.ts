/** The zone goes, without a summary: pair-safe (D23), system and pinned messages kept, the target decides how much (D22). */

import type { Plan } from "../core/plan/plan.ts";
import {
  keptTokens,
  nothingToDo,
  obstacles,
  type PlanInput,
  type Strategy,
  sumTokens,
  totalTokens,
} from "../core/plan/plan-input.ts";
import { partitionWithRoom } from "./summarize.ts";

export const truncate: Strategy = { name: "truncate", plan: planTruncation };

function planTruncation(input: PlanInput): Plan {
  const parts = partitionWithRoom(input);
  if (parts.zone.length === 0) return nothingToDo(input, parts.cut === 0 ? "no-legal-cut" : "nothing-to-compact");
  const { messages } = input.conversation;
  const summary = messages.filter(({ id }) => input.found?.messageIds.includes(id));
  const tokensAfter = keptTokens(input, parts) + sumTokens(summary, input.tokensOf);
  const fits = tokensAfter <= (input.targetTokens ?? input.settings.windowTokens);
  return {
    reason: input.reason,
    steps: [
      {
        type: "drop",
        messageIds: parts.zone.flatMap((index) => messages[index]?.id ?? []),
        reason: "older than the tail",
      },
    ],
    tokensBefore: totalTokens(input),
    tokensAfter,
    targetTokens: input.targetTokens,
    fits,
    inTheWay: obstacles(input, parts),
  };
}
