import fc from "fast-check";
import { expect, test } from "vitest";
import { displayWidth, wrap } from "./one-line.ts";

test.each([
  ["one two three", 7, ["one two", "three"]],
  ["turn-start-or-split", 12, ["turn-start-", "or-split"]],
  ["abcdefgh", 3, ["abc", "def", "gh"]],
  ["", 5, [""]],
])("%j in %i columns", (text, columns, lines) => {
  expect(wrap(text, columns)).toEqual(lines);
});

test("never wider, never a letter less", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme-ascii" }), fc.integer({ min: 4, max: 30 }), (text, columns) => {
      const lines = wrap(text, columns);
      for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
      expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
    }),
  );
});
