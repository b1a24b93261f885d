import { expect, test } from "vitest";
import { OWN_TEXTS } from "../../../../bench/own-texts.ts";
import { seeded } from "../../../../bench/random.ts";
import { visitContentWords } from "./content-words.ts";
import { createWordTable, type WordTable } from "./word-table.ts";

function asStrings(text: string): readonly string[] {
  const words: string[] = [];
  visitContentWords(text, (word) => words.push(word));
  return words;
}

/** Holds one table to many texts: the same words, and each word the number it had before. */
function checker(table: WordTable = createWordTable()): (text: string) => void {
  const words = new Map<number, string>();
  const numbers = new Map<string, number>();
  return (text) => {
    const expected = asStrings(text);
    const count = table.read(text);
    const found = [...table.found().subarray(0, count)];
    found.forEach((number, at) => {
      const word = expected[at] ?? "";
      if (!words.has(number)) words.set(number, word);
      if (!numbers.has(word)) numbers.set(word, number);
    });
    const told = found.map((number) => words.get(number));
    if (told.join("\n") !== expected.join("\n")) expect([text, told]).toEqual([text, expected]);
    const known = expected.map((word) => numbers.get(word));
    if (known.join() !== found.join()) expect([text, known]).toEqual([text, found]);
  };
}

test("whole texts in every script", () => {
  const check = checker();
  for (const { text } of OWN_TEXTS) for (const line of [text, ...text.split("\n")]) check(line);
});

test("every character alone, in words, and behind an apostrophe", () => {
  const check = checker();
  for (let code = 0; code < 65_536; code++) {
    const unit = String.fromCharCode(code);
    check(`${unit} gate${unit}way ${unit}${unit}${unit} don'${unit} 7${unit} Tide's${unit}'s`);
  }
});

test("anything in any order", () => {
  const check = checker();
  const random = seeded(7);
  for (const alphabet of [
    "aB ",
    "aB's. ",
    "aÉ'b ",
    "THEthe and",
    "İIiı ",
    "ΑΣσς ",
    "a1中グ한 ",
    "a’—“✓😀b",
    "K\u212aÅ\u212b a",
  ]) {
    for (let round = 0; round < 3_000; round++) check(random.string(alphabet, 1 + (round % 40)));
  }
});

test("small words have no number", () => {
  const table = createWordTable();
  expect(table.read("They're there, and IT'S what the others said.")).toBe(0);
  expect(table.read("The harbour and the Harbour")).toBe(2);
  expect([...table.found().subarray(0, 2)]).toEqual([0, 0]);
});

test("texts of any length, and tables of any size", () => {
  const check = checker();
  check(Array.from({ length: 20_000 }, (_, at) => `word${at}`).join(" "));
  check(`${"x".repeat(30_000)} é ${"Y".repeat(30_000)}`);
});

test("a table knows nothing of another", () => {
  createWordTable().read("harbour gate");
  const other = createWordTable();
  other.read("gate");
  expect(other.found()[0]).toBe(0);
});
