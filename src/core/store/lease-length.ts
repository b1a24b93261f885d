/** How long a lease may seem to have left. Says nothing about who holds it. */

/**
 * In its own lengths. A lease ends that length after it was taken, so one with more left was taken by a clock that has gone back
 * since, and would keep everybody out for as long as the clock went back. One length is left for clocks of several machines.
 */
export const LEASE_LENGTHS_MAX = 2;
