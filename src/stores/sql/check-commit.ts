/** Whether a commit may still be made, from the session's row as it is inside the transaction. Pure; throws what the port promises. */

import type { Commit } from "../../core/store/store.ts";
import { sequenceOf, sequencesOf } from "./message-id.ts";
import { leaseLost, storeConflict } from "./refusals.ts";

export interface CommitGround {
  readonly leaseToken: number;
  /** By the clock that rules leases in that store, and nobody has released it. */
  readonly isLeaseLive: boolean;
  readonly revision: number;
}

export interface CommitTargets {
  readonly archived: readonly number[];
  /** In step with the commit's edits; no message twice. */
  readonly edited: readonly number[];
}

/** The numbers of the messages that must then be found in the view; one that is not there is a conflict. */
export function checkCommit(ground: CommitGround, commit: Commit): CommitTargets {
  if (ground.leaseToken !== commit.lease.token || !ground.isLeaseLive) throw leaseLost();
  if (ground.revision !== commit.revision) {
    throw storeConflict("The session was changed after the compaction was planned.");
  }
  const archived = sequencesOf(commit.archivedIds);
  if (archived === undefined) throw notInView("archive");
  const edited = commit.edits.map(({ messageId }) => sequenceOf(messageId));
  const known = edited.filter((sequence) => sequence !== undefined);
  if (known.length !== edited.length) throw notInView("edit");
  if (new Set(known).size !== known.length) throw storeConflict("The compaction edits one message twice.");
  return { archived, edited: known };
}

export function notInView(verb: "archive" | "edit"): Error {
  const what = verb === "archive" ? "is no longer in the view, or is pinned" : "is no longer in the view";
  return storeConflict(`A message that the compaction would ${verb} ${what}.`);
}
