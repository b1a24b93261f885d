/** R146, D04: the hard limit on the number of messages. Oldest go first, protections are honoured, pairs stay whole. */

import type { Partition } from "./partition.ts";
import type { DropStep } from "./plan.ts";
import type { PlanInput } from "./plan-input.ts";

export function countBackstop(
  { conversation, settings, structure, found }: PlanInput,
  { protectedBy }: Partition,
): DropStep | undefined {
  const { messages } = conversation;
  const isLifted = settings.maxMessagesWhen === "auto-off" && settings.compact.auto;
  let excess = settings.maxMessages > 0 && !isLifted ? messages.length - settings.maxMessages : 0;
  if (excess <= 0) return undefined;
  const cuts = structure.cutPoints("pair-safe");
  const messageIds: string[] = [];
  for (let at = 0; at < cuts.length && excess > 0; at++) {
    const block = messages.slice(cuts[at], cuts[at + 1] ?? messages.length);
    const start = cuts[at] ?? 0;
    const isKept = block.some(({ id }, offset) => protectedBy.has(start + offset) || found?.messageIds.includes(id));
    if (isKept) continue;
    messageIds.push(...block.map(({ id }) => id));
    excess -= block.length;
  }
  return messageIds.length === 0
    ? undefined
    : { type: "drop", messageIds, reason: `more than ${settings.maxMessages} messages` };
}
