/** Which events a rollback undoes. Pure; throws what the port promises. */

import { CompactionError } from "../../core/errors.ts";
import type { Rollback } from "../../core/store/store.ts";

export interface EventInForce {
  readonly id: string;
  readonly isCompaction: boolean;
  readonly purgedAt: string | null;
}

export interface RollbackPlan {
  /** Newest first. */
  readonly undone: readonly EventInForce[];
  /** The newest event in force afterwards. */
  readonly head: string | null;
}

/** `inForce` is newest first. */
export function planRollback(inForce: readonly EventInForce[], { to, cascade }: Rollback): RollbackPlan {
  const at = to === undefined ? 0 : inForce.findIndex(({ id }) => id === to);
  const undone = inForce.slice(0, at + 1);
  if (at < 0 || undone.length === 0) {
    const which = to === undefined ? "no compaction" : "no such compaction event";
    throw new CompactionError("event-missing", `There is ${which} in force to undo. Nothing was changed.`);
  }
  if (undone.length > 1 && cascade !== true) {
    const message = `${undone.length - 1} later compaction(s) rest on that one. Nothing was changed; ask for cascade to undo them too.`;
    throw new CompactionError("needs-cascade", message);
  }
  if (undone.some(({ purgedAt }) => purgedAt !== null)) {
    const message =
      "Messages that the rollback would have to bring back were purged. Nothing was changed; it cannot be undone any more.";
    throw new CompactionError("archive-purged", message);
  }
  return { undone, head: inForce[at + 1]?.id ?? null };
}

export function compactionsIn(events: readonly EventInForce[]): number {
  return events.filter(({ isCompaction }) => isCompaction).length;
}
