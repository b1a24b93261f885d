/** Tables fit the width that is asked for. */

import { expect, test } from "vitest";
import { displayWidth } from "./one-line.ts";
import { tableLines } from "./text-blocks.ts";

const ROWS = [
  ["1", "short", "a text that may be as long as it likes"],
  ["20", "你好", "x"],
];

function check(widthMax: number, expected: readonly string[]): void {
  const columns = [{ align: "right" }, { align: "left" }, { align: "left", isElastic: true }] as const;
  const lines = tableLines(ROWS, { columns, widthMax });
  expect(lines).toEqual(expected);
  for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(widthMax);
}

test("aligned by columns on the screen, not by characters", () =>
  check(80, ["   1  short  a text that may be as long as it likes", "  20  你好   x"]));
test("the elastic column gives way", () => check(24, ["   1  short  a text tha…", "  20  你好   x"]));
test("never wider than asked, even without room", () => check(9, ["   1  sh…", "  20  你…"]));
