/** Running sums agree with adding up, at any length, and a suffix is found where a walk from the end finds it. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { createRunningSums, type RunningSums } from "./running-sums.ts";

function filled(values: readonly number[]): RunningSums {
  const sums = createRunningSums();
  for (const value of values) sums.push(value);
  return sums;
}

function checkSuffix(values: readonly number[], enough: number, expected: number): void {
  expect(filled(values).shortestSuffix((sum) => sum >= enough)).toBe(expected);
}

test("values and sums come back, beyond the first capacity too", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(10_000), { maxLength: 300 }), (values) => {
      const sums = filled(values);
      let before = 0;
      values.forEach((value, index) => {
        expect([sums.at(index), sums.before(index)]).toEqual([value, before]);
        before += value;
      });
      expect([sums.length, sums.before(values.length)]).toEqual([values.length, before]);
    }),
  );
});

test("outside the list there is nothing", () => {
  const sums = filled([5, 7]);
  expect([sums.at(-1), sums.at(2), sums.before(-1), sums.before(9)]).toEqual([0, 0, 0, 12]);
});

test("what is cut off is gone, and the list goes on from there", () => {
  const sums = filled([1, 2, 3]);
  sums.truncate(1);
  sums.push(10);
  expect([sums.length, sums.at(1), sums.before(2)]).toEqual([2, 10, 11]);
});

test("the shortest suffix that is enough", () => checkSuffix([5, 5, 5], 10, 1));
test("one more than it holds takes one more", () => checkSuffix([5, 5, 5], 11, 0));
test("nothing is enough for nothing", () => checkSuffix([5, 5, 5], 0, 3));
test("the whole is not enough", () => checkSuffix([5, 5, 5], 16, -1));
test("empty values are not taken along needlessly", () => checkSuffix([5, 0, 0, 5], 5, 3));
