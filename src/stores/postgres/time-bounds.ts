/**
 * How long the server lets us wait for a lock, and lets a transaction of ours hold one while it says nothing. Both are told together with what
 * is sent anyway, so they cost no round trip, and hold for one transaction, whatever connection a pool or a proxy lends.
 */

import type { Waiting } from "../../core/store/waiting.ts";

/**
 * A worker that was frozen or cut off between two statements of its transaction keeps the session's row locked, and every append to
 * it waits. Nothing of ours pauses there for longer than it takes to put the next statement together.
 */
const IDLE_MS_MAX = 5_000;

/** Longer than a silent transaction lives, so that whoever waits for one gets through. */
export const BUSY_TIMEOUT_MS = 10_000;

/** How soon an abort ends a wait: the server cannot be told, so who may be aborted waits again and again for a little while. */
const SLICE_MS = 200;

export interface LockWaits {
  readonly waitMs: number;
  readonly count: number;
}

/** Who cannot be aborted waits once, and keeps his place among those who wait. */
export function lockWaits(busyTimeoutMs: number, { signal }: Waiting): LockWaits {
  // To the server 0 is for ever.
  const waitMs = Math.max(1, Math.ceil(signal === undefined ? busyTimeoutMs : Math.min(busyTimeoutMs, SLICE_MS)));
  return { waitMs, count: Math.max(1, Math.ceil(busyTimeoutMs / waitMs)) };
}

/** A condition that is looked at once, before the first row is: the row's lock is waited for under it. */
export function lockBound(waitMs: number): string {
  return `(SELECT set_config('lock_timeout', '${waitMs}', true)) IS NOT NULL`;
}

/** To be sent with `BEGIN`. */
export function transactionBounds(waitMs: number): string {
  return `SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS_MAX}; SET LOCAL lock_timeout = ${waitMs}`;
}
