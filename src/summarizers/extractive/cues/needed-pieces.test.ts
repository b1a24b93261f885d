import { expect, test } from "vitest";
import { neededPieces } from "./needed-pieces.ts";

function check(expression: RegExp, expected: readonly string[] | undefined): void {
  expect(neededPieces(expression)).toEqual(expected);
}

test("each alternative needs a piece of its own", () =>
  check(/root cause|turn(?:s|ed) out/iu, ["root cause", "turns out", "turned out"]));
test("pieces are small, whatever the case", () => check(/It’s \u00c9tage/iu, ["it’s étage"]));
test("what may be left out is there or not", () => check(/we(?: now)? use/u, ["we now use", "we use"]));
test("of a sequence the longest is looked for", () => check(/is \p{L}+ finished[.!]*/u, [" finished"]));
test("what is there several times is there once", () => check(/(?:gate )+(?:lock ){2,}x*/u, ["gate "]));
test("what only looks around is no piece of a match", () => check(/(?<!\p{L})(?!never)open(?=ed|s)$/u, ["open"]));
test("an alternative without a piece needs none", () => check(/gate|\d+/u, undefined));
test("nor does what may be empty", () => check(/(?:gate)*|(?:lock)?/u, undefined));
test("a line break is no letter", () => check(/\n\s*gate\tlock/u, ["gate"]));
test("of a few characters any one is there, of others nobody knows which", () => {
  check(/don['’]t analy[sz]e/u, ["don't analyse", "don't analyze", "don’t analyse", "don’t analyze"]);
  check(/gate [a-z]lock [^x] \d/u, ["gate "]);
});
test("too many combinations are no longer combined", () =>
  check(
    /(?:a|b|c|d|e|f|g|h|i)(?:a|b|c|d|e|f|g|h|i) gate/u,
    ["a", "b", "c", "d", "e", "f", "g", "h", "i"].map((letter) => `${letter} gate`),
  ));
