/** What a session shows: its record and its view, in one state of the database. Reads the view's rows only, never the whole log. */

import type { CompactionEvent } from "../../core/store/compaction-event.ts";
import type { ArchiveRange, Changes, RowCounts, SessionState, StoredMessage, Version } from "../../core/store/store.ts";
import type { EventEdits, SessionSummary } from "../../core/store/store-upkeep.ts";
import { numberIn, textIn, textOrNullIn } from "../sql/cells.ts";
import { sessionMissing } from "../sql/refusals.ts";
import { EVENT_COLUMNS, eventOf, hashesOf, sequenceOf, sessionSummaryOf, storedEdits, systemOf } from "../sql/rows.ts";
import { type Access, pages } from "./access.ts";
import type { Database } from "./database.ts";
import { APPENDED_COLUMNS, bytesFor, readMessages } from "./messages.ts";
import { checkSession, recordOf, seenVersion } from "./sessions.ts";

export function stateOf(database: Database, sessionId: string): SessionState | undefined {
  const record = recordOf(database, sessionId);
  if (record === undefined) return undefined;
  return { ...record, view: readMessages(database, sessionId, database.all(VIEW, sessionId)) };
}

// The join finds nothing to look for where nothing was edited.
const VIEW = `SELECT m.sequence, m.order_key, m.role, m.is_preserved, m.is_summary, m.made_by, m.archived_by,
  m.edited_by IS NOT NULL AS is_edited, m.created_at,
  iif(m.edited_by IS NULL, m.attachments, e.attachments) AS attachments, iif(m.edited_by IS NULL, m.body, e.body) AS body
FROM messages m LEFT JOIN message_edits e ON e.event_id = m.edited_by AND e.sequence = m.sequence
WHERE m.session_id = ? AND m.archived_by IS NULL ORDER BY m.order_key`;

export function changesSince(database: Database, sessionId: string, since: Version): Changes {
  const version = seenVersion(database, sessionId);
  const isSameRevision = version.incarnation === since.incarnation && version.revision === since.revision;
  if (isSameRevision && version.sequence === since.sequence) return { type: "none" };
  if (isSameRevision && version.sequence > since.sequence) {
    const record = recordOf(database, sessionId);
    if (record === undefined) throw sessionMissing(sessionId);
    const rows = database.all(NEWER, sessionId, since.sequence);
    return { type: "appended", record, messages: readMessages(database, sessionId, rows) };
  }
  const state = stateOf(database, sessionId);
  if (state === undefined) throw sessionMissing(sessionId);
  return { type: "changed", state };
}

const NEWER = `SELECT ${APPENDED_COLUMNS} FROM messages WHERE session_id = ? AND sequence > ? ORDER BY sequence`;

export function countsOf(database: Database, sessionId: string): RowCounts {
  seenVersion(database, sessionId);
  const row = database.get(COUNTS, sessionId) ?? {};
  return { view: numberIn(row, "view_count"), archived: numberIn(row, "archive_count") };
}

// What is hidden by the event that made it was taken back by a rollback.
const COUNTS = `SELECT count(*) FILTER (WHERE archived_by IS NULL) AS view_count,
  count(*) FILTER (WHERE archived_by IS NOT NULL AND made_by IS NOT archived_by) AS archive_count
FROM messages WHERE session_id = ?`;

/** Bodies as they were written, in the order of the ids; what is not there is left out. */
export function messagesOf(
  database: Database,
  sessionId: string,
  messageIds: readonly string[],
): readonly StoredMessage[] {
  seenVersion(database, sessionId);
  const sequences = messageIds.map(sequenceOf).filter((sequence) => sequence !== undefined);
  const rows = database.all(BY_NUMBER, sessionId, JSON.stringify(sequences));
  const found = new Map(readMessages(database, sessionId, rows).map((message) => [message.id, message]));
  return messageIds.flatMap((id) => found.get(id) ?? []);
}

const BY_NUMBER = `SELECT ${APPENDED_COLUMNS} FROM messages
WHERE session_id = ? AND sequence IN (SELECT value FROM json_each(?))`;

