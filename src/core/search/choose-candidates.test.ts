import { expect, test } from "vitest";
import { CANDIDATES_MAX, chooseCandidates } from "./choose-candidates.ts";

/** So many numbers down from the first. */
const down = (from: number, count: number) => Array.from({ length: count }, (_, index) => from - index);

function check(found: readonly (readonly number[])[], expected: readonly number[]): void {
  expect(chooseCandidates(found)).toEqual(expected);
}

test("no words, no messages", () => check([[], []], []));
test("each message once, the rarest word's first", () => check([[9, 5, 2], [5], [7, 2]], [5, 7, 2, 9]));
test("a common word takes what room the rare ones leave", () => {
  check([down(5_000, CANDIDATES_MAX), [3, 1]], [3, 1, ...down(5_000, CANDIDATES_MAX - 2)]);
});
test("of equally common words the first", () => {
  const [first, second] = [down(9_000, CANDIDATES_MAX), down(3_000, CANDIDATES_MAX)];
  check([first, second], first);
  check([second, first], second);
});
