import { describe, expect, test } from "vitest";
import { guarded } from "./cue-guard.ts";
import { words } from "./cue-table.ts";
import { CUES } from "./cues.ts";
import { neededPieces } from "./needed-pieces.ts";

const CUE = [words("decided (?:to|on)|went with"), words("finished|now (?:works|opens)")];

function check(text: string, expected: boolean): void {
  expect(guarded(CUE)(text)).toBe(expected);
  expect(CUE.some((cue) => cue.test(text))).toBe(expected);
}

test("a text without any of the pieces", () => check("The gate opens at noon.", false));
test("a text with a piece inside another word", () => check("It is unfinished.", false));
test("the first cue", () => check("We DECIDED to open the gate.", true));
test("the second cue, at the very end", () => check("The lock now works", true));
test("letters that an expression takes for others", () => check("Finiſhed", true));
test("an ideograph beside the words", () => check("The 門 is finished.", true));

describe("every cue finds itself", () => {
  for (const [language, cues] of Object.entries(CUES))
    test(language, () => {
      for (const [name, cue] of Object.entries(cues)) {
        const has = guarded([cue]);
        for (const piece of neededPieces(cue) ?? []) {
          const text = `— ${piece.trim()}.`;
          expect({ name, piece, isFound: has(text) }).toEqual({ name, piece, isFound: cue.test(text) });
        }
      }
    });
});
