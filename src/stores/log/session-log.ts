/** One session in memory, as its records left it. Only `applyRecord` changes it, in place. With `isWhole` false it holds the view alone. */

import { deepFreeze, type JsonObject, type JsonValue } from "../../core/json.ts";
import {
  type Counters,
  countersAfterAppend,
  countersAfterCompaction,
  countersAfterRollback,
  NO_COUNTERS,
  type PassHistory,
} from "../../core/store/counters.ts";
import type {
  CompactionEvent,
  SessionRecord,
  SessionState,
  StoredMessage,
  SystemEdit,
  Version,
} from "../../core/store/store.ts";
import type { StoredEdit } from "../../core/store/store-upkeep.ts";
import type { AppendRecord, CommitRecord, LogHeader, LogMessage, LogRecord } from "./records.ts";

export interface SessionLog extends Pick<LogHeader, "id" | "incarnation" | "format" | "agentId" | "parentId"> {
  readonly createdAt: string;
  metadata: JsonObject;
  isWhole: boolean;
  base: JsonObject;
  updatedAt: string;
  head: string | null;
  sequence: number;
  revision: number;
  /** Of the newest event; they count up. */
  eventNumber: number;
  counters: Counters;
  passes: PassHistory;
  system: SystemEdit | null;
  /** Everything that was not purged, by id, in the order of its numbers. */
  readonly rows: Map<string, Row>;
  /** Rows that nothing archived, in the order of the view. */
  view: Row[];
  /** By id, oldest first. */
  readonly events: Map<string, LogEvent>;
}

export interface Row extends Omit<LogMessage, "isPinned"> {
  isPinned: boolean;
  /** The event that inserted it. */
  readonly madeBy: string | null;
  /** The event that hides it: one that archived it, or the one that made it, once that is undone. */
  archivedBy: string | null;
  readonly createdAt: string;
  /** Of events in force, oldest first. */
  edits: readonly RowEdit[];
  /** For search by meaning, of a store in memory, once somebody searched. */
  vector?: Int8Array | undefined;
}

interface RowEdit extends StoredEdit {
  readonly eventId: string;
}

export interface LogEvent {
  facts: CompactionEvent;
  readonly system: SystemEdit | null;
  readonly archived: readonly Row[];
  readonly made: readonly Row[];
  readonly edits: readonly StoredEdit[];
}

export function newLog(created: LogHeader): SessionLog {
  const { at, ...rest } = created;
  return {
    ...rest,
    createdAt: at,
    updatedAt: at,
    isWhole: true,
    head: null,
    sequence: 0,
    revision: 0,
    eventNumber: 0,
    counters: NO_COUNTERS,
    passes: { weak: 0, tokensAfter: 0 },
    system: null,
    rows: new Map(),
    view: [],
    events: new Map(),
  };
}

export function versionOf({ incarnation, head, sequence, revision }: SessionLog): Version {
  return { incarnation, head, sequence, revision };
}

export function recordOf(log: SessionLog): SessionRecord {
  const { id, format, agentId, parentId, createdAt, updatedAt } = log;
  const version = versionOf(log);
  // Kept objects are returned frozen instead of copied: freezing costs once, a copy would cost every time.
  const [base, metadata] = [deepFreeze(log.base), deepFreeze(log.metadata)];
  const [counters, passes, system] = [deepFreeze(log.counters), deepFreeze(log.passes), deepFreeze(log.system)];
  return { id, format, base, agentId, parentId, metadata, version, counters, passes, system, createdAt, updatedAt };
}

export function stateOf(log: SessionLog): SessionState {
  return { ...recordOf(log), view: log.view.map(asSent) };
}

export function asSent(row: Row): StoredMessage {
  const edit = row.edits.at(-1);
  return edit === undefined ? asWritten(row) : stored(row, edit.body, true);
}

export function asWritten(row: Row): StoredMessage {
  return stored(row, row.body, false);
}

function stored(row: Row, kept: JsonValue, isEdited: boolean): StoredMessage {
  const body = deepFreeze(kept);
  const { id, sequence, order, role, isPinned, madeBy, archivedBy, createdAt } = row;
  const isSummary = madeBy !== null;
  return { id, sequence, order, role, body, isPinned, isSummary, isEdited, madeBy, archivedBy, createdAt };
}

/** Inserted by a compaction that was undone: in neither view nor archive. */
export function isTakenBack({ madeBy, archivedBy }: Row): boolean {
  return archivedBy !== null && archivedBy === madeBy;
}

export function applyRecord(log: SessionLog, record: LogRecord): void {
  log.updatedAt = record.at;
  if (record.type !== "appended") log.revision++;
  switch (record.type) {
    case "appended":
      applyAppended(log, record);
      break;
    case "committed":
      applyCommitted(log, record);
      break;
    case "rolled-back":
      applyRolledBack(log, record.eventIds, record.at);
      break;
    case "pinned":
      for (const row of rowsOf(log, record.messageIds)) row.isPinned = record.isPinned;
      break;
    case "based":
      log.base = record.base;
      break;
    case "described":
      log.metadata = record.metadata;
      break;
    case "flushed":
      log.counters = { ...log.counters, memoryFlushCompactionCount: log.counters.compactionCount };
      break;
    case "purged":
      applyPurged(log, record.eventIds, record.at);
      break;
    default:
      record satisfies never;
  }
}

