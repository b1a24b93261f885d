/** The hard limit on the number of messages. Oldest go first, protections are honoured, pairs stay whole. */

import { formatRules } from "../format-rules.ts";
import { type PlanInput, partitionByCount } from "./plan-input.ts";

/** What the plan does to the number of messages before the limit is asked. */
export interface CountChange {
  /** Messages that leave anyway. */
  readonly leaving: ReadonlySet<string>;
  /** Messages that are put in. */
  readonly added: number;
}

/** Ids of what has to go too, oldest first; empty when the limit is kept. */
export function overLimit(input: PlanInput, { leaving, added }: CountChange): readonly string[] {
  const { conversation, settings, structure, found } = input;
  const { messages } = conversation;
  const isLifted = settings.maxMessagesWhen === "auto-off" && settings.compact.auto;
  let excess =
    settings.maxMessages > 0 && !isLifted ? messages.length - leaving.size + added - settings.maxMessages : 0;
  if (excess <= 0) return [];
  // A limit on messages is stronger than a tail of tokens: only so many of the newest stay for its sake.
  const { protectedBy: kept } = partitionByCount(input, settings.protect.tailMessages);
  const cuts = structure.cutPoints("pair-safe");
  const ids: string[] = [];
  // Where a provider refuses a list that does not begin with a user, a message is put in front: it counts too.
  const mayNeedOpening = added === 0 && formatRules(conversation.format).startsWithUser;
  const gone = new Set(leaving);
  let first = 0;
  const openings = (): number => {
    while (first < messages.length && gone.has(messages[first]?.id ?? "")) first++;
    return mayNeedOpening && messages[first]?.role !== "user" ? 1 : 0;
  };
  for (let at = 0; at < cuts.length && excess + openings() > 0; at++) {
    const start = cuts[at] ?? 0;
    const block = messages.slice(start, cuts[at + 1] ?? messages.length);
    const isKept = block.some(
      ({ id }, offset) => kept.has(start + offset) || found?.messageIds.includes(id) || leaving.has(id),
    );
    if (isKept) continue;
    for (const { id } of block) {
      ids.push(id);
      gone.add(id);
    }
    excess -= block.length;
  }
  return ids;
}
