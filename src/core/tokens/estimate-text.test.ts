import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { OWN_TEXTS } from "../../../bench/own-texts.ts";
import { seeded } from "../../../bench/random.ts";
import { cpuMs } from "../../../test/cpu-time.ts";
import { estimateText } from "./estimate-text.ts";

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
