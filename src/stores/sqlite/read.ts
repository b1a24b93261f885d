/** What a session shows: its record, view, events and archive. A view is read by its own rows, never by the whole log. */

import type {
  ArchiveRange,
  Changes,
  CompactionEvent,
  RowCounts,
  SessionState,
  StoredMessage,
  Version,
} from "../../core/store/store.ts";
import { checkSessionId, sequenceOf } from "../../core/store/store-rules.ts";
import { sessionMissing } from "../refusals.ts";
import { numberIn } from "../sql/cells.ts";
import { EVENT_COLUMNS, eventOf } from "../sql/rows.ts";
import type { Connection } from "./connection.ts";
import { type Database, pages } from "./database.ts";
import { messagesOf, WRITTEN_MESSAGE } from "./messages.ts";
import { recordOf, requireSession } from "./sessions.ts";

export function readState(connection: Connection, sessionId: string): SessionState | undefined {
  const record = recordOf(connection, sessionId);
  return record && { ...record, view: messagesOf(connection, sessionId, connection.all(VIEW, sessionId)) };
}

// The join finds nothing to look for where nothing was edited.
const VIEW = `SELECT m.sequence, m.order_key, m.role, m.is_preserved, m.is_summary, m.made_by, m.archived_by,
  m.edited_by IS NOT NULL AS is_edited, m.created_at,
  iif(m.edited_by IS NULL, m.attachments, e.attachments) AS attachments, iif(m.edited_by IS NULL, m.body, e.body) AS body
FROM messages m LEFT JOIN message_edits e ON e.event_id = m.edited_by AND e.sequence = m.sequence
WHERE m.session_id = ? AND m.archived_by IS NULL ORDER BY m.order_key`;

export function readChanges(connection: Connection, sessionId: string, since: Version): Changes {
  const { incarnation, revision, sequence } = requireSession(connection, sessionId);
  const isSameRevision = incarnation === since.incarnation && revision === since.revision;
  if (isSameRevision && sequence === since.sequence) return { type: "none" };
  if (isSameRevision && sequence > since.sequence) {
    const record = recordOf(connection, sessionId);
    if (record === undefined) throw sessionMissing(sessionId);
    const rows = connection.all(NEWER, sessionId, since.sequence);
    return { type: "appended", record, messages: messagesOf(connection, sessionId, rows) };
  }
  const state = readState(connection, sessionId);
  if (state === undefined) throw sessionMissing(sessionId);
  return { type: "changed", state };
}

const NEWER = `SELECT ${WRITTEN_MESSAGE} FROM messages WHERE session_id = ? AND sequence > ? ORDER BY sequence`;

export function readCounts(connection: Connection, sessionId: string): RowCounts {
  requireSession(connection, sessionId);
  const row = connection.get(COUNTS, sessionId) ?? {};
  return { view: numberIn(row, "view_count"), archived: numberIn(row, "archive_count") };
}

// A message that is hidden by the event that made it was taken back by a rollback.
const COUNTS = `SELECT count(*) FILTER (WHERE archived_by IS NULL) AS view_count,
  count(*) FILTER (WHERE archived_by IS NOT NULL AND made_by IS NOT archived_by) AS archive_count
FROM messages WHERE session_id = ?`;

/** Bodies as they were written, in the order of the ids, without messages that are not there. */
export function readMessages(
  connection: Connection,
  sessionId: string,
  messageIds: readonly string[],
): readonly StoredMessage[] {
  requireSession(connection, sessionId);
  const sequences = messageIds.map(sequenceOf).filter((sequence) => sequence !== undefined);
  const rows = connection.all(BY_NUMBER, sessionId, JSON.stringify(sequences));
  const found = new Map(messagesOf(connection, sessionId, rows).map((message) => [message.id, message]));
  return messageIds.flatMap((id) => found.get(id) ?? []);
}

const BY_NUMBER = `SELECT ${WRITTEN_MESSAGE} FROM messages
WHERE session_id = ? AND sequence IN (SELECT value FROM json_each(?))`;

export function readEvents(database: Database, sessionId: string): AsyncGenerator<CompactionEvent> {
  return pages<CompactionEvent>(database, (connection, after, limit) => {
    checkSessionId(sessionId);
    requireSession(connection, sessionId);
    return connection.all(EVENTS, sessionId, after?.number ?? 0, limit).map(eventOf);
  });
}

const EVENTS = `SELECT ${EVENT_COLUMNS.join(", ")} FROM compaction_events
WHERE session_id = ? AND number > ? ORDER BY number LIMIT ?`;

/** Event after event, each in the order in which its messages stood. */
export async function* readArchive(
  database: Database,
  sessionId: string,
  { eventId }: ArchiveRange,
): AsyncGenerator<StoredMessage> {
  for await (const { id, undoneAt } of readEvents(database, sessionId)) {
    // What an undone event still hides was taken back, and is no archive.
    if (undoneAt !== null || (eventId !== undefined && eventId !== id)) continue;
    yield* pages<StoredMessage>(database, (connection, after, limit) => {
      const rows = connection.all(ARCHIVED, id, after?.order ?? -Number.MAX_VALUE, after?.sequence ?? 0, limit);
      return messagesOf(connection, sessionId, rows);
    });
  }
}

const ARCHIVED = `SELECT ${WRITTEN_MESSAGE} FROM messages
WHERE archived_by = ? AND (order_key, sequence) > (?, ?) ORDER BY order_key, sequence LIMIT ?`;
