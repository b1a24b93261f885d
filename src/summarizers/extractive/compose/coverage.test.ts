import { expect, test } from "vitest";
import { coverageOf } from "./coverage.ts";

interface Case {
  readonly budget: number;
  readonly known?: readonly string[];
  readonly focus?: readonly string[];
}

/** Each sentence costs its length. */
function check(
  sentences: readonly string[],
  { budget, known = [], focus = [] }: Case,
  expected: readonly number[],
): void {
  const candidates = sentences.map((text) => ({ text, cost: text.length, weight: 1 }));
  expect(coverageOf(candidates, { focus: new Set(focus) })({ budget, known })).toEqual(expected);
}

const SENTENCES = [
  "harbour sensors failed",
  "sensors failed again",
  "budget covers antennas",
  "harbour sensors failed",
];

test("a word counts once, so that a repetition is never chosen", () => check(SENTENCES, { budget: 1_000 }, [0, 2]));
test("within the budget", () => check(SENTENCES, { budget: 25 }, [0]));
test("what is known is worth nothing", () =>
  check(SENTENCES, { budget: 25, known: ["the harbour sensors failed"] }, [2]));
test("focus goes first", () => check(SENTENCES, { budget: 25, focus: ["antennas"] }, [2]));
test("nothing to choose from", () => check([], { budget: 10 }, []));
test("agrees with plain greedy on many sentences", () => {
  const words = "tide lamp rope mast sail oar deck hull keel wind wave buoy dock crane fog bell".split(" ");
  const sentences = Array.from({ length: 80 }, (_, index) =>
    Array.from(
      { length: 2 + (index % 4) },
      (__, at) => words[(index * 7 + at * at * 5 + at) % words.length] ?? "",
    ).join(" "),
  );
  const candidates = sentences.map((text) => ({ text, cost: text.length, weight: 1 }));
  const chosen = coverageOf(candidates, { focus: new Set() })({ budget: 60, known: [] });
  const used = chosen.reduce((sum, at) => sum + (candidates[at]?.cost ?? 0), 0);
  expect(used).toBeLessThanOrEqual(60);
  expect(new Set(chosen.flatMap((at) => sentences[at]?.split(" ") ?? [])).size).toBeGreaterThanOrEqual(10);
});

/** What `shareOf` says of each sentence, by its number. */
function checkLooks(
  shares: Readonly<Record<number, number>>,
  chosen: readonly number[],
  looked: readonly number[],
): void {
  const candidates = ["tide lamp rope mast", "tide lamp rope", "sail deck", "hull"].map((text) => ({
    text,
    cost: 10,
    weight: 1,
  }));
  const asked: number[] = [];
  const shareOf = (at: number): number => {
    asked.push(at);
    return shares[at] ?? 1;
  };
  const choose = coverageOf(candidates, { focus: new Set(), shareOf });
  expect(choose({ budget: 20, known: [] })).toEqual(chosen);
  expect(asked).toEqual(looked);
  expect(choose({ budget: 20, known: [] })).toEqual(chosen);
  expect(asked).toEqual(looked);
}

test("only what is about to be chosen is looked at, and once", () => checkLooks({}, [0, 2], [0, 2]));
test("what must not be chosen leaves its place to the next", () => checkLooks({ 0: 0 }, [1, 2], [0, 1, 2]));
test("what counts for less at a closer look waits for its turn", () => checkLooks({ 0: 0.5 }, [1, 2], [0, 1, 2]));
