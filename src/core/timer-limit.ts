/** How long a timer can wait: asked for more, the platform's fires at once, and a generous deadline would be none at all. Pure. */

/** The longest delay that `setTimeout` takes, a little under 25 days. */
const TIMER_MS_MAX = 2 ** 31 - 1;

export function timerMs(ms: number): number {
  return Math.min(ms, TIMER_MS_MAX);
}
