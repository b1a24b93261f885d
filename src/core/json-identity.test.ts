/** Equality means the same JSON text. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { isSameJson } from "./identity.ts";

function check(left: unknown, right: unknown, isSame: boolean): void {
  expect(isSameJson(left, right)).toBe(isSame);
}

test("a value parsed anew is the same", () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => check(value, JSON.parse(JSON.stringify(value)), true)));
});

test("values are the same when their texts are", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
      check(left, right, JSON.stringify(left) === JSON.stringify(right));
    }),
  );
});

test("key order counts", () => check({ a: 1, b: 2 }, { b: 2, a: 1 }, false));
test("nesting counts", () => check([["a"], "b"], [["a", "b"]], false));
test("a key is no value", () => check({ a: "b" }, ["a", "b"], false));
test("empty things differ", () => {
  const empty = [[], {}, "", null, 0, false, [[]], [null], "\u0000", "\u0000\u0000"];
  for (const left of empty) for (const right of empty) check(left, right, left === right);
});
test("where one text ends and the next begins counts", () => check(["ab", "c"], ["a", "bc"], false));
test("one character in a long text counts", () => {
  const long = "x".repeat(5_000);
  for (const at of [0, 1, 2_500, 4_998, 4_999]) check(`${long.slice(0, at)}y${long.slice(at + 1)}`, long, false);
});
