/** The lease of a session: one holder at a time, a higher token every time. Changes nothing that a session shows. */

import type { Lease } from "../../core/store/store.ts";
import { LEASE_LENGTHS_MAX } from "../../core/store/store-rules.ts";
import { numberIn, storableText } from "../sql/cells.ts";
import type { Database } from "./database.ts";
import { seenVersion } from "./sessions.ts";

export interface LeaseTimes {
  readonly now: string;
  readonly expiresAt: string;
  readonly ttlMs: number;
}

export function takeLease(
  database: Database,
  sessionId: string,
  { holder, now, expiresAt, ttlMs }: LeaseTimes & { holder: string },
): Lease | undefined {
  seenVersion(database, sessionId);
  const name = storableText(holder);
  const row = database.get(TAKE, name, Date.parse(now), expiresAt, ttlMs, sessionId, now, now);
  return row === undefined ? undefined : { sessionId, holder, token: numberIn(row, "lease_token"), expiresAt };
}

// A token is at least the time, so that the tokens of a session that was deleted and made again rise too.
const TAKE = `UPDATE sessions SET lease_holder = ?, lease_token = max(lease_token + 1, ?), lease_expires_at = ?, lease_ms = ?
WHERE id = ? AND (lease_holder IS NULL OR lease_expires_at <= ?
  OR (unixepoch(lease_expires_at, 'subsec') - unixepoch(?, 'subsec')) * 1000 > ${LEASE_LENGTHS_MAX} * lease_ms)
RETURNING lease_token`;

export function renewLease(database: Database, lease: Lease, { now, expiresAt, ttlMs }: LeaseTimes): Lease | undefined {
  const changed = database.run(RENEW, expiresAt, ttlMs, lease.sessionId, lease.token, now);
  return changed === 0 ? undefined : { ...lease, expiresAt };
}

const RENEW = `UPDATE sessions SET lease_expires_at = ?, lease_ms = ?
WHERE id = ? AND lease_token = ? AND lease_holder IS NOT NULL AND lease_expires_at > ?`;

/** An old lease frees nothing. */
export function releaseLease(database: Database, lease: Lease): void {
  database.run(RELEASE, lease.sessionId, lease.token);
}

const RELEASE = "UPDATE sessions SET lease_holder = NULL, lease_expires_at = NULL WHERE id = ? AND lease_token = ?";
