/** How a decision divided the conversation: where it cut, what it kept, and whether the tail had to give way. Pure. */

import type { Decision } from "../compactor/decide.ts";
import { removedBy } from "../core/plan/apply-plan.ts";
import type { Partition } from "../core/plan/partition.ts";
import { fullPartition, type PlanInput, sumTokens } from "../core/plan/plan-input.ts";
import { partitionForTruncation, partitionWithRoom } from "../strategies/room.ts";

export interface TailSize {
  readonly messages: number;
  readonly tokens: number;
}

export interface ShrunkTail {
  readonly asked: TailSize;
  readonly kept: TailSize;
}

/** What a plan takes for a limit on messages is taken from the tail too: that is then neither protected nor kept. */
export function usedPartition(decision: Decision): Partition {
  const { plan, input } = decision;
  const divided = dividedBy(decision);
  const removed = removedBy(plan);
  const isTaken = (index: number): boolean => removed.has(input.conversation.messages[index]?.id ?? "");
  const taken = [...divided.protectedBy.keys()].filter(isTaken);
  if (taken.length === 0) return divided;
  return {
    ...divided,
    protectedBy: new Map([...divided.protectedBy].filter(([index]) => !isTaken(index))),
    zone: [...divided.zone, ...taken].sort((a, b) => a - b),
  };
}

/** Pruning alone leaves the tail as the settings have it; what removes messages may shrink it to the target. */
function dividedBy({ input, rest }: Decision): Partition {
  const isTruncated = rest.steps.length > 0 && input.settings.compact.strategy === "truncate";
  if (isTruncated) return partitionForTruncation(input);
  const removes = rest.steps.length === 0 || rest.steps.some(({ type }) => type === "summarize" || type === "drop");
  return removes ? partitionWithRoom(input) : fullPartition(input);
}

/** Undefined where the whole tail was kept. */
export function shrunkTail({ input }: Decision, used: Partition): ShrunkTail | undefined {
  const full = fullPartition(input);
  return used.cut <= full.cut ? undefined : { asked: tailSize(input, full), kept: tailSize(input, used) };
}

function tailSize({ conversation, tokensOf }: PlanInput, { cut }: Partition): TailSize {
  const tail = conversation.messages.slice(cut);
  return { messages: tail.length, tokens: sumTokens(tail, tokensOf) };
}
