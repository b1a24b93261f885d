/**
 * The newest view of a session that this process knows, kept up with the store. Others may append and compact at any time: one
 * cheap question tells, and only what is new is read.
 */

import { CompactionError } from "../core/errors.ts";
import type { Conversation, Message } from "../core/message.ts";
import type { Format } from "../core/ports.ts";
import { countersAfterAppend } from "../core/store/counters.ts";
import type { Appended, Batch, SessionRecord, SessionState, Store, Version } from "../core/store/store.ts";
import { type Entry, entriesOf, frameOf } from "./session-view.ts";

export interface Snapshot {
  readonly record: SessionRecord;
  readonly entries: readonly Entry[];
  /** The prompt, the tools and the rest, without messages. */
  readonly frame: Conversation;
}

export interface LiveView {
  current(): Snapshot;
  /** Asks the store first. */
  refresh(): Promise<Snapshot>;
  /** What this process appended itself need not be read back, unless others came between. */
  appended(batch: Batch, appended: Appended): void;
}

export function createLiveView(store: Store, format: Format, opened: SessionState): LiveView {
  let snapshot = snapshotOf(format, opened, undefined);
  const { id } = opened;
  const take = (next: Snapshot): void => {
    if (isNewer(next.record.version, snapshot.record.version)) snapshot = next;
  };
  return {
    current: () => snapshot,
    refresh: async () => {
      const known = snapshot;
      const changes = await store.changes(id, known.record.version);
      if (changes.type === "appended") {
        const entries = [...known.entries, ...entriesOf(format, changes.messages)];
        take({ ...known, record: changes.record, entries });
      } else if (changes.type === "changed") take(snapshotOf(format, changes.state, known));
      return snapshot;
    },
    appended: (batch, { ids, version, createdAt }) => {
      const { record, entries } = snapshot;
      const isNext = record.version.sequence + ids.length === version.sequence;
      if (!isNext || record.version.revision !== version.revision) return;
      const stored = batch.messages.map(({ role, body }, index) => {
        const sequence = record.version.sequence + index + 1;
        return {
          id: ids[index] ?? `m${sequence}`,
          sequence,
          order: sequence,
          role,
          body,
          isPinned: false,
          isSummary: false,
          isEdited: false,
          madeBy: null,
          archivedBy: null,
          createdAt,
        };
      });
      const counters = countersAfterAppend(record.counters, { ...batch, messages: stored.length });
      const added = entriesOf(format, stored);
      snapshot = { ...snapshot, record: { ...record, version, counters }, entries: [...entries, ...added] };
    },
  };
}

function snapshotOf(format: Format, state: SessionState, known: Snapshot | undefined): Snapshot {
  const { view, ...record } = state;
  if (record.format !== format.name) {
    throw new CompactionError(
      "invalid-options",
      `Session ${JSON.stringify(record.id)} holds ${record.format}, the compactor speaks ${format.name}.`,
    );
  }
  const before = new Map(known?.entries.map((entry) => [entry.stored.id, entry]));
  return { record, entries: entriesOf(format, view, before), frame: frameOf(format, record) };
}

/** Both numbers only ever rise, so what came late over another path is told apart. */
function isNewer(next: Version, now: Version): boolean {
  return next.revision > now.revision || (next.revision === now.revision && next.sequence > now.sequence);
}

export function conversationOf({ frame, entries }: Snapshot, overlay: ReadonlyMap<string, Message>): Conversation {
  return { ...frame, messages: entries.map(({ message }) => overlay.get(message.id) ?? message) };
}
