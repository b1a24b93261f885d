/** Removes the end of a view: an event like a compaction, which a rollback undoes. Nothing is deleted and no model is asked. */

import { CompactionError } from "../core/errors.ts";
import type { NewEvent, StoredMessage, Waiting } from "../core/store/store.ts";
import { NO_SUMMARY } from "../core/store/store-rules.ts";
import { isTurnStart } from "../core/structure/structure.ts";
import { quoted } from "../core/text.ts";
import { inProgress, type SessionParts } from "./compact-view.ts";
import { holdLease } from "./hold-lease.ts";
import type { Entry, Snapshot } from "./session-view.ts";
import { viewToSend } from "./view-to-send.ts";

/** How many messages stay, from the first on. */
export type FindEnd = (entries: readonly Entry[]) => number;

/** A bound: other workers may change the session all the time. */
const ATTEMPTS_MAX = 4;

/** Returns the messages that left the view. */
export async function rewindView(
  parts: SessionParts,
  findEnd: FindEnd,
  { signal }: Waiting,
): Promise<readonly StoredMessage[]> {
  const { store, id, leaseMs } = parts;
  const held = await holdLease(store, id, { leaseMs, signal });
  if (held === undefined) throw inProgress(id);
  try {
    for (let attempt = 1; ; attempt++) {
      const snapshot = await parts.live.refresh();
      const leaving = leavingBehind(snapshot, findEnd);
      if (leaving.length === 0) return [];
      try {
        const commit = { ...(await commitOf(parts, snapshot, leaving)), lease: held.current() };
        const { version, createdAt } = await store.commit(id, commit, { signal });
        const keptIds = commit.event.preservedMessageIds;
        parts.live.signing.committed({ before: snapshot.record.version, after: version, createdAt, keptIds });
        for (const { stored } of leaving) parts.overlay.delete(stored.id);
        parts.sendable = undefined;
        parts.heldOff.passes = undefined;
        await parts.live.refresh();
        return leaving.map(({ stored }) => stored);
      } catch (error) {
        const isConflict = error instanceof CompactionError && error.code === "store-conflict";
        if (!isConflict || attempt === ATTEMPTS_MAX) throw error;
      }
    }
  } finally {
    await held.release();
  }
}

/** Throws where a pinned message would leave. */
export function leavingBehind({ entries }: Snapshot, findEnd: FindEnd): readonly Entry[] {
  const leaving = entries.slice(findEnd(entries));
  const pinned = leaving.find(({ stored }) => stored.isPinned && stored.madeBy === null);
  if (pinned === undefined) return leaving;
  const message = `Message ${quoted(pinned.stored.id)} is pinned and would leave the view; nothing was changed. Unpin it first.`;
  throw new CompactionError("invalid-request", message);
}

/** The end at a message, which stays or leaves. */
export function endAt(messageId: string, isKept: boolean): FindEnd {
  return (entries) => {
    const at = entries.findIndex(({ stored }) => stored.id === messageId);
    if (at >= 0) return isKept ? at + 1 : at;
    const message = `There is no message ${quoted(messageId)} in the view; nothing was changed. What a compaction took out comes back with its rollback.`;
    throw new CompactionError("message-missing", message);
  };
}

/** The end after the user's last words; before them where nothing follows them. A summary stays. */
export function endOfQuestion(entries: readonly Entry[]): number {
  const last = entries.findLastIndex(({ stored, message }) => stored.isSummary || isTurnStart(message));
  const isLast = last === entries.length - 1 && entries[last]?.stored.isSummary === false;
  return isLast ? last : last + 1;
}

async function commitOf(parts: SessionParts, snapshot: Snapshot, leaving: readonly Entry[]) {
  const { version, system, passes } = snapshot.record;
  const kept = snapshot.entries.slice(0, snapshot.entries.length - leaving.length);
  const keptIds = kept.map(({ stored }) => stored.id);
  const archivedIds = leaving.map(({ stored }) => stored.id);
  const { compactor } = parts;
  const { conversation } = await viewToSend(parts, snapshot);
  const { tokensBefore } = compactor.planOver(conversation);
  const rest = { ...conversation, messages: conversation.messages.slice(0, keptIds.length) };
  const tokensAfter = compactor.planOver(rest).tokensBefore;
  const event: NewEvent = {
    ...NO_SUMMARY,
    strategy: "rewind",
    profile: compactor.profile,
    trigger: "manual",
    originalTokens: tokensBefore,
    compactedTokens: tokensAfter,
    messagesRemoved: archivedIds.length,
    preservedMessageIds: keptIds,
    wholeRatio: tokensAfter > 0 ? tokensBefore / tokensAfter : 1,
    plan: { reason: "manual", steps: [{ type: "drop", messageIds: archivedIds, reason: "rewind" }] },
    details: { readFiles: [], modifiedFiles: [], toolFailures: [] },
  };
  const { revision, sequence } = version;
  return { event, revision, sequence, archivedIds, edits: [], inserted: [], system, passes, totalTokens: undefined };
}
