/** Taking compactions back, as the work of one write transaction: exactly what each of them did, newest first. Deletes nothing. */

import { countersAfterRollback } from "../../core/store/counters.ts";
import type { Rollback, RolledBack } from "../../core/store/store.ts";
import { flagIn, textIn, textOrNullIn } from "../sql/cells.ts";
import { compactionsIn, planRollback } from "../sql/refusals.ts";
import { countersOf, versionOf } from "../sql/rows.ts";
import type { Database } from "./database.ts";
import { sessionRow, writeSession } from "./sessions.ts";

export function rollBack(
  database: Database,
  sessionId: string,
  { rollback, undoneAt }: { rollback: Rollback; undoneAt: string },
): RolledBack {
  const row = sessionRow(database, sessionId);
  const inForce = database.all(IN_FORCE, sessionId).map((event) => ({
    id: textIn(event, "id"),
    isCompaction: flagIn(event, "is_compaction"),
    purgedAt: textOrNullIn(event, "purged_at"),
  }));
  const { undone, head } = planRollback(inForce, rollback);
  for (const { id } of undone) undo(database, { sessionId, eventId: id, undoneAt });
  const before = versionOf(row);
  const version = { ...before, head, revision: before.revision + 1 };
  const counters = countersAfterRollback(countersOf(row), compactionsIn(undone));
  const passes = { weak: 0, tokensAfter: 0 };
  writeSession(database, sessionId, { version, counters, passes, updatedAt: undoneAt });
  return { version, undoneIds: undone.map(({ id }) => id) };
}

const IN_FORCE = `SELECT id, is_compaction, purged_at FROM compaction_events
WHERE session_id = ? AND undone_at IS NULL ORDER BY number DESC`;

function undo(
  database: Database,
  { sessionId, eventId, undoneAt }: { sessionId: string; eventId: string; undoneAt: string },
): void {
  database.run("UPDATE compaction_events SET undone_at = ? WHERE id = ?", undoneAt, eventId);
  database.run("UPDATE messages SET archived_by = NULL WHERE archived_by = ?", eventId);
  database.run("UPDATE messages SET archived_by = made_by WHERE session_id = ? AND made_by = ?", sessionId, eventId);
  database.run(EARLIER_EDIT, sessionId, eventId, eventId);
}

// The event is undone by now, so the newest edit in force is the one before it.
const EARLIER_EDIT = `UPDATE messages SET edited_by = (
  SELECT d.event_id FROM message_edits d JOIN compaction_events e ON e.id = d.event_id
  WHERE d.session_id = messages.session_id AND d.sequence = messages.sequence AND e.undone_at IS NULL
  ORDER BY e.number DESC LIMIT 1)
WHERE session_id = ? AND edited_by = ? AND sequence IN (SELECT sequence FROM message_edits WHERE event_id = ?)`;
