import { expect, test } from "vitest";
import { jsonText, ownCopy } from "../json.ts";

test("a copy is the same JSON, frozen, and has nothing in common with what was given", () => {
  const given = { z: 1, a: [{ text: "one" }], none: undefined };
  const copy = ownCopy(given);
  given.a[0] = { text: "two" };
  expect(JSON.stringify(copy)).toBe('{"z":1,"a":[{"text":"one"}]}');
  expect([copy, copy.a, copy.a[0], given].map(Object.isFrozen)).toEqual([true, true, true, false]);
});

const cycle: unknown[] = [];
cycle.push(cycle);
const throwing = {
  toJSON() {
    throw new RangeError("no");
  },
};

test.each([10n, { a: [10n] }, cycle, throwing, undefined, () => 1])("%#: what is no JSON is refused", (value) => {
  expect(() => jsonText(value)).toThrow(expect.objectContaining({ code: "invalid-request" }));
});
