import { expect, test } from "vitest";
import { cutAtWord, endsOf, splitSentences } from "./sentences.ts";

function check(text: string, expected: readonly string[]): void {
  expect(splitSentences(text, { sentencesMax: 100 })).toEqual(expected);
}

test("at marks before a blank", () => check("It works. Does it? Yes! Fine", ["It works.", "Does it?", "Yes!", "Fine"]));
test("not inside names, numbers and abbreviations", () =>
  check("See a.b.ts v1.2 e.g. this one by J. Smith. Done.", ["See a.b.ts v1.2 e.g. this one by J. Smith.", "Done."]));
test("not inside a name between backticks, and not where dots only pause", () =>
  check("It runs `ALTER ... ADD. x` first. It works ... mostly. Odd ` tick. End.", [
    "It runs `ALTER ... ADD. x` first.",
    "It works ... mostly.",
    "Odd ` tick.",
    "End.",
  ]));
test("where the blank was left out, but not inside a name", () =>
  check(
    "It runs on the server.The key `e = 5`.This is small. It is line 1475.To mend it, wait. Call requests.Session or tide.The_gate in v2.The end.",
    [
      "It runs on the server.",
      "The key `e = 5`.",
      "This is small.",
      "It is line 1475.",
      "To mend it, wait.",
      "Call requests.Session or tide.The_gate in v2.The end.",
    ],
  ));
test("closing quotes belong to what they close", () =>
  check('He said "no." Then left.', ['He said "no."', "Then left."]));
test("lines that begin small are prose, unless they are code", () =>
  check("import tides.\nimportant rows stay.\nclass Tide.\nit works.", ["important rows stay.", "it works."]));
test("scripts without blanks", () => check("修好了。可以吗？好！", ["修好了。", "可以吗？", "好！"]));
test("lines and list marks", () => check("- [x] one\n2. two\n\n> three", ["one", "two", "three"]));
test("code, tables and headings are left out", () =>
  check("## Head\n```\ncode here.\n```\n| a | b |\n---\nText stays.", ["Text stays."]));
test("a bounded number, from both ends", () =>
  expect(splitSentences("a1. a2. a3. a4. a5. a6.", { sentencesMax: 4 })).toEqual(["a1.", "a2.", "a5.", "a6."]));

test("of a long text the whole lines of both ends", () => {
  const half = 100_000;
  const lines = Array.from({ length: 30_000 }, (_, at) => `tide ${at}`).join("\n");
  for (const text of [lines, `${lines}\n`, "x".repeat(half) + lines, lines + "x".repeat(half), "x".repeat(3 * half)]) {
    const ends = [...text.slice(0, half).split("\n").slice(0, -1), ...text.slice(-half).split("\n").slice(1)];
    expect(splitSentences(text, { sentencesMax: Infinity })).toEqual(ends.filter((line) => line !== ""));
  }
});
test("cut at a word, marked, never inside a character", () => {
  expect(cutAtWord("one two three", 9)).toBe("one two…");
  expect(cutAtWord("🙂🙂🙂🙂", 4)).toBe("🙂…");
  expect(cutAtWord("short", 5)).toBe("short");
});

test("an ordinal goes on", () => {
  expect(splitSentences("Der Termin am 16. Februar steht. Er gilt bis 3. vormittags.", { sentencesMax: 9 })).toEqual([
    "Der Termin am 16. Februar steht.",
    "Er gilt bis 3. vormittags.",
  ]);
  expect(
    splitSentences("Darf ich den Termin auf den 11.02. legen? Er war am 03.12. vorbei.", { sentencesMax: 9 }),
  ).toEqual(["Darf ich den Termin auf den 11.02. legen?", "Er war am 03.12. vorbei."]);
  expect(splitSentences("it costs 12.50. the last one is wet on 11.02. The end.", { sentencesMax: 9 })).toEqual([
    "it costs 12.50.",
    "the last one is wet on 11.02.",
    "The end.",
  ]);
  expect(splitSentences("There are 12. The last one is wet.", { sentencesMax: 9 })).toHaveLength(2);
});

/** The sentences of a long text are those of its lines, however few of them are wanted. */
function checkEnds(lines: readonly string[]): void {
  const text = lines.join("\n");
  const all = lines.flatMap((line) => splitSentences(line, { sentencesMax: 1_000 }));
  for (const sentencesMax of [1, 2, 3, 12, all.length - 1, all.length, all.length + 1]) {
    expect(splitSentences(text, { sentencesMax }), `${sentencesMax}`).toEqual(endsOf(all, sentencesMax));
  }
}

const LONG_LINES = Array.from({ length: 120 }, (_, at) =>
  at % 7 === 0 ? "" : at % 5 === 0 ? `| ${at} | rope |` : `The rope of lamp ${at} is red. It is ${at} feet long!`,
);
test("of a long text the first and the last sentences", () => checkEnds(LONG_LINES));
test("of a long text that ends in blank lines", () => checkEnds([...LONG_LINES, "", ""]));
test("of a long text of one line", () => checkEnds([LONG_LINES.join(" ")]));
test("of a long text with few sentences", () => checkEnds([...Array(600).fill("| 1 | 2 |"), "The lamp is lit."]));
test("code in a long text is left out", () => {
  const text = [...LONG_LINES, "```", "The lamp is code.", "```", "The lamp is lit."].join("\n");
  expect(splitSentences(text, { sentencesMax: 4 }).at(-1)).toBe("The lamp is lit.");
  expect(splitSentences(text, { sentencesMax: 1_000 })).not.toContain("The lamp is code.");
});
