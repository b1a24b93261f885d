/** Who may commit to a session, and until when. Pure: the clock is given. A token is never given twice. */

import type { Lease } from "../../core/store/store.ts";
import { LEASE_LENGTHS_MAX } from "../../core/store/store-rules.ts";

export interface LeaseState {
  readonly holder: string;
  /** Of the newest lease; 0 before the first. */
  readonly token: number;
  /** Milliseconds since the epoch; 0 once released. */
  readonly expiresAtMs: number;
  /** The length that the holder asked for. */
  readonly lengthMs: number;
}

export const NO_LEASE: LeaseState = { holder: "", token: 0, expiresAtMs: 0, lengthMs: 0 };

/** Undefined while another holder has it. */
export function takeLease(
  state: LeaseState,
  holder: string,
  until: { readonly now: Date; readonly ttlMs: number },
): LeaseState | undefined {
  const nowMs = until.now.getTime();
  const leftMs = state.expiresAtMs - nowMs;
  if (leftMs > 0 && leftMs <= LEASE_LENGTHS_MAX * state.lengthMs) return undefined;
  // By the clock, so that the tokens of a session that was deleted and made again rise too.
  return { holder, token: Math.max(state.token + 1, nowMs), expiresAtMs: nowMs + until.ttlMs, lengthMs: until.ttlMs };
}

/** Undefined when it is lost or has expired. */
export function renewLease(
  state: LeaseState,
  lease: Lease,
  until: { readonly now: Date; readonly ttlMs: number },
): LeaseState | undefined {
  if (!holdsLease(state, lease, until.now)) return undefined;
  return { ...state, expiresAtMs: until.now.getTime() + until.ttlMs, lengthMs: until.ttlMs };
}

/** Undefined when another holder has it by now: there is nothing to release. */
export function releaseLease(state: LeaseState, lease: Lease): LeaseState | undefined {
  return isSame(state, lease) ? { ...state, expiresAtMs: 0 } : undefined;
}

export function holdsLease(state: LeaseState, lease: Lease, now: Date): boolean {
  return isSame(state, lease) && state.expiresAtMs > now.getTime();
}

export function leaseOf(sessionId: string, { holder, token, expiresAtMs }: LeaseState): Lease {
  return { sessionId, holder, token, expiresAt: new Date(expiresAtMs).toISOString() };
}

function isSame(state: LeaseState, { holder, token }: Lease): boolean {
  return state.token === token && state.holder === holder;
}
