import { expect, test } from "vitest";
import type { JsonValue } from "../../../core/json.ts";
import { settledBy } from "./question-tools.ts";

/** Each pair as "question > answer". */
function check(input: JsonValue, answer: string, expected: readonly string[]): void {
  const found = settledBy({ type: "tool-call", callId: "1", name: "ask_user", input }, answer);
  expect(found.map(({ asked, answer: said }) => `${asked} > ${said}`)).toEqual(expected);
}

test("pairs in quotes", () =>
  check({}, 'Answers: "Which gate opens first?"="The northern one", "How many pumps?"="Two". Go on.', [
    "Which gate opens first? > The northern one",
    "How many pumps? > Two",
  ]));

test("a plain answer to the only question", () => {
  check({ question: "Which gate?" }, "<answer>\nThe northern one\n</answer>", ["Which gate? > The northern one"]);
  check({ message: "Delete the old table?" }, "yes", ["Delete the old table? > yes"]);
});

test("answers by the name of their question", () =>
  check(
    {
      questions: [
        { id: "gate", question: "Which gate?" },
        { id: "pump", question: "Which pump?" },
      ],
    },
    '{"answers":{"gate":{"answers":["North"]},"pump":"The new one"}}',
    ["Which gate? > North", "Which pump? > The new one"],
  ));

test.each([
  ["too long for a choice", { question: "Which gate?" }, "word ".repeat(100)],
  ["nothing was asked", {}, "The northern one"],
])("%s", (_, input, answer) => check(input, answer, []));
