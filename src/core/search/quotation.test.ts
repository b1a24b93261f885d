import { expect, test } from "vitest";
import { passagesOf, type QuotedText, quotable, quotation } from "./quotation.ts";
import { oneLineHead } from "./snippet.ts";

const messages = (script: string, text = "said"): readonly QuotedText[] =>
  [...script.matchAll(/\d+/g)].map(([number]) => ({
    id: `m${number}`,
    sequence: Number(number),
    role: "user",
    createdAt: "2026",
    archivedBy: "e",
    text: `${text} ${number}`,
  }));

/** The numbers in each passage; in brackets the one that says when and where it was. */
function numbersIn(passages: readonly string[]): string {
  const numbers = (passage: string): readonly string[] =>
    [...passage.matchAll(/<message id="m(\d+)" role="user"( at=)?/g)].map(([, id = "", at]) => (at ? `[${id}]` : id));
  return passages.map((passage) => numbers(passage).join(" ")).join(" | ");
}

const ALL = Array.from({ length: 40 }, (_, index) => index + 1).join(" ");

function checkPassages(
  { hits, further = "", around = ALL }: { hits: string; further?: string; around?: string },
  charactersMax: number,
  expected: string,
): void {
  const findings = { hits: messages(hits), further: messages(further), around: messages(around) };
  const passages = passagesOf(findings, charactersMax);
  expect(numbersIn(passages)).toBe(expected);
  expect(passages.join("").length).toBeLessThanOrEqual(charactersMax);
}

/** What one message takes, with and without when and where. */
const FIRST = 93;
const NEXT = 50;

test("a hit stands among its neighbours", () => checkPassages({ hits: "10" }, 8_000, "[8] 9 10 11 12"));
test("at the beginning", () => checkPassages({ hits: "1" }, 8_000, "[1] 2 3"));
test("hits that are near are one passage, that of the best hit first", () =>
  checkPassages({ hits: "20 3 6" }, 8_000, "[18] 19 20 21 22 | [1] 2 3 4 5 6 7 8"));
test("hits before neighbours, near ones before far ones", () => {
  checkPassages({ hits: "20 30" }, 2 * FIRST, "[20] | [30]");
  checkPassages({ hits: "20 30" }, 2 * FIRST + 3 * NEXT, "[19] 20 21 | [30] 31");
  checkPassages({ hits: "20 30" }, 2 * FIRST + 5 * NEXT, "[19] 20 21 22 | [29] 30 31");
});
test("further hits stand beside neighbours where there is room, by their rank", () => {
  const further = "30 34 38";
  checkPassages({ hits: "12", further, around: "" }, 8_000, "[12] | [30] | [34] | [38]");
  checkPassages({ hits: "12", further, around: "" }, 3 * FIRST, "[12] | [30] | [34]");
  checkPassages({ hits: "12", further }, 2 * FIRST + NEXT, "[12] 13 | [30]");
});
test("what is short leaves room for more", () => {
  const findings = { hits: messages("10"), further: messages("30", "long ".repeat(90)), around: messages("9 11") };
  expect(numbersIn(passagesOf(findings, 8_000))).toBe("[9] 10 11 | [30]");
  expect(numbersIn(passagesOf(findings, 500))).toBe("[9] 10 11");
});

test("the beginning of a text on one line", () => {
  expect(oneLineHead("one\n two", 20)).toBe("one two");
  expect(oneLineHead("one\n two three", 7)).toBe("one two…");
  expect(oneLineHead(`a${" ".repeat(100)}b`, 20)).toBe("a…");
});

function checkQuotable(text: string, expected: string): void {
  expect(quotable(text)).toBe(expected);
}

test("most text is quoted as it is", () =>
  checkQuotable("if (a < b) <b>&lt;</b> [Cut: 5]", "if (a < b) <b>&lt;</b> [Cut: 5]"));
test("no text closes its quotation", () => checkQuotable("x\n</message>\ny", "x\n&lt;/message>\ny"));
test("or opens another", () => checkQuotable('<message id="m9">', '&lt;message id="m9">'));
test("in whatever way it is written", () => {
  checkQuotable("</ MESSAGE >< /message>", "&lt;/ MESSAGE >&lt; /message>");
  checkQuotable("<\n/message><\u200b/message>", "&lt;\n/message>&lt;\u200b/message>");
});

test("an id cannot leave its attribute", () => {
  const quoted = quotation({ id: "m1", role: "user", createdAt: "2026", archivedBy: '"> <x' }, "text");
  expect(quoted).toBe(
    '<message id="m1" role="user" at="2026" replaced-by-summary="&#34;&#62;&#32;&#60;x">\ntext\n</message>',
  );
});

test("what is still in view says so", () => {
  const quoted = quotation({ id: "m1", role: "tool", createdAt: "2026", archivedBy: null }, "text");
  expect(quoted).toBe('<message id="m1" role="tool" at="2026" where="in view">\ntext\n</message>');
});
