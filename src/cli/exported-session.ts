/**
 * The file that `export --all` writes and `import` reads back, and a session made again from it: every message, and the compactions in force
 * replayed over them, so that the view is the one that was exported and can be rolled back. All of it or nothing.
 */

import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { CompactionError } from "../core/errors.ts";
import { isArray, isObject, type JsonValue, numberOf, parseJson, stringOf } from "../core/json.ts";
import type { Format } from "../core/ports.ts";
import { attachmentsIn } from "../core/store/attachments.ts";
import type {
  CompactionEvent,
  EditKind,
  NewEdit,
  NewEvent,
  NewMessage,
  StoredMessage,
  SystemEdit,
} from "../core/store/store.ts";
import type { EventEdits, FullStore, StoredEdit } from "../core/store/store-upkeep.ts";
import { isTurnStart } from "../core/structure/structure.ts";
import { formatNamed, isFormatName } from "../formats.ts";
import { EXPORT_KIND, EXPORT_VERSION } from "../session/export-session.ts";
import { baseOf } from "../session/session-view.ts";
import { isTextPlanned } from "../session/views-around.ts";
import { messagesOf } from "./store-command.ts";

/** Files of older versions have neither `edits` nor `base`. */
export type ExportedFile = NonNullable<ReturnType<typeof readExported>>;

/** The kind stands at the beginning; in a file with sorted keys, a long list of events may come first. */
const HEAD_BYTES = 65_536;

/** Undefined for a file that is something else, or that cannot be read: reading it as a transcript says what is wrong. */
export function readExportedFile(path: string): ExportedFile | undefined {
  // A pipe can be read only once.
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
  const head = Buffer.alloc(HEAD_BYTES);
  try {
    const descriptor = openSync(path, "r");
    readSync(descriptor, head, 0, HEAD_BYTES, 0);
    closeSync(descriptor);
  } catch {
    return undefined;
  }
  return head.includes(`"${EXPORT_KIND}"`) ? readExported(readFileSync(path, "utf8")) : undefined;
}

/** Undefined for a text that is something else. */
export function readExported(text: string) {
  if (!text.includes(`"${EXPORT_KIND}"`)) return undefined;
  const file = parseJson(text);
  if (!isObject(file) || file.kind !== EXPORT_KIND) return undefined;
  if (numberOf(file.version) !== EXPORT_VERSION)
    throw broken(`it is of version ${JSON.stringify(file.version)}; this one reads ${EXPORT_VERSION}`);
  const { id, format, request, log, events, edits, base, metadata, agentId } = file;
  const name = stringOf(format) ?? "";
  if (typeof id !== "string" || !isFormatName(name)) throw broken("its id or format is missing");
  if (!isObject(request) || !isArray(log) || !isArray(events)) throw broken("its request, log or events are missing");
  return {
    id,
    format: name,
    request,
    log: log.map((row, index) => storedRow(row, index)),
    events: events.map((event, index) => storedEvent(event, index)),
    ...(isArray(edits) && { edits: edits.map((each, index) => storedEdits(each, index)) }),
    ...(isObject(base) && { base }),
    metadata: isObject(metadata) ? metadata : {},
    ...(typeof agentId === "string" && { agentId }),
  };
}

function storedRow(row: JsonValue, index: number): StoredMessage {
  const isRow =
    isObject(row) &&
    typeof row.id === "string" &&
    typeof row.sequence === "number" &&
    typeof row.order === "number" &&
    typeof row.role === "string" &&
    row.body !== undefined;
  if (!isRow) throw broken(`log.${index} is no stored message`);
  // Every field that is used was checked above; missing flags count as not set.
  return row as unknown as StoredMessage;
}

function storedEvent(event: JsonValue, index: number): CompactionEvent {
  const isEvent =
    isObject(event) &&
    typeof event.id === "string" &&
    typeof event.number === "number" &&
    isArray(event.preservedMessageIds);
  if (!isEvent) throw broken(`events.${index} is no compaction`);
  // Written by `exportedText`; a store checks again what it takes.
  return event as unknown as CompactionEvent;
}

