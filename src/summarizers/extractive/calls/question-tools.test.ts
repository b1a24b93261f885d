import { expect, test } from "vitest";
import type { JsonValue } from "../../../core/json.ts";
import type { ToolCallPart, ToolResultPart } from "../../../core/message.ts";
import { settledByTool } from "./question-tools.ts";

/** Each pair as "question > answer"; what was approved as "plan ! answer". */
function check(name: string, input: JsonValue, result: string, expected: readonly string[]): void {
  const call: ToolCallPart = { type: "tool-call", callId: "1", name, input };
  const answered: ToolResultPart = {
    type: "tool-result",
    callId: "1",
    content: [{ type: "text", text: result }],
    isError: false,
  };
  const found = settledByTool(call, answered);
  expect(found.map(({ asked, answer, isApproval }) => `${asked} ${isApproval ? "!" : ">"} ${answer}`)).toEqual(
    expected,
  );
}

test("pairs in quotes", () =>
  check(
    "AskUserQuestion",
    {},
    'User has answered your questions: "Which gate opens first?"="The northern one", "How many pumps?"="Two". Go on.',
    ["Which gate opens first? > The northern one", "How many pumps? > Two"],
  ));

test("a plain answer to the only question", () => {
  check("ask_followup_question", { question: "Which gate?" }, "<answer>\nThe northern one\n</answer>", [
    "Which gate? > The northern one",
  ]);
  check("confirm-deletion", { message: "Delete the old table?" }, "yes", ["Delete the old table? > yes"]);
});

test("whoever is named in the tool's place of the user is none", () =>
  check("ask_venue", { question: "How wide is the pier?" }, "8 metres", []));

test("answers by the name of their question", () =>
  check(
    "request_user_input",
    {
      questions: [
        { id: "gate", question: "Which gate?" },
        { id: "pump", question: "Which pump?" },
      ],
    },
    '{"answers":{"gate":{"answers":["North"]},"pump":"The new one"}}',
    ["Which gate? > North", "Which pump? > The new one"],
  ));

test("what was approved is what was asked", () =>
  check(
    "leave_planning",
    { plan: "\n# Replace the tide gate\n\n1. Drain." },
    "User has approved your plan. You can start.",
    ["Replace the tide gate ! User has approved your plan."],
  ));

test.each([
  ["a task is no question", "run_task", { question: "Which gate?" }, "The northern one"],
  ["another program answers", "ask_wiki", { question: "Which gate?" }, "The northern one"],
  ["waved away", "ask_user", { question: "Which gate?" }, "User declined to answer questions"],
  ["too long for a choice", "ask_user", { question: "Which gate?" }, "word ".repeat(100)],
  ["nothing was asked", "ask_user", {}, "The northern one"],
])("%s", (_, name, input, result) => check(name, input, result, []));
