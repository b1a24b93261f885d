/**
 * Rules that find rows which are not there any more. A purge explains missing rows, and so does an event that was deleted together
 * with its archive, which the schema allows; nothing else does. Plain SQL for SQLite and Postgres. Only reads.
 */

import type { ExamineRule } from "./examine-rules.ts";

export const RESTORE =
  "Somebody wrote to the tables by hand, or the disk lost data: restore the database from a backup.";

/** Of a session `s`. */
export const PRESENT = "(SELECT count(*) FROM messages m WHERE m.session_id = s.id)";
export const APPENDED = "(SELECT count(*) FROM messages m WHERE m.session_id = s.id AND m.made_by IS NULL)";

/** Events count up, and what they inserted names them: a hole in either tells of one that was deleted. */
const NO_EVENT_DELETED = `(SELECT coalesce(max(e.number), 0) - count(*) FROM compaction_events e WHERE e.session_id = s.id) = 0
  AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id AND m.made_by IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM compaction_events e WHERE e.id = m.made_by AND e.session_id = m.session_id))`;

const PURGED = "SELECT 1 FROM compaction_events e WHERE e.session_id = s.id AND e.purged_at IS NOT NULL";

/** Of an event `e`: rows that it took out of the view and that are there. */
const ARCHIVED = `(SELECT count(*) FROM messages m WHERE m.session_id = e.session_id AND m.archived_by = e.id
  AND coalesce(m.made_by, '') <> e.id)`;

/** A purge of an undone event deletes what that event had inserted, and nobody knows how much that was: then only appended rows count. */
const BEYOND_PURGE = `SELECT t.session_id, CAST(t.missing - t.purged AS TEXT) AS subject FROM (
  SELECT s.id AS session_id,
    CASE WHEN EXISTS (${PURGED} AND e.undone_at IS NOT NULL) THEN s.message_count - ${APPENDED}
      ELSE s.last_sequence - ${PRESENT} END AS missing,
    (SELECT coalesce(sum(e.messages_removed - ${ARCHIVED}), 0) FROM compaction_events e
      WHERE e.session_id = s.id AND e.purged_at IS NOT NULL AND e.undone_at IS NULL) AS purged
  FROM sessions s WHERE EXISTS (${PURGED}) AND ${NO_EVENT_DELETED}) t
  WHERE t.missing > t.purged`;

const GAPS = `SELECT g.session_id, 'm' || g.low || CASE WHEN g.low = g.high THEN '' ELSE ' to m' || g.high END AS subject FROM (
  SELECT n.session_id, n.sequence - 1 AS high,
    coalesce(lag(n.sequence) OVER (PARTITION BY n.session_id ORDER BY n.sequence), 0) + 1 AS low
  FROM (SELECT m.session_id, m.sequence FROM messages m JOIN sessions s ON s.id = m.session_id AND m.sequence <= s.last_sequence
    UNION ALL SELECT s.id, s.last_sequence + 1 FROM sessions s) n) g
  JOIN sessions s ON s.id = g.session_id
  WHERE g.low <= g.high AND NOT EXISTS (${PURGED}) AND ${NO_EVENT_DELETED}`;

export const MISSING_RULES: readonly ExamineRule[] = [
  {
    rule: "message-missing",
    sql: GAPS,
    message: (subject) => `Missing without a purge that would explain it: ${subject}.`,
    remedy: RESTORE,
  },
  {
    rule: "message-missing",
    sql: BEYOND_PURGE,
    message: (subject) => `More messages are missing than were purged: ${subject} more.`,
    remedy: RESTORE,
  },
  {
    rule: "archive-incomplete",
    sql: `SELECT e.session_id, e.id || ' has ' || ${ARCHIVED} || ' of ' || e.messages_removed AS subject FROM compaction_events e
      WHERE e.undone_at IS NULL AND e.purged_at IS NULL AND ${ARCHIVED} < e.messages_removed`,
    message: (subject) => `A compaction in force has not all that it took out of the view in its archive: ${subject}.`,
    remedy: `A rollback would not bring the view back as it was. ${RESTORE}`,
  },
  {
    rule: "summary-missing",
    // Where no row is missing at all, the summary was never a row of its own, or a purge has been carried over by an import.
    sql: `SELECT e.session_id, e.id AS subject FROM compaction_events e JOIN sessions s ON s.id = e.session_id
      WHERE e.undone_at IS NULL AND e.summary_content <> '' AND e.system_edit IS NULL AND ${PRESENT} < s.last_sequence
        AND NOT EXISTS (${PURGED})
        AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = e.session_id AND m.made_by = e.id)
        AND NOT EXISTS (SELECT 1 FROM message_edits d WHERE d.session_id = e.session_id AND d.event_id = e.id)`,
    message: (subject) => `The summary that compaction ${subject} put into the view is not there.`,
    remedy: `Its text is in compaction_events.summary_content; a rollback of it brings back what it stood for. ${RESTORE}`,
  },
];