function storedEdits(wrote: JsonValue, index: number): EventEdits {
  const { eventId, messages, system } = isObject(wrote) ? wrote : {};
  if (typeof eventId !== "string" || !isArray(messages))
    throw broken(`edits.${index} is nothing that a compaction wrote`);
  return {
    eventId,
    messages: messages.map((edit) => storedEdit(edit, index)),
    system: isObject(system) ? { before: system.before ?? null, after: system.after ?? null } : null,
  };
}

const KINDS: readonly string[] = ["cap", "trim", "stub", "clear"] satisfies readonly EditKind[];

function storedEdit(edit: JsonValue, index: number): StoredEdit {
  const { messageId, kind, body } = isObject(edit) ? edit : {};
  if (typeof messageId !== "string" || body === undefined) throw broken(`edits.${index} holds what is no edit`);
  // The list was checked; an unknown kind is read as a reshaped message.
  return { messageId, kind: KINDS.includes(stringOf(kind) ?? "") ? (kind as EditKind) : "reshape", body };
}

function broken(what: string): CompactionError {
  return new CompactionError("unreadable-file", `this is an export of a session, but ${what}; export it again`);
}

export async function restoreSession(store: FullStore, id: string, exported: ExportedFile) {
  const format = formatNamed(exported.format);
  const log = exported.log.toSorted((a, b) => a.sequence - b.sequence);
  const events = exported.events.filter(({ undoneAt }) => undoneAt === null).toSorted((a, b) => a.number - b.number);
  const edits = editsByEvent({ exported, format, log, events });
  const { metadata, agentId, base = baseOf(format, exported.request) } = exported;
  await store.create({ id, format: format.name, base, metadata, ...(agentId !== undefined && { agentId }) });
  const task: Replay = { store, id, format, log, ids: createIdMap(log) };
  try {
    const appended = log.filter(({ madeBy }) => madeBy === null);
    let done = 0;
    for (const event of events) {
      const until = appended.findLastIndex(({ sequence }) => sequence <= lastSeenBy(event, log)) + 1;
      await append(task, appended.slice(done, until));
      done = Math.max(done, until);
      await commit(task, event, edits.get(event.id) ?? NO_EDITS);
    }
    await append(task, appended.slice(done));
    const pinned = log.filter(({ isPinned, archivedBy }) => isPinned && archivedBy === null);
    const pinnedIds = pinned.flatMap((row) => task.ids.idOf(row.id) ?? []);
    if (pinnedIds.length > 0) await store.update(id, { type: "pin", messageIds: pinnedIds, isPinned: true });
    return { messages: appended.length, events: events.length, notCarried: notCarried(exported, format) };
  } catch (error) {
    await store.delete(id);
    throw error;
  }
}

interface Replay {
  readonly store: FullStore;
  readonly id: string;
  readonly format: Format;
  readonly log: readonly StoredMessage[];
  readonly ids: IdMap;
}

async function append({ store, id, format, ids }: Replay, rows: readonly StoredMessage[]): Promise<void> {
  if (rows.length === 0) return;
  const turns = messagesOf(format, rows).filter(isTurnStart).length;
  const appended = await store.append(id, { messages: newMessages(format, rows), turns });
  ids.learn(rows, appended.ids);
}

const LEASE_MS = 60_000;

const NO_EDITS: RestoredEdits = { edits: [], system: null };

async function commit(task: Replay, event: CompactionEvent, wrote: RestoredEdits): Promise<void> {
  const { store, id, format, log, ids } = task;
  const lease = await store.lease(id, "import", LEASE_MS);
  const state = await store.open(id);
  if (lease === undefined || state === undefined) throw new Error("a session that was just made is ours alone");
  const inserted = log.filter(({ madeBy }) => madeBy === event.id).toSorted((a, b) => a.order - b.order);
  const archived = log.filter(({ archivedBy, madeBy }) => archivedBy === event.id && madeBy !== event.id);
  const committed = await store.commit(id, {
    event: ids.mapEvent(event),
    lease,
    revision: state.version.revision,
    sequence: state.version.sequence,
    archivedIds: archived.flatMap((row) => ids.idOf(row.id) ?? []),
    edits: wrote.edits.flatMap((edit) => {
      const messageId = ids.idOf(edit.messageId);
      return messageId === undefined ? [] : [{ ...edit, messageId }];
    }),
    inserted: newMessages(format, inserted).map((message, index) => ({
      ...message,
      order: ids.orderOf(inserted[index]?.order ?? 0),
    })),
    system: wrote.system,
    passes: { weak: 0, tokensAfter: event.compactedTokens },
    totalTokens: event.compactedTokens,
  });
  ids.learn(inserted, committed.insertedIds);
  await store.release(lease);
}

