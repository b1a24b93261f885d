/** The second port: log and edits, purging and deleting, forking, listing and examining sessions. */

import { hash } from "node:crypto";
import { invariant } from "../../core/errors.ts";
import type { StoredMessage } from "../../core/store/store.ts";
import { checkSessionId } from "../../core/store/store-rules.ts";
import type { EventEdits, Finding, SessionSummary } from "../../core/store/store-upkeep.ts";
import { sessionExists, sessionMissing } from "../refusals.ts";
import { numberIn, type Row, textIn, textOrNullIn } from "../sql/cells.ts";
import { ATTACHMENT_BYTES, examineQuery, examineRules, findingOf } from "../sql/examine.ts";
import { EVENT_COLUMNS, FORKED_COLUMNS, sessionSummaryOf, storedEdits, systemIn } from "../sql/rows.ts";
import type { Connection } from "./connection.ts";
import { type Database, pages } from "./database.ts";
import { bytesOf, messagesOf, WRITTEN_MESSAGE } from "./messages.ts";
import { raiseRevision, requireSession } from "./sessions.ts";

export function readLog(database: Database, sessionId: string): AsyncGenerator<StoredMessage> {
  return pages<StoredMessage>(database, (connection, after, limit) => {
    checkSessionId(sessionId);
    requireSession(connection, sessionId);
    return messagesOf(connection, sessionId, connection.all(LOG, sessionId, after?.sequence ?? 0, limit));
  });
}

const LOG = `SELECT ${WRITTEN_MESSAGE} FROM messages WHERE session_id = ? AND sequence > ? ORDER BY sequence LIMIT ?`;

export async function* readEdits(database: Database, sessionId: string): AsyncGenerator<EventEdits> {
  const events = await database.read((connection) => {
    checkSessionId(sessionId);
    requireSession(connection, sessionId);
    return connection.all(EDITORS, sessionId);
  });
  for (const event of events) {
    const eventId = textIn(event, "id");
    const messages = await database.read((connection) => {
      const rows = connection.all(EDITS, eventId);
      return storedEdits(rows, bytesOf(connection, sessionId, rows));
    });
    yield { eventId, messages, system: systemIn(event) };
  }
}

const EDITORS = `SELECT e.id, e.system_edit FROM compaction_events e WHERE e.session_id = ?
AND (e.system_edit IS NOT NULL OR EXISTS (SELECT 1 FROM message_edits d WHERE d.event_id = e.id)) ORDER BY e.number`;

const EDITS = "SELECT sequence, kind, attachments, body FROM message_edits WHERE event_id = ? ORDER BY sequence";

/** Deletes rows that a rollback took back, too. The schema's triggers delete what only the deleted rows referred to. */
export function purgeArchive(
  connection: Connection,
  sessionId: string,
  { before, purgedAt }: { before: string; purgedAt: string },
): number {
  requireSession(connection, sessionId);
  connection.run(MARK_PURGED, purgedAt, sessionId, before);
  const deleted = connection.run(PURGE, sessionId, sessionId, before);
  if (deleted > 0) raiseRevision(connection, sessionId, purgedAt);
  return deleted;
}

const MARK_PURGED = `UPDATE compaction_events SET purged_at = coalesce(purged_at, ?) WHERE session_id = ? AND created_at < ?
AND EXISTS (SELECT 1 FROM messages m WHERE m.archived_by = compaction_events.id)`;
const PURGE = `DELETE FROM messages WHERE session_id = ?
AND archived_by IN (SELECT id FROM compaction_events WHERE session_id = ? AND created_at < ?)`;

export function deleteSession(connection: Connection, sessionId: string): void {
  if (connection.run("DELETE FROM sessions WHERE id = ?", sessionId) === 0) throw sessionMissing(sessionId);
}

interface NewFork {
  readonly newSessionId: string;
  readonly newEventId: () => string;
  readonly createdAt: string;
}

