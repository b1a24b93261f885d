/** What compactions wrote over messages and the system prompt: read an event at a time, oldest first. Only reads. */

import type { EventEdits } from "../../core/store/store.ts";
import { textIn, textOrNullIn } from "../sql/cells.ts";
import { storedEdits } from "../sql/edit-row.ts";
import { hashesOf } from "../sql/message-row.ts";
import { systemOf } from "../sql/session-row.ts";
import { bytesOf } from "./attachment-rows.ts";
import type { Database } from "./database.ts";
import { requireSession } from "./sessions.ts";

export async function* listEdits(database: Database, sessionId: string): AsyncGenerator<EventEdits> {
  await requireSession(database, sessionId);
  const { schema } = database;
  const events = await database.read(
    `SELECT e.id, e.system_edit::text AS system_edit FROM ${schema}.compaction_events e
     WHERE e.session_id = $1 AND (e.system_edit IS NOT NULL OR EXISTS (
       SELECT 1 FROM ${schema}.message_edits d WHERE d.session_id = e.session_id AND d.event_id = e.id))
     ORDER BY e.number`,
    [sessionId],
  );
  for (const event of events) {
    const eventId = textIn(event, "id");
    const rows = await database.read(
      `SELECT sequence, kind, attachments::text AS attachments, body::text AS body FROM ${schema}.message_edits
       WHERE session_id = $1 AND event_id = $2 ORDER BY sequence`,
      [sessionId, eventId],
    );
    const messages = storedEdits(rows, await bytesOf(database, sessionId, hashesOf(rows)));
    yield { eventId, messages, system: systemOf(textOrNullIn(event, "system_edit")) };
  }
}
