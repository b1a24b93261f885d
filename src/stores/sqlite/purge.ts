/** Deleting for good: old archive rows, or a whole session. Each is the work of one write transaction. */

import { sessionMissing } from "../sql/refusals.ts";
import { raiseRevision } from "./append.ts";
import type { Database } from "./database.ts";
import { seenVersion } from "./sessions.ts";

/** Rows that a rollback took back go too. What the deleted rows alone referred to goes with them, by the triggers of the schema. */
export function purgeArchive(
  database: Database,
  sessionId: string,
  { before, purgedAt }: { before: string; purgedAt: string },
): number {
  seenVersion(database, sessionId);
  database.run(MARK, purgedAt, sessionId, before);
  const deleted = database.run(DELETE, sessionId, sessionId, before);
  if (deleted > 0) raiseRevision(database, sessionId, purgedAt);
  return deleted;
}

const MARK = `UPDATE compaction_events SET purged_at = coalesce(purged_at, ?) WHERE session_id = ? AND created_at < ?
AND EXISTS (SELECT 1 FROM messages m WHERE m.archived_by = compaction_events.id)`;
const DELETE = `DELETE FROM messages WHERE session_id = ?
AND archived_by IN (SELECT id FROM compaction_events WHERE session_id = ? AND created_at < ?)`;

export function deleteSession(database: Database, sessionId: string): void {
  if (database.run("DELETE FROM sessions WHERE id = ?", sessionId) === 0) throw sessionMissing(sessionId);
}
