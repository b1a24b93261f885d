/** Waiting for what somebody else does: no longer than until the caller gives up, and within what timers can count. Never leaves a listener behind. */

/**
 * Settles as the answer does, or rejects with the signal's reason as soon as it is aborted, whatever becomes of the answer after
 * that. Whoever answers may have aborted it, too: its failure is heard all the same, for one that nobody hears ends the program.
 */
export async function untilAborted<Value>(answer: Value | Promise<Value>, signal: AbortSignal): Promise<Value> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([aborted.promise, answer]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** The longest delay that `setTimeout` takes, a little under 25 days. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export function timerMs(ms: number): number {
  return Math.min(ms, TIMER_MS_MAX);
}