/** Copies everything of a session. Events get new ids, because those are unique in the database. */
export function forkSession(
  connection: Connection,
  from: string,
  { newSessionId: to, newEventId, createdAt }: NewFork,
): void {
  const { head } = requireSession(connection, from);
  if (connection.get("SELECT 1 FROM sessions WHERE id = ?", to) !== undefined) throw sessionExists(to);
  const events = connection.all(EVENTS, from);
  const newIds = new Map(events.map((event) => [textIn(event, "id"), newEventId()]));
  const idOf = (id: string | null): string | null => (id === null ? null : (newIds.get(id) ?? null));
  connection.run(COPY_SESSION, to, from, createdAt, createdAt, idOf(head), from);
  for (const event of events) {
    const id = idOf(textIn(event, "id"));
    invariant(id !== null, "every event of the fork has an id of its own");
    connection.run(COPY_EVENT, id, to, idOf(textOrNullIn(event, "previous_id")), from, numberIn(event, "number"));
  }
  connection.run(COPY_ATTACHMENTS, to, from);
  connection.run(COPY_MESSAGES, to, to, to, to, from);
  connection.run(COPY_EDITS, to, to, from);
  connection.run(COPY_VECTORS, to, from);
}

const EVENTS = "SELECT id, number, previous_id FROM compaction_events WHERE session_id = ? ORDER BY number";

// No lease comes along, and the index is filled when somebody searches.
const SESSION_CONTENT = FORKED_COLUMNS.filter((column) => column !== "head_event_id").join(", ");
const COPY_SESSION = `INSERT INTO sessions (id, parent_id, created_at, updated_at, head_event_id, ${SESSION_CONTENT})
SELECT ?, ?, ?, ?, ?, ${SESSION_CONTENT} FROM sessions WHERE id = ?`;

const EVENT_NAMES: ReadonlySet<string> = new Set(["id", "session_id", "previous_id"]);
const EVENT_CONTENT = EVENT_COLUMNS.filter((column) => !EVENT_NAMES.has(column)).join(", ");
const COPY_EVENT = `INSERT INTO compaction_events (id, session_id, previous_id, ${EVENT_CONTENT})
SELECT ?, ?, ?, ${EVENT_CONTENT} FROM compaction_events WHERE session_id = ? AND number = ?`;

const COPY_ATTACHMENTS =
  "INSERT INTO attachments (session_id, hash, bytes) SELECT ?, hash, bytes FROM attachments WHERE session_id = ?";

/** The fork's own event with the number of that one. Values are repeated, because older versions of Node bind none to a numbered place. */
const renamed = (id: string): string =>
  `(SELECT n.id FROM compaction_events o JOIN compaction_events n ON n.session_id = ? AND n.number = o.number WHERE o.id = ${id})`;

// A maker that is no longer there keeps its old name, so that the message still counts as inserted.
const COPY_MESSAGES = `INSERT INTO messages (session_id, sequence, order_key, role, is_preserved, is_summary, made_by, archived_by,
  edited_by, created_at, attachments, body)
SELECT ?, sequence, order_key, role, is_preserved, is_summary, coalesce(${renamed("made_by")}, made_by),
  ${renamed("archived_by")}, ${renamed("edited_by")}, created_at, attachments, body
FROM messages WHERE session_id = ? ORDER BY sequence`;

const COPY_EDITS = `INSERT INTO message_edits (session_id, event_id, sequence, kind, attachments, body)
SELECT ?, ${renamed("event_id")}, sequence, kind, attachments, body FROM message_edits WHERE session_id = ?`;

const COPY_VECTORS = `INSERT INTO message_vectors (session_id, sequence, vector)
SELECT ?, sequence, vector FROM message_vectors WHERE session_id = ?`;

