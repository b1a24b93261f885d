import { expect, test } from "vitest";
import { goalOf, type Request } from "./goal.ts";

/** `?` before a request marks it as an answer to a question of the assistant. */
function goalIn(talk: readonly string[], isTalk = true): readonly string[] {
  const requests = talk.map(
    (said): Request => ({ text: said.replace(/^\?/, ""), isKept: false, isReply: said.startsWith("?") }),
  );
  return goalOf({ requests, earlier: [], language: "en", isTalk, isObserved: false }).goal;
}

const DAYS = [
  "Hello, my name is Yara.",
  "Which boat should I buy for the lake behind the mill?",
  "Hi again! Today I painted the gate of the mill, and the red looks wonderful.",
];
const TODAY = "Good morning, friend! I have just begun a course for keepers of lighthouses.";

test("a talk is about what it was opened with", () => expect(goalIn([...DAYS, TODAY])).toEqual([TODAY]));

test("and what was asked in it", () => {
  const asked = "What does a keeper of lighthouses do all day?";
  expect(goalIn([...DAYS, TODAY, "?The course is held on the island.", asked])).toEqual([TODAY, asked]);
});

test("one more hello, or work, opens nothing", () => {
  const boat = "Which boat should I buy for the lake behind the mill?";
  const hello = "Hello? Are you still there?";
  expect(goalIn(["Hello, my name is Yara.", boat, hello])).toContain(boat);
  const task = "Please port the tide parser of the mill.";
  const tasks = [task, "Hi, please fix the gate as well.", "Hi, please add a lamp to it."];
  expect(goalIn(tasks, false)).toContain(task);
});
