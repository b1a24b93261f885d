import { expect, test } from "vitest";
import { endsAsking, endsWithColon, endsWithMark, isClosed } from "./endings.ts";

const MARKS = [..."abc .,;:!?…。！？：；؟、)]}\"'”’」』）*`-"];
const TEXTS = ["", ...MARKS, ...MARKS.flatMap((one) => MARKS.flatMap((two) => [one + two, `The tide${one}${two})"`]))];

test.each([
  ["a question", endsAsking, /[?？؟]$/],
  ["a colon", endsWithColon, /[:：]$/],
  ["a whole sentence", isClosed, /[.!?。！？؟][)\]"'”’」』）*`]*$/],
  ["something that closes", endsWithMark, /[.!?…。！？؟:;][)\]"'”’」』）*`]*$/],
] as const)("%s is told as the expression tells it", (_name, isSo, expression) => {
  expect(TEXTS.filter(isSo)).toEqual(TEXTS.filter((text) => expression.test(text)));
  expect(TEXTS.filter(isSo).length).toBeGreaterThan(0);
});
