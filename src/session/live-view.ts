/**
 * The newest view of a session that this process knows, kept up with the store. Others may append and compact at any time: one
 * cheap question tells, and only what is new is read.
 */

import type { Conversation, Message } from "../core/message.ts";
import type { Format } from "../core/ports.ts";
import { countersAfterAppend } from "../core/store/counters.ts";
import type { Appended, Batch, Changes, SessionRecord, SessionState, Store, Version } from "../core/store/store.ts";
import { type Entry, entriesOf, frameOf } from "./session-view.ts";
import { createSigning, type Signing } from "./signing.ts";

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
  /** What is known about the prefixes that thinking in the view was signed over. */
  readonly signing: Signing;
  /** Messages without their thinking, once somebody needed them so. */
  readonly unthought: WeakMap<Message, Message>;
}

export function createLiveView(store: Store, format: Format, opened: SessionState): LiveView {
  let snapshot = snapshotOf(format, opened, undefined);
  const { id } = opened;
  const signing = createSigning(store, id, opened.version);
  /** False where nobody can tell which of two sessions is the later one: both came to be known since the question. */
  const take = (next: Snapshot, known: Snapshot): boolean => {
    const isSame = isSameSession(next, snapshot);
    if (!isSame && !isSameSession(snapshot, known)) return false;
    if (!isSame || isNewer(next.record.version, snapshot.record.version)) snapshot = next;
    signing.saw(snapshot.record.version);
    return true;
  };
  return {
    signing,
    unthought: new WeakMap(),
    current: () => snapshot,
    refresh: async () => {
      for (let questions = 1; ; questions++) {
        const known = snapshot;
        const next = nextOf(format, known, await store.changes(id, known.record.version));
        if (next === undefined || take(next, known) || questions === QUESTIONS_MAX) return snapshot;
      }
    },
    appended: (batch, { ids, version, createdAt }) => {
      const { record, entries } = snapshot;
      const { sequence, revision, incarnation } = record.version;
      const isNext = sequence + ids.length === version.sequence && revision === version.revision;
      if (!isNext || incarnation !== version.incarnation) return;
      signing.appended(ids, sequence);
      const stored = batch.messages.map(({ role, body, isPinned = false }, index) => {
        const number = sequence + index + 1;
        return {
          id: ids[index] ?? `m${number}`,
          sequence: number,
          order: number,
          role,
          body,
          isPinned,
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

/** Somebody who makes a session anew all the time is not waited for. */
const QUESTIONS_MAX = 5;

function nextOf(format: Format, known: Snapshot, changes: Changes): Snapshot | undefined {
  if (changes.type === "none") return undefined;
  if (changes.type === "changed") return snapshotOf(format, changes.state, known);
  return { ...known, record: changes.record, entries: [...known.entries, ...entriesOf(format, changes.messages)] };
}

function isSameSession(a: Snapshot, b: Snapshot): boolean {
  return a.record.version.incarnation === b.record.version.incarnation;
}

function snapshotOf(format: Format, state: SessionState, known: Snapshot | undefined): Snapshot {
  const { view, ...record } = state;
  // Another session of the same id numbers its messages alike.
  const isSame = known?.record.version.incarnation === record.version.incarnation;
  const before = new Map((isSame ? known.entries : []).map((entry) => [entry.stored.id, entry]));
  return { record, entries: entriesOf(format, view, before), frame: frameOf(format, record) };
}

/** Both numbers only ever rise within a session, so what came late over another path is told apart. */
function isNewer(next: Version, now: Version): boolean {
  return next.revision > now.revision || (next.revision === now.revision && next.sequence > now.sequence);
}

/** Messages as they are sent in place of the stored ones, by id. */
export type Overlay = Map<string, Overlaid>;

export interface Overlaid {
  /** The very entry that it was made from: once that is pinned or edited, it is of no use any more. */
  readonly over: Entry;
  readonly message: Message;
}

export function conversationOf({ frame, entries }: Snapshot, overlay: Overlay): Conversation {
  const messages = entries.map((entry) => {
    const overlaid = overlay.get(entry.message.id);
    return overlaid?.over === entry ? overlaid.message : entry.message;
  });
  return { ...frame, messages };
}
