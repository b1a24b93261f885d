/** R097: the oldest whole tool turns go, call message and results together. Touches only tool messages; no summary is made. */

import type { Message } from "../message.ts";
import type { Settings } from "../settings/settings.ts";
import type { Structure } from "../structure/structure.ts";
import type { DropStep, Protection } from "./plan.ts";

export interface DropTurnsInput {
  readonly messages: readonly Message[];
  readonly structure: Structure;
  readonly settings: Settings;
  readonly protectedBy: ReadonlyMap<number, Protection>;
}

/** A turn that holds something protected stays whole. */
export function dropTurns({ messages, structure, settings, protectedBy }: DropTurnsInput): DropStep | undefined {
  const keep = settings.prune.dropTurnsKeep;
  if (!settings.prune.enabled || keep <= 0) return undefined;
  const cuts = new Set(structure.cutPoints("pair-safe"));
  const old = structure.rounds().slice(0, -keep);
  const messageIds = old.flatMap(({ start, end }) => {
    // Only rounds that legal cuts set apart can go without dividing another.
    if (!cuts.has(start) || !(cuts.has(end) || end === messages.length)) return [];
    const round = messages.slice(start, end);
    return round.some((_, offset) => protectedBy.has(start + offset)) ? [] : round.map(({ id }) => id);
  });
  return messageIds.length === 0
    ? undefined
    : { type: "drop", messageIds, reason: `older than the newest ${keep} tool turns` };
}
