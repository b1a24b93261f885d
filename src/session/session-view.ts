/** Turns a stored view into a conversation and back. An unchanged message stays the same object, so it is counted once. Pure. */

import { modelIn } from "../core/format-rules.ts";
import { isSameJson } from "../core/identity.ts";
import { type JsonObject, type JsonValue, ownCopy } from "../core/json.ts";
import type { Conversation, Message, Part } from "../core/message.ts";
import type { Format } from "../core/ports.ts";
import { once } from "../core/remember.ts";
import { countersAfterAppend } from "../core/store/counters.ts";
import type {
  AppendResult,
  Batch,
  Changes,
  SessionRecord,
  SessionState,
  Store,
  StoredMessage,
  SystemEdit,
  Version,
} from "../core/store/store.ts";
import { createSigning, type Signing } from "./signing.ts";

export interface Entry {
  readonly stored: StoredMessage;
  readonly message: Message;
}

/** Decodes only new rows. */
export function entriesOf(
  format: Format,
  messages: readonly StoredMessage[],
  known: ReadonlyMap<string, Entry> = new Map(),
): readonly Entry[] {
  return messages.map((stored) => {
    const before = known.get(stored.id);
    if (before !== undefined && isSame(before.stored, stored)) return before;
    return { stored, message: messageOf(format, stored) };
  });
}

/** A store that reads a row again returns a new body with the same text; only an edit or a pin can have changed it. */
function isSame(before: StoredMessage, now: StoredMessage): boolean {
  if (before.isPinned !== now.isPinned || before.isEdited !== now.isEdited) return false;
  if (before.body === now.body) return true;
  return before.sequence === now.sequence && (!now.isEdited || isSameJson(before.body, now.body));
}

function messageOf(format: Format, { id, body, isPinned }: StoredMessage): Message {
  const [decoded] = format.decode([body]).messages;
  const message = decoded ?? { role: "user" as const, parts: [] };
  return { ...message, id, ...(isPinned && { pinned: true }) };
}

/** The conversation without its messages. */
export function frameOf(format: Format, { base, system }: Pick<SessionState, "base" | "system">): Conversation {
  const frame = format.decode({ ...base, [format.listKey]: [] });
  const edited = systemAfter(frame.system, system);
  return edited === undefined ? frame : { ...frame, system: edited };
}

/** Undefined where there is no edit. A prompt that changed since the pass keeps what the pass added. */
function systemAfter(system: readonly Part[], edit: SystemEdit | null): readonly Part[] | undefined {
  if (edit === null) return undefined;
  // Written by `systemEditOf`, which writes only parts.
  const [before, after] = [edit.before, edit.after] as unknown as readonly [readonly Part[], readonly Part[]];
  const known = new Set(before.map((part) => JSON.stringify(part)));
  const isSame = JSON.stringify(before) === JSON.stringify(system);
  return isSame ? after : [...system, ...after.filter((part) => !known.has(JSON.stringify(part)))];
}

/** A pass's edit of the prompt; null where the prompt is the session's own. */
export function systemEditOf(frame: Conversation, after: Conversation): SystemEdit | null {
  const before = frame.wire?.system ?? [];
  if (after.system === before) return null;
  return { before: jsonOf(before), after: jsonOf(after.system) };
}

function jsonOf(parts: readonly Part[]): JsonValue {
  // Parts are plain JSON.
  return ownCopy(parts) as unknown as JsonValue;
}

/** The body that a session keeps: without its messages. */
export function baseOf(format: Format, body: JsonObject): JsonObject {
  const { [format.listKey]: _, ...rest } = body;
  // The list keeps its place among the keys, so that requests have the given order.
  return Object.hasOwn(body, format.listKey) ? { ...body, [format.listKey]: [] } : rest;
}

export function modelOf(base: JsonObject): string | undefined {
  return modelIn(base) ?? modelIn(base.config);
}

/** The view at one moment. Taking one costs nothing; its entries are built when they are read. */
export interface Snapshot {
  readonly record: SessionRecord;
  readonly entries: readonly Entry[];
  /** The conversation without messages: system prompt, tools and the rest. */
  readonly frame: Conversation;
  /** The live list; the snapshot's entries are its first ones. Any change but an append replaces the list. */
  readonly list: readonly Entry[];
  readonly length: number;
}

