/** Appending, and the small changes beside it: pins, base, metadata and memory flushes. Each is the work of one write transaction. */

import { countersAfterAppend, wholeUsage } from "../../core/store/counters.ts";
import type { Appended, Batch, SessionUpdate, Version } from "../../core/store/store.ts";
import { jsonText } from "../../core/store/stored-json.ts";
import { messageMissing } from "../sql/refusals.ts";
import { countersOf, messageIdOf, sequencesOf, versionOf } from "../sql/rows.ts";
import type { Database } from "./database.ts";
import { insertMessage } from "./messages.ts";
import { seenVersion, sessionRow, writeSession } from "./sessions.ts";

export function appendBatch(database: Database, sessionId: string, batch: Batch, createdAt: string): Appended {
  const row = sessionRow(database, sessionId);
  const before = versionOf(row);
  const { messages, turns, usage } = batch;
  if (messages.length === 0 && turns === 0 && usage === undefined) return { ids: [], version: before, createdAt };
  const version = { ...before, sequence: before.sequence + messages.length };
  const counts = { messages: messages.length, turns, ...(usage !== undefined && { usage: wholeUsage(usage) }) };
  const counters = countersAfterAppend(countersOf(row), counts);
  const ids = messages.map((message, index) => {
    const sequence = before.sequence + index + 1;
    insertMessage(database, { sessionId, sequence, order: sequence, madeBy: null, createdAt }, message);
    return messageIdOf(sequence);
  });
  writeSession(database, sessionId, { version, counters, updatedAt: createdAt });
  return { ids, version, createdAt };
}

export function updateSession(
  database: Database,
  sessionId: string,
  update: SessionUpdate,
  updatedAt: string,
): Version {
  switch (update.type) {
    case "pin":
      pinMessages(database, sessionId, update);
      break;
    case "base":
      database.run("UPDATE sessions SET base = ? WHERE id = ?", jsonText(update.base), sessionId);
      break;
    case "metadata":
      database.run("UPDATE sessions SET metadata = ? WHERE id = ?", jsonText(update.metadata), sessionId);
      break;
    case "memory-flush":
      database.run("UPDATE sessions SET memory_flush_compaction_count = compaction_count WHERE id = ?", sessionId);
      break;
    default:
      update satisfies never;
  }
  return raiseRevision(database, sessionId, updatedAt);
}

function pinMessages(
  database: Database,
  sessionId: string,
  { messageIds, isPinned }: Extract<SessionUpdate, { readonly type: "pin" }>,
): void {
  seenVersion(database, sessionId);
  const sequences = sequencesOf(messageIds);
  if (sequences === undefined) throw messageMissing();
  const changed = database.run(PIN, isPinned, sessionId, JSON.stringify(sequences));
  if (changed !== sequences.length) throw messageMissing();
}

const PIN = `UPDATE messages SET is_preserved = ? WHERE session_id = ? AND archived_by IS NULL
AND sequence IN (SELECT value FROM json_each(?))`;

/** Throws `session-missing`. */
export function raiseRevision(database: Database, sessionId: string, updatedAt: string): Version {
  database.run("UPDATE sessions SET revision = revision + 1, updated_at = ? WHERE id = ?", updatedAt, sessionId);
  return seenVersion(database, sessionId);
}
