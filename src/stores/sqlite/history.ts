/** Events, archive and log of a session, and the list of sessions: read a page at a time, in a stable order. */

import type { CompactionEvent } from "../../core/store/compaction-event.ts";
import type { ArchiveRange, SessionSummary, StoredMessage } from "../../core/store/store.ts";
import { textIn } from "../sql/cells.ts";
import { EVENT_COLUMNS, eventOf } from "../sql/event-row.ts";
import { sessionSummaryOf } from "../sql/session-row.ts";
import type { Access } from "./access.ts";
import { APPENDED_COLUMNS, readMessages } from "./message-rows.ts";
import { pages } from "./pages.ts";
import { checkSession } from "./session-rows.ts";

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
