import fc from "fast-check";
import { expect, test } from "vitest";
import { cpuMs } from "../../test/cpu-time.ts";
import { cut, cutStart, displayWidth, excerpt, oneLine, safeText, wrap } from "./one-line.ts";

function checkLine(text: string, expected: string): void {
  expect(oneLine(text)).toBe(expected);
}

test("lines become one", () => checkLine("  a\n\tb\r\n\u2028c  ", "a b c"));
test("escape sequences are gone, codes included", () =>
  checkLine("\u001b[31mred\u001b[0m \u001b]0;title\u0007x", "red x"));
test("no control character survives", () => checkLine("a\u0000b\u0085c\u007f", "a b c"));
test("nothing turns the line around", () => checkLine("a\u202eb\u2066c\u200f", "abc"));
test("half a character is replaced", () => checkLine("a\ud800b", "a\ufffdb"));

function checkWidth(text: string, columns: number): void {
  expect(displayWidth(text)).toBe(columns);
}

test("ASCII", () => checkWidth("hello", 5));
test("Chinese takes two columns each", () => checkWidth("你好a", 5));
test("an emoji takes two, however it is composed", () => checkWidth("🙂👩‍💻", 4));
test("an accent takes none", () => checkWidth("e\u0301", 1));

function checkCut(text: string, columns: number, expected: string): void {
  expect(cut(text, columns)).toBe(expected);
  expect(displayWidth(cut(text, columns))).toBeLessThanOrEqual(columns);
}

test("what fits stays", () => checkCut("hello", 5, "hello"));
test("what does not is cut with an ellipsis", () => checkCut("hello", 4, "hel…"));
test("a wide character is never halved", () => checkCut("你好吗", 4, "你…"));
test("room for nothing", () => checkCut("hello", 0, ""));

test("of a path the end is kept", () => expect(cutStart("a/long/path/file.json", 11)).toBe("…/file.json"));

test("an excerpt of a huge text looks at its beginning only", () => {
  const huge = `\n\n   first line\n${"x".repeat(5_000_000)}`;
  const started = cpuMs();
  expect(excerpt(huge, 20)).toBe("first line xxxxxxxx…");
  expect(cpuMs() - started).toBeLessThan(5_000);
});

test("a text of several lines keeps them and loses what acts on a terminal", () => {
  expect(safeText("a\r\n\tb\u001b[2J \u202ec\n\n")).toBe("a\n  b c");
});

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
