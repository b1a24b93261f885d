import { describe, expect, it } from "vitest";
import { quick } from "./quick-expressions.ts";

const LETTER = quick(String.raw`^\p{L}$`, "i");
const LETTER_OR_NUMBER = quick(String.raw`^[\p{L}\p{N}]$`, "i");
const LAST_OF_PLANE = 0xffff;

function charactersOf(from: number, to: number): readonly string[] {
  return Array.from({ length: to - from + 1 }, (_, at) => String.fromCodePoint(from + at));
}

describe("quick", () => {
  it.each([["Latin"], ["Cyrillic"], ["Arabic"], ["Han"], ["Hiragana"], ["Katakana"], ["Hangul"]])(
    "knows every letter of %s, small and capital, without regard to case",
    (script) => {
      const ofScript = new RegExp(`^(?=\\p{L})\\p{Script=${script}}$`, "u");
      const letters = charactersOf(0, LAST_OF_PLANE).filter((character) => ofScript.test(character));
      expect(letters.length).toBeGreaterThan(80);
      // Two Latin letters stand among the Roman numbers.
      expect(letters.filter((letter) => !LETTER.test(letter) && !"Ↄↄ".includes(letter))).toEqual([]);
      expect(letters.filter((letter) => !LETTER_OR_NUMBER.test(letter))).toEqual([]);
    },
  );

  it.each([
    ["ASCII and Latin-1", 0x00, 0xff],
    ["general punctuation", 0x2000, 0x2069],
    ["currencies", 0x20a0, 0x20cf],
    ["arrows, mathematics, boxes", 0x2190, 0x245f],
    ["marks of Chinese, Japanese and Korean", 0x3000, 0x3037],
    ["half and full width", 0xff00, 0xffbe],
    ["pictures", 0x1f300, 0x1faff],
  ])("agrees with Unicode on %s", (_name, from, to) => {
    const differing = charactersOf(from, to).filter(
      (character) =>
        LETTER.test(character) !== /^\p{L}$/u.test(character) ||
        LETTER_OR_NUMBER.test(character) !== /^[\p{L}\p{N}]$/u.test(character),
    );
    expect(differing).toEqual([]);
  });

  it("leaves other sets, escapes and flags as they are", () => {
    const expression = quick(String.raw`[\p{L}\p{N}_-]+\\p\[\p{Lu}`, "gi");
    expect(expression.source).toBe("[\\p{L}\\p{N}_-]+\\\\p\\[\\p{Lu}");
    expect(expression.flags).toBe("giu");
  });
});
