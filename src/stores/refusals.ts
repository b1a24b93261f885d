/** What stores refuse, in one wording: what failed, that nothing was changed, what to do. */

import { CompactionError } from "../core/errors.ts";
import type { Commit, CompactionEvent, Rollback } from "../core/store/store.ts";
import { sequenceOf, sequencesOf } from "../core/store/store-rules.ts";
import { quoted } from "../core/text.ts";

export function sessionMissing(sessionId: string): CompactionError {
  const message = `There is no session ${quoted(sessionId)} in this store. Nothing was changed; create it first.`;
  return new CompactionError("session-missing", message);
}

export function sessionExists(sessionId: string): CompactionError {
  const message = `There is a session ${quoted(sessionId)} already. Nothing was changed; open it, or choose another id.`;
  return new CompactionError("session-exists", message);
}

export function messageMissing(): CompactionError {
  const message = "There is no such message in the view. Nothing was changed; the view lists the ids of its messages.";
  return new CompactionError("message-missing", message);
}

export function leaseLost(): CompactionError {
  const message =
    "The lease expired or went to another worker before the commit. Nothing was written; take a lease and plan again.";
  return new CompactionError("lease-lost", message, { retryable: true });
}

function storeConflict(what: string): CompactionError {
  const message = `${what} Nothing was written; open the session and plan again.`;
  return new CompactionError("store-conflict", message, { retryable: true });
}

/** Somebody else appended first. */
export function isBehind(): CompactionError {
  return storeConflict("The session has other messages than the caller knows.");
}

export function notInView(verb: "archive" | "edit"): CompactionError {
  const what = verb === "archive" ? "is no longer in the view, or is pinned" : "is no longer in the view";
  return storeConflict(`A message that the compaction would ${verb} ${what}.`);
}

export function storeClosed(): CompactionError {
  return new CompactionError("storage", "This store is closed. Nothing was changed; open it again.");
}

interface CommitGround {
  /** The lease is the newest, was not released and has not expired by the store's clock. */
  readonly isLeaseHeld: boolean;
  readonly revision: number;
}

export interface CommitTargets {
  readonly archived: readonly number[];
  /** In step with the commit's edits; no message twice. */
  readonly edited: readonly number[];
}

export function checkGround({ isLeaseHeld, revision }: CommitGround, commit: Commit): void {
  if (!isLeaseHeld) throw leaseLost();
  if (revision !== commit.revision) throw storeConflict("The session was changed after the compaction was planned.");
}

/** The numbers of the messages that must be in the view; a missing one is a conflict. */
export function checkCommit(ground: CommitGround, commit: Commit): CommitTargets {
  checkGround(ground, commit);
  const archived = sequencesOf(commit.archivedIds);
  if (archived === undefined) throw notInView("archive");
  const edited = commit.edits.map(({ messageId }) => sequenceOf(messageId));
  const known = edited.filter((sequence) => sequence !== undefined);
  if (known.length !== edited.length) throw notInView("edit");
  if (new Set(known).size !== known.length) throw storeConflict("The compaction edits one message twice.");
  return { archived, edited: known };
}

/** As much of it as a rollback asks. */
export type EventInForce = Pick<CompactionEvent, "id" | "isCompaction" | "purgedAt">;

interface RollbackPlan {
  /** Newest first. */
  readonly undoneIds: readonly string[];
  /** How many of them count as compactions. */
  readonly compactions: number;
  /** The newest event in force afterwards. */
  readonly head: string | null;
}

/** `inForce` is newest first. */
export function planRollback(inForce: readonly EventInForce[], { to, cascade }: Rollback): RollbackPlan {
  const at = to === undefined ? 0 : inForce.findIndex(({ id }) => id === to);
  const undone = inForce.slice(0, at + 1);
  if (undone.length === 0) {
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
  const compactions = undone.filter(({ isCompaction }) => isCompaction).length;
  return { undoneIds: undone.map(({ id }) => id), compactions, head: inForce[at + 1]?.id ?? null };
}

const BUSY_TIMEOUT_MS_MAX = 600_000;

export function checkBusyTimeout(busyTimeoutMs: number): void {
  if (typeof busyTimeoutMs === "number" && busyTimeoutMs >= 0 && busyTimeoutMs <= BUSY_TIMEOUT_MS_MAX) return;
  const message = `busyTimeoutMs must be between 0 and ${BUSY_TIMEOUT_MS_MAX}. Nothing was opened.`;
  throw new CompactionError("invalid-settings", message);
}
