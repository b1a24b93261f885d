import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { OWN_TEXTS } from "../../../bench/own-texts.ts";
import { seeded } from "../../../bench/random.ts";
import { cpuMs } from "../../../test/cpu-time.ts";
import { CHARACTERS, WEIGHT_VALUES } from "./estimate-model.ts";
import { scanPiece } from "./estimate-scan.ts";
import { createScan, estimateText, loadWindow, scanWindow } from "./estimate-text.ts";

const RATIO_MIN = 0.85;
const RATIO_MAX = 1.2;

const ratioOf = (text: string): number => estimateText(text) / countTokens(text);

describe("estimate over exact count", () => {
  for (const { category, name, text } of OWN_TEXTS) {
    test(`${category}: ${name}`, () => {
      expect(ratioOf(text)).toBeGreaterThan(RATIO_MIN);
      expect(ratioOf(text)).toBeLessThan(RATIO_MAX);
    });
  }

  test("mean error is below 7 %", () => {
    const errors = OWN_TEXTS.map(({ text }) => Math.abs(ratioOf(text) - 1));
    expect(errors.reduce((sum, error) => sum + error, 0) / errors.length).toBeLessThan(0.07);
  });
});

describe("odd input", () => {
  const random = seeded(3);
  const LENGTH = 100_000;
  const RUNS: Readonly<Record<string, string>> = {
    "one letter": "a".repeat(LENGTH),
    "one capital": "A".repeat(LENGTH),
    "random letters": random.string("abcdefghijklmnopqrstuvwxyz", LENGTH),
    base64: Buffer.from(random.bytes(75_000)).toString("base64"),
    digits: random.string("0123456789", LENGTH),
    spaces: " ".repeat(LENGTH),
    "line breaks": "\n".repeat(LENGTH),
    dashes: "-".repeat(LENGTH),
    "one emoji": "😂".repeat(LENGTH / 2),
    "lone surrogates": "\ud83d".repeat(LENGTH),
    "combining marks": "e\u0301".repeat(LENGTH / 2),
    "private use": "\ue000".repeat(LENGTH),
  };
  for (const [name, text] of Object.entries(RUNS)) {
    test(`100 KB of ${name}: finite, not absurd, not quadratic`, () => {
      estimateText(text.slice(0, 1_000));
      const started = cpuMs();
      const tokens = estimateText(text);
      expect(cpuMs() - started).toBeLessThan(5_000);
      expect(tokens).toBeGreaterThan(LENGTH / 400);
      expect(tokens).toBeLessThan(LENGTH * 4);
    });
  }

  test("nothing costs nothing", () => expect(estimateText("")).toBe(0));
  test("every character costs something", () => {
    for (let code = 0; code < 65_536; code += 7) {
      const tokens = estimateText(String.fromCharCode(code));
      if (!(tokens > 0 && tokens < 6)) throw new Error(`U+${code.toString(16)} costs ${tokens}`);
    }
  });
  test("twice the text costs about twice the tokens", () => {
    for (const { text } of OWN_TEXTS) {
      expect(estimateText(`${text}\n${text}`) / estimateText(text)).toBeCloseTo(2, 1);
    }
  });
});

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
