import { expect, test } from "vitest";
import { editDistance, nearestWord } from "./check-schema.ts";

const KNOWN = ["tailTokens", "tailMessages", "keepLast", "strategy"];

test.each([
  ["tailToken", "tailTokens"],
  ["tailtokens", "tailTokens"],
  ["taliTokens", "tailTokens"],
  ["strategie", "strategy"],
  ["strat", "strategy"],
  ["windowTokens", undefined],
  ["x", undefined],
  ["", undefined],
  ["s".repeat(100_000), undefined],
])("%s means %s", (word, expected) => expect(nearestWord(word, KNOWN)).toBe(expected));

test("longer words than any key are not compared", () => {
  const long = "k".repeat(61);
  expect(nearestWord(long, [long])).toBeUndefined();
});

test.each([
  ["", "", 0],
  ["abc", "", 3],
  ["abc", "acb", 1],
  ["abc", "abd", 1],
  ["kitten", "sitting", 3],
])("%s and %s are %i apart", (a, b, distance) => {
  expect(editDistance(a, b)).toBe(distance);
  expect(editDistance(b, a)).toBe(distance);
});