function applyAppended(log: SessionLog, { messages, turns, usage, at }: AppendRecord): void {
  for (const message of messages) log.view.push(addRow(log, message, { madeBy: null, createdAt: at }));
  const counts = { messages: messages.length, turns, ...(usage === undefined ? {} : { usage }) };
  log.counters = countersAfterAppend(log.counters, counts);
}

function addRow(log: SessionLog, message: LogMessage, made: Pick<Row, "madeBy" | "createdAt">): Row {
  const { id, sequence, order, role, body, isPinned } = message;
  const row = { id, sequence, order, role, body, isPinned, ...made, archivedBy: null, edits: [] };
  log.rows.set(id, row);
  log.sequence = Math.max(log.sequence, sequence);
  return row;
}

function applyCommitted(log: SessionLog, record: CommitRecord): void {
  const { eventId, at, system } = record;
  const archived = rowsOf(log, record.archivedIds);
  for (const row of archived) row.archivedBy = eventId;
  for (const edit of record.edits) {
    const row = log.rows.get(edit.messageId);
    if (row !== undefined) row.edits = [...row.edits, { ...edit, eventId }];
  }
  const made = record.inserted.map((message) => addRow(log, message, { madeBy: eventId, createdAt: at }));
  log.eventNumber++;
  const facts = {
    ...record.event,
    id: eventId,
    sessionId: log.id,
    number: log.eventNumber,
    previousId: log.head,
    createdAt: at,
    undoneAt: null,
    purgedAt: null,
  };
  log.events.set(eventId, { facts, system, archived, made, edits: record.edits });
  log.head = eventId;
  log.system = system;
  log.passes = record.passes;
  log.counters = countersAfterCompaction(log.counters, {
    totalTokens: record.totalTokens ?? undefined,
    isCompaction: record.event.isCompaction,
    // Older files do not say it.
    isOvertaken: record.isOvertaken === true,
  });
  log.view = inOrder([...log.view, ...made]);
}

function rowsOf(log: SessionLog, ids: readonly string[]): readonly Row[] {
  return ids.map((id) => log.rows.get(id)).filter((row) => row !== undefined);
}

function applyRolledBack(log: SessionLog, eventIds: readonly string[], at: string): void {
  const undone = eventIds.map((id) => log.events.get(id)).filter((event) => event !== undefined);
  for (const event of undone) undo(log, event, at);
  log.system = log.events.get(log.head ?? "")?.system ?? null;
  log.passes = { weak: 0, tokensAfter: 0 };
  const compactions = undone.filter(({ facts }) => facts.isCompaction).length;
  log.counters = countersAfterRollback(log.counters, compactions);
}

function undo(log: SessionLog, event: LogEvent, at: string): void {
  const { id, previousId } = event.facts;
  for (const row of event.archived) row.archivedBy = null;
  for (const row of event.made) row.archivedBy = id;
  const edited = event.edits.map(({ messageId }) => messageId);
  for (const row of rowsOf(log, edited)) row.edits = row.edits.filter(({ eventId }) => eventId !== id);
  event.facts = { ...event.facts, undoneAt: at };
  log.head = previousId;
  log.view = inOrder([...log.view, ...event.archived]);
}

function inOrder(rows: readonly Row[]): Row[] {
  return rows.filter(({ archivedBy }) => archivedBy === null).sort((a, b) => a.order - b.order);
}

function applyPurged(log: SessionLog, eventIds: readonly string[], at: string): void {
  const purged = new Set(eventIds);
  for (const row of log.rows.values()) if (purged.has(row.archivedBy ?? "")) log.rows.delete(row.id);
  for (const id of eventIds) {
    const event = log.events.get(id);
    if (event !== undefined) event.facts = { ...event.facts, purgedAt: at };
  }
}

export function forkLog(
  log: SessionLog,
  { id, at, newId }: { readonly id: string; readonly at: string; readonly newId: () => string },
): SessionLog {
  const eventIds = new Map([...log.events.keys()].map((eventId) => [eventId, newId()]));
  const renamed = (eventId: string | null): string | null =>
    eventId === null ? null : (eventIds.get(eventId) ?? null);
  const rows = new Map([...log.rows.values()].map((row) => [row.id, copyRow(row, renamed)]));
  const copies = (originals: readonly Row[]): readonly Row[] =>
    originals.map((row) => rows.get(row.id)).filter((row) => row !== undefined);
  const events = [...log.events.values()].map((event): readonly [string, LogEvent] => {
    const eventId = eventIds.get(event.facts.id) ?? event.facts.id;
    const facts = { ...event.facts, id: eventId, sessionId: id, previousId: renamed(event.facts.previousId) };
    const { archived, made, edits, system } = event;
    return [eventId, { facts, system, archived: copies(archived), made: copies(made), edits }];
  });
  const view = [...copies(log.view)];
  const head = renamed(log.head);
  const made = { id, incarnation: newId(), parentId: log.id, createdAt: at, updatedAt: at };
  return { ...log, ...made, head, rows, view, events: new Map(events) };
}

function copyRow(row: Row, renamed: (eventId: string | null) => string | null): Row {
  const edits = row.edits.map((edit) => ({ ...edit, eventId: renamed(edit.eventId) ?? edit.eventId }));
  return { ...row, madeBy: renamed(row.madeBy), archivedBy: renamed(row.archivedBy), edits };
}
