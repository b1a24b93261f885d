/** Commits a compaction and rolls it back, each as part of one write transaction. A rollback deletes nothing. */

import { countersAfterCompaction, countersAfterRollback } from "../../core/store/counters.ts";
import type { Commit, CommitResult, Rollback, RollbackResult } from "../../core/store/store.ts";
import { messageIdOf } from "../../core/store/store-rules.ts";
import { checkCommit, notInView, planRollback } from "../refusals.ts";
import { numberIn, type Row, textOrNullIn } from "../sql/cells.ts";
import { detachBody } from "../sql/detached-body.ts";
import { countersOf, EVENT_COLUMNS, eventCells, eventInForceOf, versionOf } from "../sql/rows.ts";
import type { Connection } from "./connection.ts";
import { insertMessage, keepBytes } from "./messages.ts";
import { sessionRow, writeSession } from "./sessions.ts";

interface NewCommit {
  readonly commit: Commit;
  readonly eventId: string;
  readonly createdAt: string;
}

export function commitCompaction(
  connection: Connection,
  sessionId: string,
  { commit, eventId, createdAt }: NewCommit,
): CommitResult {
  const row = sessionRow(connection, sessionId);
  const ground = { isLeaseHeld: isHeld(row, commit, createdAt), revision: numberIn(row, "revision") };
  const { archived, edited } = checkCommit(ground, commit);
  const before = versionOf(row);
  const number = numberIn(connection.get(LAST_NUMBER, sessionId) ?? {}, "number") + 1;
  const marks = { id: eventId, sessionId, number, previousId: before.head, createdAt, undoneAt: null, purgedAt: null };
  connection.run(INSERT_EVENT, ...eventCells({ ...commit.event, ...marks }, commit.system));
  for (const [index, edit] of commit.edits.entries()) {
    const detached = detachBody(edit.body, edit.attachments);
    keepBytes(connection, sessionId, detached);
    const { attachments, body } = detached;
    connection.run(INSERT_EDIT, eventId, edit.kind, attachments, body, sessionId, edited[index] ?? 0);
  }
  // A statement a row: the mark is a reference, so before a statement over many rows SQLite would copy every page it touches into a
  // temporary file, to be able to take that statement alone back. Measured, it doubled the time of a large compaction.
  for (const sequence of edited) if (connection.run(EDIT, eventId, sessionId, sequence) !== 1) throw notInView("edit");
  for (const sequence of archived) {
    if (connection.run(ARCHIVE, eventId, sessionId, sequence) !== 1) throw notInView("archive");
  }
  const insertedIds = commit.inserted.map((message, index) => {
    const sequence = before.sequence + index + 1;
    insertMessage(connection, { sessionId, sequence, order: message.order, madeBy: eventId, createdAt }, message);
    return messageIdOf(sequence);
  });
  const sequence = before.sequence + commit.inserted.length;
  const version = { ...before, head: eventId, sequence, revision: before.revision + 1 };
  const counters = countersAfterCompaction(countersOf(row), {
    totalTokens: commit.totalTokens,
    isCompaction: commit.event.isCompaction,
    isOvertaken: before.sequence > commit.sequence,
  });
  writeSession(connection, sessionId, { version, counters, passes: commit.passes, updatedAt: createdAt });
  return { version, eventId, insertedIds, createdAt };
}

function isHeld(row: Row, { lease }: Commit, now: string): boolean {
  const expiresAt = textOrNullIn(row, "lease_expires_at");
  // ISO times of one length stand in the order of time.
  return numberIn(row, "lease_token") === lease.token && expiresAt !== null && expiresAt > now;
}

const LAST_NUMBER = "SELECT coalesce(max(number), 0) AS number FROM compaction_events WHERE session_id = ?";

const INSERT_EVENT = `INSERT INTO compaction_events (${EVENT_COLUMNS.join(", ")}) VALUES (${EVENT_COLUMNS.map(() => "?").join(", ")})`;

// Selected from the message, so that an edit of a message that is gone is reported as a conflict, not as a broken reference.
const INSERT_EDIT = `INSERT INTO message_edits (session_id, event_id, sequence, kind, attachments, body)
SELECT session_id, ?, sequence, ?, ?, ? FROM messages WHERE session_id = ? AND sequence = ?`;

const IN_VIEW = "WHERE session_id = ? AND sequence = ? AND archived_by IS NULL";
const EDIT = `UPDATE messages SET edited_by = ? ${IN_VIEW}`;
const ARCHIVE = `UPDATE messages SET archived_by = ? ${IN_VIEW} AND (is_preserved = 0 OR is_summary = 1)`;

export function rollBack(
  connection: Connection,
  sessionId: string,
  { rollback, undoneAt }: { rollback: Rollback; undoneAt: string },
): RollbackResult {
  const row = sessionRow(connection, sessionId);
  const inForce = connection.all(IN_FORCE, sessionId).map(eventInForceOf);
  const { undoneIds, compactions, head } = planRollback(inForce, rollback);
  for (const eventId of undoneIds) undo(connection, { sessionId, eventId, undoneAt });
  const before = versionOf(row);
  const version = { ...before, head, revision: before.revision + 1 };
  const counters = countersAfterRollback(countersOf(row), compactions);
  const passes = { weak: 0, tokensAfter: 0 };
  writeSession(connection, sessionId, { version, counters, passes, updatedAt: undoneAt });
  return { version, undoneIds };
}

const IN_FORCE = `SELECT id, is_compaction, purged_at FROM compaction_events
WHERE session_id = ? AND undone_at IS NULL ORDER BY number DESC`;

function undo(
  connection: Connection,
  { sessionId, eventId, undoneAt }: { sessionId: string; eventId: string; undoneAt: string },
): void {
  connection.run("UPDATE compaction_events SET undone_at = ? WHERE id = ?", undoneAt, eventId);
  connection.run("UPDATE messages SET archived_by = NULL WHERE archived_by = ?", eventId);
  connection.run("UPDATE messages SET archived_by = made_by WHERE session_id = ? AND made_by = ?", sessionId, eventId);
  connection.run(EARLIER_EDIT, sessionId, eventId, eventId);
}

// The event is undone by now, so the newest edit in force is the one before it.
const EARLIER_EDIT = `UPDATE messages SET edited_by = (
  SELECT d.event_id FROM message_edits d JOIN compaction_events e ON e.id = d.event_id
  WHERE d.session_id = messages.session_id AND d.sequence = messages.sequence AND e.undone_at IS NULL
  ORDER BY e.number DESC LIMIT 1)
WHERE session_id = ? AND edited_by = ? AND sequence IN (SELECT sequence FROM message_edits WHERE event_id = ?)`;
