import { expect, test } from "vitest";
import { beforeColon, isFragment, wholeStatement } from "./whole-statement.ts";

const check = (sentence: string, expected: string | undefined, isUser = false): void =>
  expect(wholeStatement(sentence, { isUser })).toBe(expected);

test("marks of the layout go", () => {
  check("✅ **Build passes** with `npm run build`", "Build passes with `npm run build`");
  check("Step 5: Test the tide parser.", "Test the tide parser.");
  check("See [the tide manual](https://example.org/tides) first.", "See the tide manual first.");
});

test.each([
  "ADD` without a default will fail on old rows.",
  "The following files were changed:",
  "and the rest of the sentence",
  "which is why the build broke yesterday",
  "a (half bracket without its end",
  'The harbour master said "close the gate and left.',
  "The tides $a <b> #c {d} are all marks and nothing else",
  "Tides::Parser reads every row of the table",
  "The rows of the tide table and",
  "The rows are read one by one...",
  "| Intro | 120 words | must be short |",
  "const tide = parse(row) => value;",
  '"reason": "We are making progress."',
  "too short",
])("does not stand alone: %s", (sentence) => check(sentence, undefined));

test("names in backticks may have any mark", () =>
  check("Call `a => {b}; (c` before the table is read.", "Call `a => {b}; (c` before the table is read."));

test("people write without capitals", () => {
  check("never touch the harbour table", "never touch the harbour table", true);
  check("never touch the harbour table", undefined);
});

test("scripts without blanks are short", () => check("不要修改公开的名称。", "不要修改公开的名称。"));

test.each<[string, boolean]>([
  ["which is why the build broke yesterday", true],
  ["and the rest of the sentence", true],
  ["too short", true],
  ["不要修改公开的名称。", false],
  ["parse_row now returns a list of tides", false],
  ["The rows of the tide table and", false],
  ["the rows are these:", false],
])("at a glance: %s", (words, expected) => {
  expect(isFragment(words, { isUser: false })).toBe(expected);
  if (expected) check(words, undefined);
});

test.each([
  ["The tower was painted white, but:", ""],
  ["Der Turm wurde weiß gestrichen, aber:", ""],
  ["La tour a été peinte en blanc, mais:", ""],
  ["La torre fue pintada de blanco, pero:", ""],
  ["Башня была покрашена, но:", ""],
  ["The tower was painted white:", "The tower was painted white."],
  ["A torre nova custa mais:", "A torre nova custa mais."],
  ["A torre foi pintada de branco:", "A torre foi pintada de branco."],
])("before a colon, what goes on with a word between clauses says nothing: %s", (words, said) =>
  expect(beforeColon(words)).toBe(said),
);
