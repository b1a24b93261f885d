/** What compactions wrote over messages and the system prompt: read an event at a time, oldest first. Only reads. */

import type { EventEdits } from "../../core/store/store.ts";
import { textIn, textOrNullIn } from "../sql/cells.ts";
import { storedEdits } from "../sql/edit-row.ts";
import { hashesOf } from "../sql/message-row.ts";
import { systemOf } from "../sql/session-row.ts";
import type { Access } from "./access.ts";
import { bytesFor } from "./message-rows.ts";
import { checkSession } from "./session-rows.ts";

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
