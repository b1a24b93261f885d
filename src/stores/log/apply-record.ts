/**
 * What a record does to a session. It never throws and checks nothing: what must not happen is refused before the record is made,
 * and a record that names what is not there (its line was lost) does what it can.
 */

import { countersAfterAppend, countersAfterCompaction, countersAfterRollback } from "../../core/store/counters.ts";
import type { Appended, Committed, LogMessage, LogRecord, Pinned, Purged, RolledBack } from "./log-record.ts";
import type { LogEvent, Row, SessionLog } from "./session-log.ts";

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
      applyRolledBack(log, record);
      break;
    case "pinned":
      applyPinned(log, record);
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
      applyPurged(log, record);
      break;
    default:
      record satisfies never;
  }
}

function applyAppended(log: SessionLog, { messages, turns, usage, at }: Appended): void {
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

function applyCommitted(log: SessionLog, record: Committed): void {
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
  const totalTokens = record.totalTokens ?? undefined;
  // A file may have been written before anybody asked.
  const isOvertaken = record.isOvertaken === true;
  const counts = { totalTokens, isCompaction: record.event.isCompaction, isOvertaken };
  log.counters = countersAfterCompaction(log.counters, counts);
  log.view = inOrder([...log.view, ...made]);
}

function rowsOf(log: SessionLog, ids: readonly string[]): readonly Row[] {
  return ids.map((id) => log.rows.get(id)).filter((row) => row !== undefined);
}

function applyRolledBack(log: SessionLog, { eventIds, at }: RolledBack): void {
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

function applyPinned(log: SessionLog, { messageIds, isPinned }: Pinned): void {
  for (const row of rowsOf(log, messageIds)) row.isPinned = isPinned;
}

function applyPurged(log: SessionLog, { eventIds, at }: Purged): void {
  const purged = new Set(eventIds);
  for (const row of log.rows.values()) if (purged.has(row.archivedBy ?? "")) log.rows.delete(row.id);
  for (const id of eventIds) {
    const event = log.events.get(id);
    if (event !== undefined) event.facts = { ...event.facts, purgedAt: at };
  }
}
