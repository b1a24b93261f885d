import { expect, test } from "vitest";
import { createProse } from "../reading/prose.ts";
import { focusOn } from "./focus.ts";

/** Which of the sentences the instructions pick out. */
function check(instructions: string, sentences: readonly string[], expected: readonly string[]): void {
  const prose = [
    createProse({ message: 0, isUser: true, isRequest: true, isFinal: false, speaker: "", text: sentences.join("\n") }),
  ];
  expect(focusOn(instructions, prose)?.prose.map(({ text }) => text)).toEqual(expected);
}

const PRESS = "Anneke needs it for the press campaign that started at noon.";
const CODES = "The coupon code SPRING-25 was mailed to the press.";
const OTHER = "The gateway answers slowly after a deployment.";
const FILLER = Array.from({ length: 20 }, (_, index) => `The worker number ${index} is fine and idle today.`);

test("sentences that share the words, whatever their ending", () =>
  check("the press campaigns and their coupon codes", [PRESS, OTHER, CODES, ...FILLER], [PRESS, CODES]));
test("a word that stands everywhere picks nothing out beside a rare one", () =>
  check("focus on the coupon worker", [CODES, OTHER, ...FILLER], [CODES]));
test("a word is no beginning of another", () =>
  check("press", ["Compress the express pressure log today.", OTHER], []));
test("words that only ask name nothing", () => {
  expect(focusOn("please focus on", [])).toBeUndefined();
  expect(focusOn(undefined, [])).toBeUndefined();
});
test("speakers stay", () => {
  const said = { message: 3, isUser: true, isRequest: true, isFinal: false, speaker: "Ada" };
  const prose = [createProse({ ...said, text: `Ada: ${OTHER} ${PRESS}` })];
  const [picked, ...others] = focusOn("campaign", prose)?.prose ?? [];
  expect(picked).toMatchObject({ ...said, text: `Ada: ${PRESS}` });
  expect(picked?.sentences()).toEqual([PRESS]);
  expect(others).toEqual([]);
});
test("named facts become likelier, never certain beyond 1", () => {
  const facts = [
    { kind: "path" as const, text: "src/coupon-codes.ts", likelihood: 0.1, isTold: false },
    { kind: "path" as const, text: "src/gateway.ts", likelihood: 0.1, isTold: false },
    { kind: "path" as const, text: "docs/coupons.md", likelihood: 0.9, isTold: false },
  ];
  const raised = focusOn("coupons", [])?.raise(facts);
  expect(raised?.map(({ text, likelihood }) => [text, likelihood])).toEqual([
    ["docs/coupons.md", 1],
    ["src/coupon-codes.ts", 0.4],
    ["src/gateway.ts", 0.1],
  ]);
  expect(focusOn("zeppelins", [])?.raise(facts)).toBeUndefined();
});
