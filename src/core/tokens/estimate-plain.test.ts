import { expect, test } from "vitest";
import { OWN_TEXTS } from "../../../bench/own-texts.ts";
import { seeded } from "../../../bench/random.ts";
import { CHARACTERS, WEIGHT_VALUES } from "./estimate-model.ts";
import { scanWindow } from "./estimate-plain.ts";
import { scanPiece } from "./estimate-scan.ts";
import { createScan, loadWindow } from "./estimate-window.ts";

const scan = createScan(CHARACTERS, WEIGHT_VALUES, 8_192);

function byTables(text: string): number {
  scan.tokens[0] = 0;
  loadWindow(scan, text, 0);
  scanWindow(scan);
  return scan.tokens[0] ?? 0;
}

function byPieces(text: string): number {
  scan.tokens[0] = 0;
  loadWindow(scan, text, 0);
  while (scan.at < scan.length) scanPiece(scan);
  return scan.tokens[0] ?? 0;
}

/** Exactly: which way a text is read must not show. */
function check(text: string): void {
  const expected = byPieces(text);
  if (byTables(text) !== expected) expect([text, byTables(text)]).toEqual([text, expected]);
}

test("whole texts in every script", () => {
  for (const { text } of OWN_TEXTS) check(text.slice(0, 8_192));
});

test("every character next to letters, blanks, marks and itself", () => {
  for (let code = 0; code < 65_536; code++) {
    const unit = String.fromCharCode(code);
    check(`a${unit}B ${unit}.${unit}\n${unit}${unit}`);
  }
});

test("runs of every length up to 80, before and after anything", () => {
  const neighbours = ["", "a", "A", "1", ".", " ", "\t", "\n", "'s", "✓", "д", "中", "½", "😀"];
  for (const unit of ["a", "A", "1", ".", "'", " ", "\t", "\n", " \n", "Aa", "✓"]) {
    for (let length = 1; length <= 80; length++) {
      for (const before of neighbours) for (const after of neighbours) check(before + unit.repeat(length) + after);
    }
  }
});

test("anything in any order", () => {
  const random = seeded(11);
  for (const alphabet of [
    "aB ",
    "aB'st. ",
    "a\n\t .",
    "a \n{",
    "AAAAAAAAAAb",
    "Re'vEl",
    "aBé'st. ",
    "aBế'rel \n",
    "AAAAAAAAAAAAÉb's",
    "a\u00a0 \n.\u0085ł",
    "a1 .\n✓д中½\u0301\ud83d\ude00",
  ]) {
    for (let round = 0; round < 5_000; round++) check(random.string(alphabet, 1 + (round % 40)));
  }
});
