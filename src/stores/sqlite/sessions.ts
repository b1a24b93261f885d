/** The session's own row: found, made, changed. Every function here is one or two statements of a transaction that somebody else began. */

import { type Counters, NO_COUNTERS, type PassHistory } from "../../core/store/counters.ts";
import type { NewSession, SessionRecord, Version } from "../../core/store/store.ts";
import { checkSessionId } from "../../core/store/store-rules.ts";
import { jsonText } from "../../core/store/stored-json.ts";
import type { Row } from "../sql/cells.ts";
import { sessionExists, sessionMissing } from "../sql/refusals.ts";
import { counterCells, SESSION_COLUMNS, sessionRecordOf, versionOf } from "../sql/rows.ts";
import type { Database } from "./database.ts";

export function recordOf(database: Database, sessionId: string): SessionRecord | undefined {
  const row = database.get(RECORD, sessionId);
  return row === undefined ? undefined : sessionRecordOf(row);
}

const RECORD = `SELECT ${SESSION_COLUMNS.map((column) => `s.${column}`).join(", ")}, e.system_edit
FROM sessions s LEFT JOIN compaction_events e ON e.id = s.head_event_id WHERE s.id = ?`;

/** The row without its large columns. Throws `session-missing`. */
export function sessionRow(database: Database, sessionId: string): Row {
  const row = database.get(SMALL_ROW, sessionId);
  if (row === undefined) throw sessionMissing(sessionId);
  return row;
}

const SMALL_ROW = `SELECT head_event_id, last_sequence, revision, incarnation, total_tokens, is_total_stale, input_tokens, output_tokens,
context_tokens, compaction_count, memory_flush_compaction_count, turn_count, message_count, lease_holder, lease_token, lease_expires_at,
indexed_sequence FROM sessions WHERE id = ?`;

export function seenVersion(database: Database, sessionId: string): Version {
  const row = database.get(
    "SELECT head_event_id, last_sequence, revision, incarnation FROM sessions WHERE id = ?",
    sessionId,
  );
  if (row === undefined) throw sessionMissing(sessionId);
  return versionOf(row);
}

/** Throws for what can be no session, and for one that is not there. */
export function checkSession(database: Database, sessionId: string): void {
  checkSessionId(sessionId);
  seenVersion(database, sessionId);
}

export function insertSession(database: Database, session: NewSession, createdAt: string): void {
  const inserted = database.run(
    `INSERT INTO sessions (id, format, agent_id, parent_id, created_at, updated_at, metadata, base) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
    session.id,
    session.format,
    session.agentId ?? "",
    session.parentId ?? null,
    createdAt,
    createdAt,
    jsonText(session.metadata ?? {}),
    jsonText(session.base),
  );
  if (inserted === 0) throw sessionExists(session.id);
}

interface SessionChange {
  readonly version: Version;
  readonly counters: Counters;
  readonly passes?: PassHistory;
  readonly updatedAt: string;
}

export function writeSession(database: Database, sessionId: string, change: SessionChange): void {
  const { version, counters, passes, updatedAt } = change;
  const values = Object.values(counterCells(counters));
  const common = [version.head, version.sequence, version.revision, updatedAt, ...values] as const;
  if (passes === undefined) database.run(UPDATE, ...common, sessionId);
  else database.run(UPDATE_WITH_PASSES, ...common, passes.weak, passes.tokensAfter, sessionId);
}

const SET = ["head_event_id", "last_sequence", "revision", "updated_at", ...Object.keys(counterCells(NO_COUNTERS))]
  .map((column) => `${column} = ?`)
  .join(", ");
const UPDATE = `UPDATE sessions SET ${SET} WHERE id = ?`;
const UPDATE_WITH_PASSES = `UPDATE sessions SET ${SET}, weak_passes = ?, pass_tokens_after = ? WHERE id = ?`;
