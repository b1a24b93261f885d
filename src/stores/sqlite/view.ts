/** What a session shows: its record and its view, in one state of the database. Reads the view's rows only, never the whole log. */

import type { Changes, RowCounts, SessionState, StoredMessage, Version } from "../../core/store/store.ts";
import { numberIn } from "../sql/cells.ts";
import { sequenceOf } from "../sql/message-id.ts";
import { sessionMissing } from "../sql/refusals.ts";
import type { Database } from "./database.ts";
import { APPENDED_COLUMNS, readMessages } from "./message-rows.ts";
import { recordOf, seenVersion } from "./session-rows.ts";

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