/** Reads all ids at once, so that a session that is written to meanwhile is listed exactly once. */
export async function* readSessions(database: Database): AsyncGenerator<SessionSummary> {
  const ids = await database.read(({ all }) => all(NEWEST_FIRST).map((row) => textIn(row, "id")));
  for (let start = 0; start < ids.length; start += SESSIONS_AT_ONCE) {
    const page = ids.slice(start, start + SESSIONS_AT_ONCE);
    const rows = await database.read(({ get }) => page.map((id) => get(SUMMARY, id)));
    // A session that was deleted meanwhile is left out.
    yield* rows.filter((row) => row !== undefined).map(sessionSummaryOf);
  }
}

const SESSIONS_AT_ONCE = 100;
const NEWEST_FIRST = "SELECT id FROM sessions ORDER BY updated_at DESC, rowid DESC";
const SUMMARY = `SELECT id, format, agent_id, metadata, turn_count, message_count, compaction_count, total_tokens, is_total_stale,
context_tokens, created_at, updated_at,
CASE WHEN json_valid(base) AND json_type(base, '$.model') = 'text' THEN json_extract(base, '$.model') END AS model,
(SELECT count(*) FROM messages m WHERE m.session_id = sessions.id AND m.archived_by IS NULL) AS view_count
FROM sessions WHERE id = ?`;

/** Checks the rules of the schema, the file itself, and that attachments match their hashes. */
export async function* examineStore(database: Database, sessionId?: string): AsyncGenerator<Finding> {
  if (sessionId === undefined) yield* await database.read(({ all }) => all("PRAGMA quick_check").flatMap(damageIn));
  else {
    checkSessionId(sessionId);
    await database.read((connection) => requireSession(connection, sessionId));
  }
  for (const rule of RULES) {
    yield* await database.read(({ all }) => {
      const rows = sessionId === undefined ? all(examineQuery(rule)) : all(examineQuery(rule, "?"), sessionId);
      return rows.map((row) => findingOf(rule, row));
    });
  }
  yield* examineBytes(database, sessionId ?? null);
}

function damageIn(row: Row): readonly Finding[] {
  const text = textIn(row, "quick_check");
  if (text === "ok") return [];
  const message = `SQLite says of the file: ${text}`;
  return [{ sessionId: "", rule: "file-sound", message, remedy: "Restore the database from a backup." }];
}

const RULES = examineRules({
  // The index's own list of its rows, which is read without asking the index.
  isIndexed: "EXISTS (SELECT 1 FROM message_search_docsize w WHERE w.id = m.row_id)",
  kindOf: (column) => `CASE WHEN json_valid(${column}) THEN json_type(${column}) ELSE 'no JSON' END`,
  references: "json_each(CASE WHEN json_valid(t.attachments) THEN t.attachments END) r",
  hash: "json_extract(CASE WHEN r.type = 'object' THEN r.value END, '$.hash')",
});

/** SQLite has no digest of its own. */
async function* examineBytes(database: Database, sessionId: string | null): AsyncGenerator<Finding> {
  const found = pages(database, ({ all }, after: AttachmentCheck | undefined, limit) =>
    all(ATTACHMENTS, after?.rowId ?? 0, sessionId, sessionId, limit).map(checkAttachment),
  );
  const { rule, message, remedy } = ATTACHMENT_BYTES;
  for await (const { owner, name, isSound } of found) {
    if (!isSound) yield { sessionId: owner, rule, message: message(name), remedy };
  }
}

type AttachmentCheck = ReturnType<typeof checkAttachment>;

function checkAttachment(row: Row) {
  const [owner, name] = [textIn(row, "session_id"), textIn(row, "hash")];
  const isSound = row.bytes instanceof Uint8Array && hash("sha256", row.bytes) === name;
  return { rowId: numberIn(row, "row_id"), owner, name, isSound };
}

const ATTACHMENTS = `SELECT rowid AS row_id, session_id, hash, bytes FROM attachments
WHERE rowid > ? AND (? IS NULL OR session_id = ?) ORDER BY rowid LIMIT ?`;