export interface LiveView {
  current(): Snapshot;
  /** Asks the store first. */
  refresh(): Promise<Snapshot>;
  /** Adds messages that this process appended without reading them back, unless others changed the session in between. */
  appended(batch: Batch, appended: AppendResult): void;
  /** What is known about the prefixes over which thinking in the view was signed. */
  readonly signing: Signing;
  /** Messages without their thinking, made on demand. */
  readonly unthought: WeakMap<Message, Message>;
}

export function createLiveView(store: Store, format: Format, opened: SessionState): LiveView {
  let entries: Entry[] = [...entriesOf(format, opened.view)];
  let snapshot = snapshotOf(opened, frameOf(format, opened), entries);
  const { id } = opened;
  const signing = createSigning(store, id, opened.version);
  const grow = (record: SessionRecord, messages: readonly StoredMessage[]): void => {
    for (const entry of entriesOf(format, messages)) entries.push(entry);
    snapshot = snapshotOf(record, snapshot.frame, entries);
  };
  /** False where two sessions of this id appeared since the question, and their order is unknown. */
  const take = (changes: Exclude<Changes, { readonly type: "none" }>, known: Snapshot): boolean => {
    const record = changes.type === "changed" ? changes.state : changes.record;
    const { version } = snapshot.record;
    const isSame = record.version.incarnation === version.incarnation;
    if (!isSame && !isSameSession(snapshot, known)) return false;
    if (isSame && !isNewer(record.version, version)) return true;
    if (changes.type === "changed") {
      const { view, ...rest } = changes.state;
      // Another session of the same id uses the same message ids.
      const before = new Map((isSame ? snapshot.entries : []).map((entry) => [entry.stored.id, entry]));
      entries = [...entriesOf(format, view, before)];
      snapshot = snapshotOf(rest, frameOf(format, rest), entries);
      // Others changed the session since the question: ask again for what they appended.
    } else if (record.version.revision !== version.revision) return false;
    else
      grow(
        changes.record,
        changes.messages.filter(({ sequence }) => sequence > version.sequence),
      );
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
        const changes = await store.changes(id, known.record.version);
        if (changes.type === "none" || take(changes, known) || questions === QUESTIONS_MAX) return snapshot;
      }
    },
    appended: (batch, { ids, version, createdAt }) => {
      const { record } = snapshot;
      const { sequence, revision, incarnation } = record.version;
      const isNext = sequence + ids.length === version.sequence && revision === version.revision;
      if (!isNext || incarnation !== version.incarnation) return;
      signing.appended(ids, sequence);
      const counters = countersAfterAppend(record.counters, { ...batch, messages: ids.length });
      grow({ ...record, version, counters }, storedOf(batch, { ids, sequence, createdAt }));
    },
  };
}

function storedOf(
  { messages }: Batch,
  { ids, sequence, createdAt }: Pick<AppendResult, "ids" | "createdAt"> & { readonly sequence: number },
): readonly StoredMessage[] {
  return messages.map(({ role, body, isPinned = false }, index) => {
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
}

/** A bound: other workers may create the session anew all the time. */
const QUESTIONS_MAX = 5;

function snapshotOf(record: SessionRecord, frame: Conversation, list: readonly Entry[]): Snapshot {
  const { length } = list;
  const entries = once(() => list.slice(0, length));
  return {
    record,
    frame,
    list,
    length,
    get entries(): readonly Entry[] {
      return entries();
    },
  };
}

function isSameSession(a: Snapshot, b: Snapshot): boolean {
  return a.record.version.incarnation === b.record.version.incarnation;
}

/** Both numbers only rise within a session, so an answer that arrives late can be recognised. */
function isNewer(next: Version, now: Version): boolean {
  return next.revision > now.revision || (next.revision === now.revision && next.sequence > now.sequence);
}

/** Messages that are sent in place of the stored ones, by id. */
export type Overlay = Map<string, OverlayEntry>;

export interface OverlayEntry {
  /** The entry that `message` was made from: once that entry is pinned or edited, `message` is obsolete. */
  readonly over: Entry;
  readonly message: Message;
}

/** As it is stored. */
export function conversationOf({ frame, entries }: Snapshot): Conversation {
  return { ...frame, messages: entries.map(({ message }) => message) };
}
