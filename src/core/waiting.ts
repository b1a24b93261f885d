/** Waits for other work: at most until the caller aborts, and within the range of timers. Removes its listeners. */

/** Settles with the answer, or rejects as soon as the signal is aborted. The answer may fail after that without ending the program. */
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
