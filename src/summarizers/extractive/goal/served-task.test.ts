import { expect, test } from "vitest";
import { goalOf, type Request } from "./goal.ts";

/** Behind `>` stands what the assistant said last; `?` before a request marks an answer, `=` one that stays in the view. */
function goalIn(course: readonly string[]): ReturnType<typeof goalOf> {
  const requests = course.map((line): Request => {
    const [text = "", said = ""] = line.split(" > ");
    return {
      text: text.replace(/^[?=]+/, ""),
      isKept: /^[?=]*=/.test(text),
      isReply: /^[?=]*\?/.test(text),
      isClosed: said !== "" && !said.includes("?"),
      said: said === "" ? [] : [said],
    };
  });
  return goalOf({ requests, earlier: [], language: "en", isTalk: false, isObserved: false });
}

const VAGUE = "Hi, I need to change my berth.";
const NAMED = "I would like to change my berth to one in Brest from May 4 on.";
const REPLY = "Yes, please change the berth. Could you also waive the fee for it?";

test("the task that an answer goes on with is the one that names what is wanted", () => {
  const { goal, leading } = goalIn([`${VAGUE} > What would you like?`, `?${NAMED} > Berth 9 in Brest?`, `?${REPLY}`]);
  expect(goal).toEqual([VAGUE, NAMED, REPLY]);
  expect(leading).toEqual([NAMED]);
});

test("what somebody does not know names nothing", () => {
  const unknown = "I don't remember the berth of the Gull in Brest. Can you change my berth by the name?";
  expect(goalIn([`${VAGUE} > Which one?`, `?${unknown} > Berth 9?`, `?${REPLY}`]).goal).toEqual([VAGUE, REPLY]);
});

test("not where the work began with names, or that turn was closed", () => {
  const began = "I need to change my berth from Calais to Brest on May 4.";
  const unnamed = "I would like to change the berth to a quiet one.";
  expect(goalIn([`${began} > Which?`, `?${unnamed} > This?`, `?${REPLY}`]).goal).toEqual([began, REPLY]);
  const closed = "Please change the berth, and paint the gate.";
  const { goal, leading } = goalIn([`${VAGUE} > What would you like?`, `?${NAMED} > It lies at berth 9.`, closed]);
  expect(goal).toEqual([VAGUE, closed]);
  expect(leading).toEqual([]);
});

test("an offer of more help waits for nothing", () => {
  const { leading } = goalIn([`${VAGUE} > Done. Is there anything else?`, "Please change the lamp at the quay."]);
  expect(leading).toEqual([]);
});

test("what stays in the view gives way to all others", () => {
  const { leading } = goalIn([`${VAGUE} > What would you like?`, `?${NAMED} > Berth 9 in Brest?`, `?=${REPLY}`]);
  expect(leading.slice(0, 2)).toEqual([NAMED, VAGUE]);
});

test("beside what stays in the view stands the newest wish that leaves, of what it goes on with", () => {
  const began = "=Please find a berth for my boat in Brest.";
  const wish = "With a red lamp at the stern, and room for two.";
  const number = "=It is B74. Could you also paint the gate?";
  const course = [`${began} > Which kind?`, `?${wish} > What is its number?`];
  expect(goalIn([...course, `?${number}`]).leading.at(-1)).toBe(wish);
  const closed = [`${began} > Which kind?`, `?${wish} > She lies at berth 9.`];
  expect(goalIn([...closed, "=Could you also paint the gate?"]).leading).not.toContain(wish);
});
