import { expect, test } from "vitest";
import { descendingOrder } from "./descending.ts";

function check(keys: readonly number[], expected: readonly number[]): void {
  expect([...descendingOrder(Float64Array.from(keys))]).toEqual(expected);
}

test("largest first, equal ones as given", () => {
  check([], []);
  check([5], [0]);
  check([1, 3, 2], [1, 2, 0]);
  check([2, 1, 2, 1, 2], [0, 2, 4, 1, 3]);
});

test("agrees with the engine's sort on many numbers, most of them several times", () => {
  const keys = Float64Array.from({ length: 5_000 }, (_, index) => (index * 7_919) % 613);
  const expected = Array.from(keys, (_, index) => index).sort((a, b) => (keys[b] ?? 0) - (keys[a] ?? 0) || a - b);
  check([...keys], expected);
});

test("tells numbers apart that differ in their last bits, however many there are", () => {
  check([0.5, 0.5 + Number.EPSILON, 0, 0.5, 1e300, 0.5 - Number.EPSILON / 2], [4, 1, 0, 3, 5, 2]);
  const close = Array.from({ length: 40 }, (_, index) => 1 + ((index * 17) % 40) * Number.EPSILON);
  check(
    close,
    close.map((_, index) => index).sort((a, b) => (close[b] ?? 0) - (close[a] ?? 0)),
  );
});
