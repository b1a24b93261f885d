import { describe, expect, test } from "vitest";
import { createRandom } from "../../../testing/random.ts";
import { cueFinder, guarded } from "./cue-guard.ts";
import { words } from "./cue-table.ts";
import { CUES } from "./cues.ts";
import { neededPieces } from "./needed-pieces.ts";

const CUE = [words("decided (?:to|on)|went with"), words("finished|now (?:works|opens)")];

function check(text: string, expected: boolean): void {
  expect(cueFinder(CUE)(text) !== 0).toBe(expected);
  expect(CUE.some((cue) => cue.test(text))).toBe(expected);
}

test("a text without any of the pieces", () => check("The gate opens at noon.", false));
test("a text with a piece inside another word", () => check("It is unfinished.", false));
test("the first cue", () => check("We DECIDED to open the gate.", true));
test("the second cue, at the very end", () => check("The lock now works", true));
test("a letter that only looks like another", () => check("Finiſhed", false));
test("signs and an ideograph beside the words", () => check("→ The 門 is finished ✅", true));
test("an old form of a letter", () => expect(guarded(words("ветер"))("\u1c80етер")).toBe(true));

/** Letters of other scripts, marks that differ from letters as small letters do from capitals, and such as become longer or others in small. */
const FILLING = ["the tide", "İstanbul", "ſ", "K", "→ ", "@", "{", "\n", "门", "не ", "'", "’", " — "] as const;

/** As an expression that disregards case has it. */
function canonical(character: string): string {
  const upper = character.toUpperCase();
  const isFolded = upper.length === 1 && !(character.charCodeAt(0) >= 128 && upper.charCodeAt(0) < 128);
  return isFolded ? upper : character;
}

test("no other letter stands for one of the cues without being its capital", () => {
  const letters = new Set(
    Object.values(CUES).flatMap((cues) =>
      Object.values(cues).flatMap((cue) => (neededPieces(cue) ?? []).flatMap((piece) => [...piece])),
    ),
  );
  const letterOf = new Map(Array.from(letters, (letter) => [canonical(letter), letter]));
  const basicPlane = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
  const others = basicPlane.filter((character) => {
    const letter = letterOf.get(canonical(character));
    return letter !== undefined && character.toLowerCase() !== letter;
  });
  expect(letters.size).toBeGreaterThan(100);
  expect(others.filter((character) => character < "\u1c80" || character > "\u1c88")).toEqual([]);
});

describe("every cue finds itself", () => {
  for (const [language, cues] of Object.entries(CUES))
    test(language, () => {
      for (const [name, cue] of Object.entries(cues)) {
        const has = guarded(cue);
        for (const piece of neededPieces(cue) ?? []) {
          const text = `— ${piece.trim()}.`;
          expect({ name, piece, isFound: has(text) }).toEqual({ name, piece, isFound: cue.test(text) });
        }
      }
    });
});

/** As many as a byte has bits. */
const CUES_MAX = 8;

describe("a finder says what the expressions say", () => {
  for (const [language, table] of Object.entries(CUES))
    test(language, () => {
      const random = createRandom(7);
      const all = Object.values(table);
      for (let first = 0; first < all.length; first += CUES_MAX) {
        const cues = all.slice(first, first + CUES_MAX);
        const find = cueFinder(cues);
        const pieces = cues.flatMap((cue) => neededPieces(cue) ?? []);
        for (let round = 0; round < 300; round++) {
          const part = () => pieces[random.below(pieces.length * 2)] ?? random.pick(FILLING);
          const parts = Array.from({ length: 1 + random.below(6) }, part);
          const text = parts
            .map((words) => (random.chance(0.3) ? words.toUpperCase() : words))
            .join(random.pick(["", " "]));
          const expected = cues.reduce((bits, cue, at) => bits | (cue.test(text) ? 1 << at : 0), 0);
          expect({ text, found: find(text) }).toEqual({ text, found: expected });
        }
      }
    });
});

test("a long text", () => check(`${"The gate opens. ".repeat(600)}We decided to close it.`, true));
