/**
 * Numbers with their running sums, in a typed array that doubles: appending is O(1) amortised, a sum over any range is two
 * reads, and the index where a suffix reaches a size is found by bisection. Sizes are never negative.
 */

export interface RunningSums {
  readonly length: number;
  push(value: number): void;
  at(index: number): number;
  /** Sum of the values before `index`. */
  before(index: number): number;
  /** Keeps the first `length` values. */
  truncate(length: number): void;
  /** The largest index whose suffix satisfies `isEnough`, which must stay true as the sum grows; -1 when none does. */
  shortestSuffix(isEnough: (sum: number) => boolean): number;
}

const FIRST_CAPACITY = 64;

export function createRunningSums(): RunningSums {
  /** `sums[i]` is the sum of the first i values, so there is always one more sum than values. */
  let sums = new Float64Array(FIRST_CAPACITY);
  let length = 0;
  const before = (index: number): number => sums[Math.min(Math.max(index, 0), length)] ?? 0;

  function push(value: number): void {
    if (length + 1 === sums.length) {
      const larger = new Float64Array(sums.length * 2);
      larger.set(sums);
      sums = larger;
    }
    sums[length + 1] = before(length) + value;
    length++;
  }

  function shortestSuffix(isEnough: (sum: number) => boolean): number {
    const total = before(length);
    let found = -1;
    let low = 0;
    let high = length;
    while (low <= high) {
      const middle = (low + high) >>> 1;
      if (isEnough(total - before(middle))) {
        found = middle;
        low = middle + 1;
      } else high = middle - 1;
    }
    return found;
  }

  return {
    get length(): number {
      return length;
    },
    push,
    at: (index) => (index >= 0 && index < length ? before(index + 1) - before(index) : 0),
    before,
    truncate: (kept) => {
      length = Math.min(length, Math.max(kept, 0));
    },
    shortestSuffix,
  };
}
