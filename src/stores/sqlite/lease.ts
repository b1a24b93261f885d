/** The lease of a session: one holder at a time, a higher token every time. Changes nothing that a session shows. */

import type { Lease } from "../../core/store/store.ts";
import { LEASE_LENGTHS_MAX } from "../../core/store/store-rules.ts";
import { numberIn, storableText } from "../sql/cells.ts";
import type { Connection } from "./connection.ts";
import { requireSession } from "./sessions.ts";

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

/** An old lease frees nothing. */
export function releaseLease(connection: Connection, lease: Lease): void {
  connection.run(RELEASE, lease.sessionId, lease.token);
}

const RELEASE = "UPDATE sessions SET lease_holder = NULL, lease_expires_at = NULL WHERE id = ? AND lease_token = ?";

function timesOf({ now, ttlMs }: LeaseLength): readonly [now: string, expiresAt: string] {
  return [now.toISOString(), new Date(now.getTime() + ttlMs).toISOString()];
}