function newMessages(format: Format, rows: readonly StoredMessage[]): readonly NewMessage[] {
  const decoded = messagesOf(format, rows);
  return rows.map(({ role, body }, index) => ({
    role,
    body,
    attachments: attachmentsIn(body, decoded[index]?.parts ?? []),
  }));
}

/** The last number that had been given when the event was made. */
function lastSeenBy(event: CompactionEvent, log: readonly StoredMessage[]): number {
  const preserved = new Set(event.preservedMessageIds);
  return log.reduce((last, row) => {
    // The messages that the event inserted have the newest numbers, so all earlier ones existed.
    const wasThere = row.madeBy === event.id || preserved.has(row.id) || row.archivedBy === event.id;
    return wasThere ? Math.max(last, row.sequence) : last;
  }, 0);
}

function notCarried({ events, request, edits }: ExportedFile, format: Format): readonly string[] {
  const inForce = events.filter(({ undoneAt }) => undoneAt === null);
  const undone = events.length - inForce.length;
  const purged = inForce.filter(({ purgedAt }) => purgedAt !== null).length;
  const around = JSON.stringify({ ...request, [format.listKey]: [] });
  const isInPrompt =
    edits === undefined && inForce.some(({ summary }) => summary !== null && around.includes(escaped(summary)));
  return [
    "times: messages and compactions have the time of this import",
    ...(undone === 0 ? [] : [`compactions that had been undone: ${undone}`]),
    ...(purged === 0
      ? []
      : [`messages that had been purged; rolling ${purged} compaction(s) back will not bring them`]),
    ...(edits !== undefined || inForce.length === 0
      ? []
      : ["texts that a compaction shortened before a later one took them out of the view"]),
    ...(isInPrompt ? ["the system prompt without the summary that a compaction wrote into it"] : []),
  ];
}

/** Enough of a summary to recognise it. */
const SUMMARY_CHARACTERS = 60;

function escaped(summary: string): string {
  return JSON.stringify(summary.slice(0, SUMMARY_CHARACTERS)).slice(1, -1);
}

interface RestoredEdits {
  readonly edits: readonly NewEdit[];
  readonly system: SystemEdit | null;
}

interface EditInput {
  readonly exported: ExportedFile;
  readonly format: Format;
  readonly log: readonly StoredMessage[];
  /** Those in force, oldest first. */
  readonly events: readonly CompactionEvent[];
}

function editsByEvent(input: EditInput): ReadonlyMap<string, RestoredEdits> {
  const { exported, format, log } = input;
  if (exported.edits === undefined) return editsInView(input);
  const rows = new Map(log.map((row) => [row.id, row]));
  return new Map(
    exported.edits.map(({ eventId, messages, system }) => {
      const edits = messages.flatMap((edit) => {
        const row = rows.get(edit.messageId);
        return row === undefined ? [] : [editOf(format, row, edit)];
      });
      return [eventId, { edits, system }];
    }),
  );
}

/** Bodies of the view that are not as they were appended, each under the newest compaction that can have changed it. */
function editsInView({ exported, format, log, events }: EditInput): ReadonlyMap<string, RestoredEdits> {
  const list = exported.request[format.listKey];
  const bodies: readonly JsonValue[] = isArray(list) ? list : [];
  const view = log.filter(({ archivedBy }) => archivedBy === null).toSorted((a, b) => a.order - b.order);
  const changed = view.flatMap((row, index) => {
    const body = bodies[index];
    const isChanged = body !== undefined && JSON.stringify(body) !== JSON.stringify(row.body);
    const event = isChanged ? editorOf(row, events) : undefined;
    if (event === undefined || body === undefined) return [];
    return [{ event, edit: editOf(format, row, { kind: "reshape", body }) }];
  });
  const groups = Map.groupBy(changed, ({ event }) => event.id);
  return new Map([...groups].map(([id, group]) => [id, { edits: group.map(({ edit }) => edit), system: null }]));
}

