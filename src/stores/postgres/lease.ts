/** One compaction at a time: leases by the database's own clock, with a token that only ever rises. */

import type { Lease, Waiting } from "../../core/store/store.ts";
import { LEASE_LENGTHS_MAX } from "../../core/store/store-rules.ts";
import { sessionMissing } from "../refusals.ts";
import { flagIn, numberIn, type Row, storableText, timeIn } from "../sql/cells.ts";
import type { Database } from "./database.ts";
import { timeText } from "./sql-text.ts";

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
