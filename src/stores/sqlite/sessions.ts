/** The row of a session: found, made, changed, deleted. Each function is part of a transaction that its caller began. */

import { jsonText } from "../../core/json.ts";
import type { Counters, PassHistory } from "../../core/store/counters.ts";
import type { Lease, NewSession, SessionRecord, SessionUpdate, Version } from "../../core/store/store.ts";
import { LEASE_LENGTHS_MAX, sequencesOf } from "../../core/store/store-rules.ts";
import { messageMissing, sessionExists, sessionMissing } from "../refusals.ts";
import { numberIn, type Row, storableText } from "../sql/cells.ts";
import {
  COUNTER_COLUMNS,
  counterCells,
  SESSION_COLUMNS,
  sessionRecordOf,
  VERSION_COLUMNS,
  versionOf,
} from "../sql/rows.ts";
import type { Connection } from "./connection.ts";

export function createSession(connection: Connection, session: NewSession, createdAt: string): void {
  const { id, format, base, agentId = "", parentId = null, metadata = {} } = session;
  const values = [id, format, agentId, parentId, createdAt, createdAt, jsonText(metadata), jsonText(base)];
  if (connection.run(INSERT, ...values) === 0) throw sessionExists(id);
}

const INSERT = `INSERT INTO sessions (id, format, agent_id, parent_id, created_at, updated_at, metadata, base)
VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;

export function recordOf(connection: Connection, sessionId: string): SessionRecord | undefined {
  const row = connection.get(RECORD, sessionId);
  return row && sessionRecordOf(row);
}

const RECORD = `SELECT ${SESSION_COLUMNS.map((column) => `s.${column}`).join(", ")}, e.system_edit
FROM sessions s LEFT JOIN compaction_events e ON e.id = s.head_event_id WHERE s.id = ?`;

/** The row without its large columns. Throws `session-missing`. */
export function sessionRow(connection: Connection, sessionId: string): Row {
  return found(connection.get(SMALL_ROW, sessionId), sessionId);
}

const SMALL_ROW = `SELECT ${[...VERSION_COLUMNS, ...COUNTER_COLUMNS].join(", ")}, lease_holder, lease_token, lease_expires_at, indexed_sequence
FROM sessions WHERE id = ?`;

/** Throws `session-missing`. */
export function requireSession(connection: Connection, sessionId: string): Version {
  return versionOf(found(connection.get(VERSION, sessionId), sessionId));
}

const VERSION = `SELECT ${VERSION_COLUMNS.join(", ")} FROM sessions WHERE id = ?`;

function found(row: Row | undefined, sessionId: string): Row {
  if (row === undefined) throw sessionMissing(sessionId);
  return row;
}

export function updateSession(
  connection: Connection,
  sessionId: string,
  update: SessionUpdate,
  updatedAt: string,
): Version {
  const set = (assignment: string, ...values: readonly string[]): void => {
    connection.run(`UPDATE sessions SET ${assignment} WHERE id = ?`, ...values, sessionId);
  };
  switch (update.type) {
    case "pin":
      pinMessages(connection, sessionId, update);
      break;
    case "base":
      set("base = ?", jsonText(update.base));
      break;
    case "metadata":
      set("metadata = ?", jsonText(update.metadata));
      break;
    case "memory-flush":
      set("memory_flush_compaction_count = compaction_count");
      break;
    default:
      update satisfies never;
  }
  return raiseRevision(connection, sessionId, updatedAt);
}

function pinMessages(
  connection: Connection,
  sessionId: string,
  { messageIds, isPinned }: Extract<SessionUpdate, { readonly type: "pin" }>,
): void {
  requireSession(connection, sessionId);
  const sequences = sequencesOf(messageIds);
  if (sequences === undefined) throw messageMissing();
  const changed = connection.run(PIN, isPinned, sessionId, JSON.stringify(sequences));
  if (changed !== sequences.length) throw messageMissing();
}

const PIN = `UPDATE messages SET is_preserved = ? WHERE session_id = ? AND archived_by IS NULL
AND sequence IN (SELECT value FROM json_each(?))`;

/** Throws `session-missing`. */
export function raiseRevision(connection: Connection, sessionId: string, updatedAt: string): Version {
  connection.run("UPDATE sessions SET revision = revision + 1, updated_at = ? WHERE id = ?", updatedAt, sessionId);
  return requireSession(connection, sessionId);
}

interface SessionChange {
  readonly version: Version;
  readonly counters: Counters;
  readonly passes?: PassHistory;
  readonly updatedAt: string;
}

export function writeSession(connection: Connection, sessionId: string, change: SessionChange): void {
  const { version, counters, passes, updatedAt } = change;
  const common = [version.head, version.sequence, version.revision, updatedAt, ...counterCells(counters)];
  if (passes === undefined) connection.run(UPDATE, ...common, sessionId);
  else connection.run(UPDATE_WITH_PASSES, ...common, passes.weak, passes.tokensAfter, sessionId);
}

const SET = ["head_event_id", "last_sequence", "revision", "updated_at", ...COUNTER_COLUMNS]
  .map((column) => `${column} = ?`)
  .join(", ");
const UPDATE = `UPDATE sessions SET ${SET} WHERE id = ?`;
const UPDATE_WITH_PASSES = `UPDATE sessions SET ${SET}, weak_passes = ?, pass_tokens_after = ? WHERE id = ?`;

interface LeaseLength {
  readonly now: Date;
  readonly ttlMs: number;
}

export function takeLease(
  connection: Connection,
  sessionId: string,
  { holder, ...length }: LeaseLength & { readonly holder: string },
): Lease | undefined {
  requireSession(connection, sessionId);
  const [now, expiresAt] = timesOf(length);
  const values = [storableText(holder), length.now.getTime(), expiresAt, length.ttlMs, sessionId, now, now];
  const row = connection.get(TAKE, ...values);
  return row && { sessionId, holder, token: numberIn(row, "lease_token"), expiresAt };
}

// A token is at least the time, so that the tokens of a session that was deleted and made again rise too.
const TAKE = `UPDATE sessions SET lease_holder = ?, lease_token = max(lease_token + 1, ?), lease_expires_at = ?, lease_ms = ?
WHERE id = ? AND (lease_holder IS NULL OR lease_expires_at <= ?
  OR (unixepoch(lease_expires_at, 'subsec') - unixepoch(?, 'subsec')) * 1000 > ${LEASE_LENGTHS_MAX} * lease_ms)
RETURNING lease_token`;

export function renewLease(connection: Connection, lease: Lease, length: LeaseLength): Lease | undefined {
  const [now, expiresAt] = timesOf(length);
  const changed = connection.run(RENEW, expiresAt, length.ttlMs, lease.sessionId, lease.token, now);
  return changed === 0 ? undefined : { ...lease, expiresAt };
}

const RENEW = `UPDATE sessions SET lease_expires_at = ?, lease_ms = ?
WHERE id = ? AND lease_token = ? AND lease_holder IS NOT NULL AND lease_expires_at > ?`;

export function releaseLease(connection: Connection, lease: Lease): void {
  connection.run(RELEASE, lease.sessionId, lease.token);
}

const RELEASE = "UPDATE sessions SET lease_holder = NULL, lease_expires_at = NULL WHERE id = ? AND lease_token = ?";

function timesOf({ now, ttlMs }: LeaseLength): readonly [now: string, expiresAt: string] {
  return [now.toISOString(), new Date(now.getTime() + ttlMs).toISOString()];
}
