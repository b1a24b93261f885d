/** The oldest whole tool turns go, call message and results together. Touches only tool messages; no summary is made. */

import type { DropStep } from "./plan.ts";
import { type PlanInput, partitionByCount } from "./plan-input.ts";
import { userVoice } from "./user-voice.ts";

/** A turn that holds something protected, or what a user said, stays whole. */
export function dropTurns(input: PlanInput): DropStep | undefined {
  const { structure, settings } = input;
  const { messages } = input.conversation;
  const keep = settings.prune.dropTurnsKeep;
  if (!settings.prune.enabled || keep <= 0) return undefined;
  // The newest tool turns have a limit of their own, so the tail does not keep older ones; pins in it do.
  const { protectedBy } = partitionByCount(input, 0);
  const cuts = new Set(structure.cutPoints("pair-safe"));
  const rounds = structure.rounds();
  const old = rounds.slice(0, -keep);
  const newest = rounds.slice(-keep);
  const { speaksIn } = userVoice(messages, settings.userTools);
  const messageIds = old.flatMap(({ start, end }) => {
    // Only rounds that legal cuts set apart can go without dividing another.
    if (!cuts.has(start) || !(cuts.has(end) || end === messages.length)) return [];
    const round = messages.slice(start, end);
    // What a user says while a tool runs stands inside of the round where results may come late: nobody else would say it.
    const isKept = round.some((message, offset) => speaksIn(message) || protectedBy.has(start + offset));
    // So may a newer round that began meanwhile.
    const holdsNewest = newest.some((other) => other.start >= start && other.start < end);
    return isKept || holdsNewest ? [] : round.map(({ id }) => id);
  });
  return messageIds.length === 0
    ? undefined
    : { type: "drop", messageIds, reason: `older than the newest ${keep} tool turns` };
}
