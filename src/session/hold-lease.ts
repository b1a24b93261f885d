/** A lease that is renewed during the work; its loss aborts the work. Never outlives `release`. */

import { hostname } from "node:os";
import { CompactionError } from "../core/errors.ts";
import type { Lease, Store, Waiting } from "../core/store/store.ts";

export interface HeldLease {
  /** The lease as last renewed. */
  current(): Lease;
  /** Aborted when the lease is lost. */
  readonly signal: AbortSignal;
  release(): Promise<void>;
}

/** Renewals per lease time: two may fail before it expires. */
const RENEWALS = 3;

/** Undefined while another worker holds it. */
export async function holdLease(
  store: Store,
  sessionId: string,
  { leaseMs, ...waiting }: Waiting & { readonly leaseMs: number },
): Promise<HeldLease | undefined> {
  const taken = await store.lease(sessionId, `${hostname()}:${process.pid}`, leaseMs, waiting);
  if (taken === undefined) return undefined;
  let lease = taken;
  const lost = new AbortController();
  const renew = async (): Promise<void> => {
    try {
      const renewed = await store.renew(lease, leaseMs);
      if (renewed !== undefined) lease = renewed;
      else lost.abort(leaseLost(sessionId));
    } catch {
      // The store may be back before the lease expires; otherwise it refuses the commit.
    }
  };
  const timer = setInterval(() => void renew(), Math.max(1, Math.floor(leaseMs / RENEWALS)));
  timer.unref();
  return {
    current: () => lease,
    signal: lost.signal,
    release: async () => {
      clearInterval(timer);
      // Where the store cannot be reached, the lease expires by itself.
      await store.release(lease).catch(() => {});
    },
  };
}

export function leaseLost(sessionId: string): CompactionError {
  const message = `The lease on session ${JSON.stringify(sessionId)} was lost before the compaction was stored; nothing was changed. Try again.`;
  return new CompactionError("lease-lost", message, { retryable: true });
}
