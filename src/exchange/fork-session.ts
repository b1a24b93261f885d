/**
 * Copies a session up to one of its messages, with the compactions that lie before it. A compaction that touched anything behind that
 * message is undone in the copy, and what stands behind leaves the copy's view.
 */

import type { CompactionEvent, StoredMessage } from "../core/store/store.ts";
import { sequenceOf } from "../core/store/store-rules.ts";
import { type FullStore, hasUpkeep } from "../core/store/store-upkeep.ts";
import { createParts, type SessionParts } from "../session/compact-view.ts";
import { rewindView } from "../session/rewind.ts";
import { createLiveView, type Entry } from "../session/session-view.ts";

/** The id of the copy; undefined where no compaction would be kept, so that a new session does as well. */
export async function forkAt(parts: SessionParts, messageId: string, newId: string): Promise<string | undefined> {
  const { id, store, compactor } = parts;
  const last = sequenceOf(messageId) ?? 0;
  if (!hasUpkeep(store) || parts.live.current().record.version.head === null) return undefined;
  const events = await Array.fromAsync(store.events(id));
  const inForce = events.filter(({ undoneAt }) => undoneAt === null);
  const undone = await firstBeyond(store, id, { inForce, last });
  if (inForce[0] === undefined || undone === inForce[0]) return undefined;
  await store.fork(id, newId);
  try {
    if (undone !== undefined) {
      const copies = await Array.fromAsync(store.events(newId));
      const to = copies.find(({ number }) => number === undone.number)?.id;
      await store.rollback(newId, { cascade: true, ...(to !== undefined && { to }) });
    }
    const state = await store.open(newId);
    if (state === undefined) return undefined;
    const copy = createParts({ id: newId, store, compactor }, createLiveView(store, compactor.format, state));
    const isBehind = ({ stored }: Entry): boolean => stored.madeBy === null && stored.sequence > last;
    await rewindView(copy, (entries) => endBefore(entries.findIndex(isBehind), entries.length), {});
    return newId;
  } catch (error) {
    await store.delete(newId);
    throw error;
  }
}

function endBefore(index: number, length: number): number {
  return index < 0 ? length : index;
}

interface ForkPoint {
  /** Oldest first. */
  readonly inForce: readonly CompactionEvent[];
  /** The number of the last message that the copy keeps. */
  readonly last: number;
}

/** The oldest compaction that archived or edited a message behind that point. */
async function firstBeyond(
  store: FullStore,
  sessionId: string,
  { inForce, last }: ForkPoint,
): Promise<CompactionEvent | undefined> {
  const edits = new Map<string, readonly string[]>();
  for await (const { eventId, messages } of store.edits(sessionId)) {
    edits.set(
      eventId,
      messages.map(({ messageId }) => messageId).filter((messageId) => (sequenceOf(messageId) ?? 0) > last),
    );
  }
  // What a compaction inserted has a number of its own, which says nothing of its place.
  const isBeyond = ({ sequence, madeBy }: StoredMessage): boolean => sequence > last && madeBy === null;
  for (const event of inForce) {
    if ((await store.messages(sessionId, edits.get(event.id) ?? [])).some(isBeyond)) return event;
    for await (const message of store.archive(sessionId, { eventId: event.id })) if (isBeyond(message)) return event;
  }
  return undefined;
}
