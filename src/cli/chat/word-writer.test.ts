import { expect, test } from "vitest";
import { displayWidth } from "../one-line.ts";
import { wordWriter } from "./word-writer.ts";

/** What is written of a text that comes in pieces of any length. */
function written(text: string, columns: number, pieceLength: number): string {
  let out = "";
  const writer = wordWriter(columns, (piece) => {
    out += piece;
  });
  for (let at = 0; at < text.length; at += pieceLength) writer.write(text.slice(at, at + pieceLength));
  writer.end();
  return out;
}

function check(text: string, columns: number, expected: string): void {
  for (const length of [1, 2, 3, 1_000]) expect(written(text, columns, length)).toBe(expected);
}

test("lines break between words", () => check("one two three four", 9, "one two\nthree\nfour\n"));
test("lines and their indentation stay", () => check("a\n\n  - b\n", 20, "a\n\n  - b\n"));
test("tabs are blanks", () => check("\tx", 20, "  x\n"));
test("nothing is nothing", () => check("", 20, ""));
test("a word that is wider than the line is broken", () => check("abcdefghij", 10, "abcdefghij\n"));
test("no escape sequence and no invisible sign reaches the terminal", () =>
  check("a\u001b[2Jb \u202ec\u0007 \u001b]0;title\u0007d", 40, "ab c d\n"));

test("no line is wider than the terminal, whatever comes", () => {
  const text = "最初に設定を読み込みます。次に、必要なファイルを一つずつ確認します。 word 👩‍👩‍👧 ".repeat(6);
  for (const length of [1, 5, 40]) {
    for (const line of written(text, 24, length).split("\n")) {
      expect(displayWidth(line)).toBeLessThanOrEqual(24);
    }
  }
});