export function readEvents(access: Access, sessionId: string): AsyncGenerator<CompactionEvent, void, undefined> {
  return pages<CompactionEvent>(access, (database, after, limit) => {
    checkSession(database, sessionId);
    return database.all(EVENTS, sessionId, after?.number ?? 0, limit).map(eventOf);
  });
}

const EVENTS = `SELECT ${EVENT_COLUMNS.join(", ")} FROM compaction_events
WHERE session_id = ? AND number > ? ORDER BY number LIMIT ?`;

/** Event after event, each in the order in which its messages stood. */
export async function* readArchive(
  access: Access,
  sessionId: string,
  { eventId }: ArchiveRange,
): AsyncGenerator<StoredMessage, void, undefined> {
  for await (const { id, undoneAt } of readEvents(access, sessionId)) {
    // What an undone event still hides was taken back, and is no archive.
    if (undoneAt !== null || (eventId !== undefined && eventId !== id)) continue;
    yield* pages<StoredMessage>(access, (database, after, limit) => {
      const rows = database.all(ARCHIVED, id, after?.order ?? -Number.MAX_VALUE, after?.sequence ?? 0, limit);
      return readMessages(database, sessionId, rows);
    });
  }
}

const ARCHIVED = `SELECT ${APPENDED_COLUMNS} FROM messages
WHERE archived_by = ? AND (order_key, sequence) > (?, ?) ORDER BY order_key, sequence LIMIT ?`;

export function readLog(access: Access, sessionId: string): AsyncGenerator<StoredMessage, void, undefined> {
  return pages<StoredMessage>(access, (database, after, limit) => {
    checkSession(database, sessionId);
    return readMessages(database, sessionId, database.all(LOG, sessionId, after?.sequence ?? 0, limit));
  });
}

const LOG = `SELECT ${APPENDED_COLUMNS} FROM messages WHERE session_id = ? AND sequence > ? ORDER BY sequence LIMIT ?`;

/** The ids are read at once, so that a session which is written to meanwhile is neither missed nor told twice. */
export async function* readSessions(access: Access): AsyncGenerator<SessionSummary, void, undefined> {
  const ids = await access.read(({ all }) => all(NEWEST_FIRST).map((row) => textIn(row, "id")));
  for (let start = 0; start < ids.length; start += SESSIONS_AT_ONCE) {
    const page = ids.slice(start, start + SESSIONS_AT_ONCE);
    const rows = await access.read(({ get }) => page.map((id) => get(SUMMARY, id)));
    // One that was deleted meanwhile is not told.
    yield* rows.filter((row) => row !== undefined).map(sessionSummaryOf);
  }
}

const SESSIONS_AT_ONCE = 100;
const NEWEST_FIRST = "SELECT id FROM sessions ORDER BY updated_at DESC, rowid DESC";
const SUMMARY = `SELECT id, format, agent_id, message_count, compaction_count, total_tokens, is_total_stale, created_at, updated_at,
(SELECT count(*) FROM messages m WHERE m.session_id = sessions.id AND m.archived_by IS NULL) AS view_count
FROM sessions WHERE id = ?`;

export async function* readEdits(access: Access, sessionId: string): AsyncGenerator<EventEdits, void, undefined> {
  const events = await access.read((database) => {
    checkSession(database, sessionId);
    return database.all(EDITORS, sessionId);
  });
  for (const event of events) {
    const eventId = textIn(event, "id");
    const messages = await access.read((database) => {
      const rows = database.all(EDITS, eventId);
      return storedEdits(rows, bytesFor(database, sessionId, hashesOf(rows)));
    });
    yield { eventId, messages, system: systemOf(textOrNullIn(event, "system_edit")) };
  }
}

const EDITORS = `SELECT e.id, e.system_edit FROM compaction_events e WHERE e.session_id = ?
AND (e.system_edit IS NOT NULL OR EXISTS (SELECT 1 FROM message_edits d WHERE d.event_id = e.id)) ORDER BY e.number`;

const EDITS = "SELECT sequence, kind, attachments, body FROM message_edits WHERE event_id = ? ORDER BY sequence";