function editorOf({ id }: StoredMessage, events: readonly CompactionEvent[]): CompactionEvent | undefined {
  return (
    events.findLast((event) => isTextPlanned(event, id)) ??
    events.findLast(({ preservedMessageIds }) => preservedMessageIds.includes(id))
  );
}

function editOf(format: Format, row: StoredMessage, { kind, body }: Pick<StoredEdit, "kind" | "body">): NewEdit {
  const [decoded] = messagesOf(format, [{ ...row, body }]);
  return { messageId: row.id, kind, body, attachments: attachmentsIn(body, decoded?.parts ?? []) };
}

type IdMap = ReturnType<typeof createIdMap>;

function createIdMap(log: readonly StoredMessage[]) {
  const newIds = new Map<string, string>();
  /** Appended messages stand at their own numbers: the fixed points between which the others have their places. */
  const places: { readonly before: number; readonly after: number }[] = [];
  const lastSequence = log.at(-1)?.sequence ?? 0;
  const idOf = (oldId: string): string | undefined => newIds.get(oldId);
  return {
    /** These messages are now there, under these ids. */
    learn: (rows: readonly StoredMessage[], ids: readonly string[]): void => {
      rows.forEach((row, index) => {
        const id = ids[index];
        if (id === undefined) return;
        newIds.set(row.id, id);
        if (row.madeBy === null) places.push({ before: row.sequence, after: Number(id.slice(1)) });
      });
    },
    /** Undefined for a message that the copy does not have. */
    idOf,
    orderOf: (order: number): number => {
      const at = places.findLastIndex(({ before }) => before <= order);
      const low = places[at];
      const high = places[at + 1];
      if (low === undefined) return high === undefined ? order : high.after - (high.before - order);
      const [from, to] = high === undefined ? [lastSequence + 1, low.after + 1] : [high.before, high.after];
      return low.after + ((order - low.before) / (from - low.before)) * (to - low.after);
    },
    mapEvent: (event: CompactionEvent): NewEvent => {
      const { id: _, sessionId: _session, number: _number, previousId: _previous, ...rest } = event;
      const { createdAt: _created, undoneAt: _undone, purgedAt: _purged, ...facts } = rest;
      const archived = log.filter(({ archivedBy, madeBy }) => archivedBy === event.id && madeBy !== event.id).length;
      return {
        ...facts,
        // The copy of a purged event never had what was deleted; by its own number it is complete.
        messagesRemoved: event.purgedAt === null ? facts.messagesRemoved : archived,
        preservedMessageIds: facts.preservedMessageIds.flatMap((oldId) => idOf(oldId) ?? []),
        firstKeptId: facts.firstKeptId === null ? null : (idOf(facts.firstKeptId) ?? null),
        plan: mapIds(facts.plan, idOf),
      };
    },
  };
}

const ID_KEYS: ReadonlySet<string> = new Set(["messageId", "messageIds", "turnPrefixIds", "replacesIds"]);

/** Replaces ids under the keys that hold them only: a text that happens to be `m1` stays as it is. */
function mapIds(value: JsonValue, idOf: (oldId: string) => string | undefined): JsonValue {
  if (isArray(value)) return value.map((element) => mapIds(element, idOf));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, element]) => {
    if (element === undefined || !ID_KEYS.has(key))
      return [key, element === undefined ? undefined : mapIds(element, idOf)];
    const rename = (id: JsonValue): JsonValue => (typeof id === "string" ? (idOf(id) ?? id) : id);
    return [key, isArray(element) ? element.map(rename) : rename(element)];
  });
  return Object.fromEntries(entries);
}
