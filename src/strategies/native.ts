/**
 * The provider's own compaction of the zone; `summarize` where it offers none. What it made before is
 * part of the zone again: its next compaction stands for that too. What it has compacted unasked goes without a call.
 */

import { formatRules } from "../core/format-rules.ts";
import { isNativeItem } from "../core/plan/native-items.ts";
import type { Partition } from "../core/plan/partition.ts";
import type { Plan } from "../core/plan/plan.ts";
import {
  nothingToDo,
  obstacles,
  type PlanInput,
  type Strategy,
  sumTokens,
  totalTokens,
} from "../core/plan/plan-input.ts";
import { partitionWithRoom } from "./room.ts";
import { idsAt, messagesAt, planInstead, summarize } from "./summarize.ts";

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
