/**
 * One compaction, as the work of one write transaction: everything it expects is checked again inside it, the event stands before
 * whatever refers to it, and a message row's body is never written.
 */

import { countersAfterCompaction, isOvertaken } from "../../core/store/counters.ts";
import type { Commit, Committed } from "../../core/store/store.ts";
import { numberIn, type Row, textOrNullIn } from "../sql/cells.ts";
import { detachBody } from "../sql/detached-body.ts";
import { checkCommit, notInView } from "../sql/refusals.ts";
import { countersOf, EVENT_COLUMNS, eventCells, messageIdOf, versionOf } from "../sql/rows.ts";
import type { Database } from "./database.ts";
import { insertMessage, keepBytes } from "./messages.ts";
import { sessionRow, writeSession } from "./sessions.ts";

export interface CommitMarks {
  readonly eventId: string;
  readonly createdAt: string;
}

export function commitCompaction(
  database: Database,
  sessionId: string,
  { commit, eventId, createdAt }: CommitMarks & { commit: Commit },
): Committed {
  const row = sessionRow(database, sessionId);
  const { archived, edited } = checkCommit(groundOf(row, createdAt), commit);
  const before = versionOf(row);
  insertEvent(database, { sessionId, commit, eventId, createdAt, previousId: before.head });
  edited.forEach((sequence, index) => {
    insertEdit(database, { sessionId, eventId, sequence, edit: commit.edits[index] });
  });
  markRows(database, { sql: EDIT, verb: "edit" }, { sessionId, eventId, sequences: edited });
  markRows(database, { sql: ARCHIVE, verb: "archive" }, { sessionId, eventId, sequences: archived });
  const insertedIds = commit.inserted.map((message, index) => {
    const sequence = before.sequence + index + 1;
    insertMessage(database, { sessionId, sequence, order: message.order, madeBy: eventId, createdAt }, message);
    return messageIdOf(sequence);
  });
  const sequence = before.sequence + commit.inserted.length;
  const version = { ...before, head: eventId, sequence, revision: before.revision + 1 };
  const counters = countersAfterCompaction(countersOf(row), {
    totalTokens: commit.totalTokens,
    isCompaction: commit.event.isCompaction,
    isOvertaken: isOvertaken(commit, before.sequence),
  });
  writeSession(database, sessionId, { version, counters, passes: commit.passes, updatedAt: createdAt });
  return { version, eventId, insertedIds, createdAt };
}

function groundOf(row: Row, now: string) {
  const expiresAt = textOrNullIn(row, "lease_expires_at");
  return {
    leaseToken: numberIn(row, "lease_token"),
    // ISO times of one length stand in the order of time.
    isLeaseLive: expiresAt !== null && expiresAt > now,
    revision: numberIn(row, "revision"),
  };
}

function insertEvent(
  database: Database,
  { sessionId, commit, eventId, createdAt, previousId }: NewEventRow & CommitMarks,
): void {
  const newest = database.get("SELECT max(number) AS number FROM compaction_events WHERE session_id = ?", sessionId);
  const number = (typeof newest?.number === "number" ? newest.number : 0) + 1;
  const marks = { id: eventId, sessionId, number, previousId, createdAt, undoneAt: null, purgedAt: null };
  const cells = eventCells({ ...commit.event, ...marks }, commit.system);
  database.run(INSERT_EVENT, ...EVENT_COLUMNS.map((column) => cells[column]));
}

interface NewEventRow {
  readonly sessionId: string;
  readonly commit: Commit;
  readonly previousId: string | null;
}

const INSERT_EVENT = `INSERT INTO compaction_events (${EVENT_COLUMNS.join(", ")}) VALUES (${EVENT_COLUMNS.map(() => "?").join(", ")})`;

function insertEdit(
  database: Database,
  { sessionId, eventId, sequence, edit }: EditRow & { edit: Commit["edits"][number] | undefined },
): void {
  if (edit === undefined) return;
  const detached = detachBody(edit.body, edit.attachments);
  keepBytes(database, sessionId, detached);
  // Selected from the message, so that an edit of a message that is gone is told as a conflict below, not as a broken reference.
  database.run(INSERT_EDIT, eventId, edit.kind, detached.attachments, detached.body, sessionId, sequence);
}

interface EditRow {
  readonly sessionId: string;
  readonly eventId: string;
  readonly sequence: number;
}

const INSERT_EDIT = `INSERT INTO message_edits (session_id, event_id, sequence, kind, attachments, body)
SELECT session_id, ?, sequence, ?, ?, ? FROM messages WHERE session_id = ? AND sequence = ?`;

/**
 * A statement a row: the mark is a reference, so before a statement over many rows SQLite would copy every page it touches into a
 * temporary file, to be able to take that statement alone back. Measured, it doubled the time of a large compaction.
 */
function markRows(
  database: Database,
  { sql, verb }: { sql: string; verb: "archive" | "edit" },
  { sessionId, eventId, sequences }: { sessionId: string; eventId: string; sequences: readonly number[] },
): void {
  for (const sequence of sequences) {
    if (database.run(sql, eventId, sessionId, sequence) !== 1) throw notInView(verb);
  }
}

const IN_VIEW = "WHERE session_id = ? AND sequence = ? AND archived_by IS NULL";
const EDIT = `UPDATE messages SET edited_by = ? ${IN_VIEW}`;
const ARCHIVE = `UPDATE messages SET archived_by = ? ${IN_VIEW} AND (is_preserved = 0 OR is_summary = 1)`;
