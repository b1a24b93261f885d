/** The row of a session: made, found, locked, changed. Every change but an append raises the revision. */

import { jsonText } from "../../core/json.ts";
import type { Batch, Lease, NewSession, SessionUpdate, Version, Waiting } from "../../core/store/store.ts";
import { LEASE_LENGTHS_MAX, sequencesOf } from "../../core/store/store-rules.ts";
import { messageMissing, sessionExists, sessionMissing } from "../refusals.ts";
import { flagIn, numberIn, type Row, storableText, timeIn } from "../sql/cells.ts";
import { COUNTER_COLUMNS, VERSION_COLUMNS, versionOf } from "../sql/rows.ts";
import type { Database, Transaction, WriteStatement } from "./database.ts";
import { appendStatement } from "./messages.ts";
import { numberList, timeText, VERSION_TEXTS } from "./sql-text.ts";

/** In one transaction with its first messages; without any, in one statement. */
export async function createSession(
  database: Database,
  session: NewSession,
  { first, ...waiting }: Waiting & { readonly first?: Batch | undefined },
): Promise<void> {
  const { schema } = database;
  const [textOf, values] = insertStatement(schema, session);
  const doing = "create the session";
  if (first === undefined) {
    const made = await database.write(doing, [textOf, values], waiting);
    if (made.length === 0) throw sessionExists(session.id);
    return;
  }
  const [appendTextOf, appended] = appendStatement(schema, session.id, first);
  const body = async ({ query, pipeline }: Transaction): Promise<void> => {
    const there = await query(`SELECT 1 FROM ${schema}.sessions WHERE id = $1`, [session.id]);
    if (there.length > 0) throw sessionExists(session.id);
    // The transaction has its bounds already.
    const [made] = await pipeline([
      [textOf("true"), values],
      [appendTextOf("true"), appended],
    ]);
    // Another worker made it first; the rollback removes what was appended to theirs.
    if (made?.length !== 1) throw sessionExists(session.id);
  };
  await database.transaction(doing, body, waiting);
}

/** Waits for another worker that is creating the same session. */
function insertStatement(schema: string, session: NewSession): WriteStatement {
  const { id, format, base, agentId = "", parentId = null, metadata = {} } = session;
  const textOf = (lockBound: string): string =>
    `INSERT INTO ${schema}.sessions (id, format, agent_id, parent_id, base, metadata)
     SELECT $1::text, $2::text, $3::text, $4::text, $5::text::json, $6::text::json WHERE ${lockBound}
     ON CONFLICT DO NOTHING RETURNING id`;
  return [textOf, [id, format, agentId, parentId, jsonText(base), jsonText(metadata)]];
}

export async function requireSession(database: Database, sessionId: string): Promise<void> {
  const rows = await database.read(`SELECT 1 FROM ${database.schema}.sessions WHERE id = $1`, [sessionId]);
  if (rows.length === 0) throw sessionMissing(sessionId);
}

export async function updateSession(
  database: Database,
  sessionId: string,
  update: SessionUpdate,
  waiting: Waiting = {},
): Promise<Version> {
  const set = async (assignment: string, ...values: readonly string[]): Promise<Version> => {
    const textOf = (lockBound: string): string =>
      `UPDATE ${database.schema}.sessions SET ${assignment}, revision = revision + 1, updated_at = clock_timestamp()
       WHERE id = $1 AND ${lockBound} RETURNING ${VERSION_TEXTS}`;
    const [row] = await database.write("change the session", [textOf, [sessionId, ...values]], waiting);
    if (row === undefined) throw sessionMissing(sessionId);
    return versionOf(row);
  };
  switch (update.type) {
    case "pin":
      return pinMessages(database, sessionId, { ...update, ...waiting });
    case "base":
      return set("base = $2::text::json", jsonText(update.base));
    case "metadata":
      return set("metadata = $2::text::json", jsonText(update.metadata));
    case "memory-flush":
      return set("memory_flush_compaction_count = compaction_count");
    default:
      return update satisfies never;
  }
}

