/** Appending and the small changes beside it: pins and the base. Each is the work of one write transaction. */

import type { JsonObject } from "../../core/json.ts";
import { countersAfterAppend, wholeUsage } from "../../core/store/counters.ts";
import type { Appended, Batch, Version } from "../../core/store/store.ts";
import { jsonText } from "../../core/store/stored-json.ts";
import { messageMissing } from "../sql/refusals.ts";
import { countersOf, messageIdOf, sequencesOf, versionOf } from "../sql/rows.ts";
import type { Database } from "./database.ts";
import { insertMessage } from "./messages.ts";
import { seenVersion, sessionRow, updateSession } from "./sessions.ts";

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
  updateSession(database, sessionId, { version, counters, updatedAt: createdAt });
  return { ids, version, createdAt };
}

export function pinMessages(
  database: Database,
  sessionId: string,
  { messageIds, isPinned, updatedAt }: { messageIds: readonly string[]; isPinned: boolean; updatedAt: string },
): Version {
  seenVersion(database, sessionId);
  const sequences = sequencesOf(messageIds);
  if (sequences === undefined) throw messageMissing();
  const changed = database.run(PIN, isPinned, sessionId, JSON.stringify(sequences));
  if (changed !== sequences.length) throw messageMissing();
  return raiseRevision(database, sessionId, updatedAt);
}

const PIN = `UPDATE messages SET is_preserved = ? WHERE session_id = ? AND archived_by IS NULL
AND sequence IN (SELECT value FROM json_each(?))`;

export function replaceBase(database: Database, sessionId: string, base: JsonObject, updatedAt: string): Version {
  database.run("UPDATE sessions SET base = ? WHERE id = ?", jsonText(base), sessionId);
  return raiseRevision(database, sessionId, updatedAt);
}

export function replaceMetadata(
  database: Database,
  sessionId: string,
  metadata: JsonObject,
  updatedAt: string,
): Version {
  database.run("UPDATE sessions SET metadata = ? WHERE id = ?", jsonText(metadata), sessionId);
  return raiseRevision(database, sessionId, updatedAt);
}

export function recordFlush(database: Database, sessionId: string, updatedAt: string): Version {
  database.run("UPDATE sessions SET memory_flush_compaction_count = compaction_count WHERE id = ?", sessionId);
  return raiseRevision(database, sessionId, updatedAt);
}

/** Throws `session-missing`. */
export function raiseRevision(database: Database, sessionId: string, updatedAt: string): Version {
  database.run("UPDATE sessions SET revision = revision + 1, updated_at = ? WHERE id = ?", updatedAt, sessionId);
  return seenVersion(database, sessionId);
}
