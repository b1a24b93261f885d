/**
 * The provider's own compaction of the zone (R197, R198); `summarize` where it offers none (R151, R239). What it made before is
 * part of the zone again: its next compaction stands for that too.
 */

import { isNativeItem } from "../core/plan/native-items.ts";
import type { Plan } from "../core/plan/plan.ts";
import { nothingToDo, type PlanInput, type Strategy } from "../core/plan/plan-input.ts";
import { partitionWithRoom } from "./room.ts";
import { idsAt, planInstead, summarize } from "./summarize.ts";

export const native: Strategy = { name: "native", plan: planNative };

function planNative(input: PlanInput): Plan {
  const { nativeKind: kind, found, conversation } = input;
  if (kind === undefined) return summarize.plan(input);
  const parts = partitionWithRoom(input, true);
  const newest = parts.zone.at(-1) ?? -1;
  // A zone that ends in what the provider compacted holds nothing that it has not seen.
  const isSeen = newest >= 0 && newest <= conversation.messages.findLastIndex(isNativeItem);
  if (isSeen) return nothingToDo(input, "nothing-to-compact");
  return planInstead(input, parts, () => ({
    type: "native",
    kind,
    messageIds: idsAt(input, parts.zone),
    replacesIds: found?.messageIds ?? [],
  }));
}