async function pinMessages(
  database: Database,
  sessionId: string,
  { messageIds, isPinned, ...waiting }: Waiting & Extract<SessionUpdate, { readonly type: "pin" }>,
): Promise<Version> {
  const sequences = sequencesOf(messageIds);
  const { schema } = database;
  const body = async (transaction: Transaction): Promise<Version> => {
    const { now } = await lockSession(transaction, { schema, sessionId });
    if (sequences === undefined) throw messageMissing();
    const [pinned, sessions] = await transaction.pipeline([
      [
        `UPDATE ${schema}.messages SET is_preserved = $3::boolean
         WHERE session_id = $1 AND sequence = ANY($2::bigint[]) AND archived_by IS NULL RETURNING sequence`,
        [sessionId, numberList(sequences), isPinned],
        "planned",
      ],
      [
        `UPDATE ${schema}.sessions SET revision = revision + 1, updated_at = $2::text::timestamptz
         WHERE id = $1 RETURNING ${VERSION_TEXTS}`,
        [sessionId, now],
      ],
    ]);
    if (pinned?.length !== sequences.length) throw messageMissing();
    return versionOf(sessions?.[0] ?? {});
  };
  return database.transaction("pin the messages", body, waiting);
}

export interface LockedSession {
  readonly row: Row;
  /** By the database's clock, once the lock was had. */
  readonly now: string;
}

export async function lockSession(
  { query }: Transaction,
  { schema, sessionId }: { readonly schema: string; readonly sessionId: string },
): Promise<LockedSession> {
  // The outer query runs once the row is locked, so its clock is not that of a wait.
  const [row] = await query(
    `WITH locked AS MATERIALIZED (SELECT * FROM ${schema}.sessions WHERE id = $1 FOR UPDATE)
     SELECT ${[...VERSION_COLUMNS, ...COUNTER_COLUMNS].join(", ")}, lease_token,
       coalesce(lease_holder IS NOT NULL AND lease_expires_at > clock_timestamp(), false) AS is_lease_live,
       ${timeText("clock_timestamp()")} AS now
     FROM locked`,
    [sessionId],
  );
  if (row === undefined) throw sessionMissing(sessionId);
  return { row, now: timeIn(row, "now") };
}

export async function takeLease(
  database: Database,
  sessionId: string,
  { holder, ttlMs, ...waiting }: Waiting & { readonly holder: string; readonly ttlMs: number },
): Promise<Lease | undefined> {
  const values = [sessionId, storableText(holder), ttlMs];
  const textOf = (lockBound: string): string => takeText(database.schema, lockBound);
  const [row] = await database.write("take the lease", [textOf, values], waiting);
  if (row === undefined || !flagIn(row, "is_there")) throw sessionMissing(sessionId);
  return row.token === null ? undefined : leaseOf(row, { sessionId, holder });
}

/** Tokens follow the clock, so that those of a session that was deleted and made again rise too. */
function takeText(schema: string, lockBound: string): string {
  return `WITH taken AS (
       UPDATE ${schema}.sessions SET lease_holder = $2, lease_expires_at = ${EXPIRY}, lease_ms = $3::double precision,
         lease_token = greatest(lease_token + 1, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)
       WHERE id = $1 AND ${lockBound} AND (lease_holder IS NULL OR lease_expires_at <= clock_timestamp()
         OR lease_expires_at > clock_timestamp() + ${LEASE_LENGTHS_MAX} * lease_ms * interval '1 millisecond')
       RETURNING lease_token, lease_expires_at
     )
     SELECT EXISTS (SELECT FROM ${schema}.sessions WHERE id = $1) AS is_there, taken.lease_token AS token,
       ${timeText("taken.lease_expires_at")} AS expires_at
     FROM (SELECT) AS one LEFT JOIN taken ON true`;
}

export async function renewLease(database: Database, lease: Lease, ttlMs: number): Promise<Lease | undefined> {
  const textOf = (lockBound: string): string =>
    `UPDATE ${database.schema}.sessions SET lease_expires_at = ${EXPIRY}, lease_ms = $3::double precision
     WHERE id = $1 AND ${lockBound} AND lease_token = $2::bigint AND lease_holder IS NOT NULL
       AND lease_expires_at > clock_timestamp()
     RETURNING lease_token AS token, ${timeText("lease_expires_at")} AS expires_at`;
  const [row] = await database.write("renew the lease", [textOf, [lease.sessionId, lease.token, ttlMs]]);
  return row === undefined ? undefined : leaseOf(row, lease);
}

export async function releaseLease(database: Database, { sessionId, token }: Lease): Promise<void> {
  const textOf = (lockBound: string): string =>
    `UPDATE ${database.schema}.sessions SET lease_holder = NULL, lease_expires_at = NULL
     WHERE id = $1 AND ${lockBound} AND lease_token = $2::bigint`;
  await database.write("release the lease", [textOf, [sessionId, token]]);
}

const EXPIRY = "clock_timestamp() + $3::double precision * interval '1 millisecond'";

function leaseOf(row: Row, { sessionId, holder }: { readonly sessionId: string; readonly holder: string }): Lease {
  return { sessionId, holder, token: numberIn(row, "token"), expiresAt: timeIn(row, "expires_at") };
}
