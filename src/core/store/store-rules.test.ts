import { expect, test } from "vitest";
import { ordersBetween } from "./store-rules.ts";

function check(before: number | undefined, after: number | undefined, expected: readonly number[]): void {
  expect(ordersBetween(before, after, expected.length)).toEqual(expected);
}

test("between two", () => check(1, 101, [51]));
test("several, evenly", () => check(1, 4, [2, 3]));
test("before the first", () => check(undefined, 1, [0.5]));
test("before what was itself inserted before the first", () => check(undefined, 0.5, [0]));
test("behind the last, yet before whatever is appended meanwhile", () => check(7, undefined, [7.5]));
test("in an empty view", () => check(undefined, undefined, [0.5]));

test("two hundred insertions at one place stay apart", () => {
  // Each pass replaces the earlier summary, so the gap opens again as the tail moves on.
  let tail = 10;
  for (let pass = 0; pass < 200; pass++) {
    const [order] = ordersBetween(1, tail, 1);
    expect(order).toBeGreaterThan(1);
    expect(order).toBeLessThan(tail);
    tail += 5;
  }
});
