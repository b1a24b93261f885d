import { describe, expect, test } from "vitest";
import { type Message, type Part, text } from "../../core/message.ts";
import { estimateTokens } from "../../core/tokens/tokens.ts";
import { extractive } from "../extractive.ts";

let next = 0;
const message = (role: Message["role"], ...parts: Part[]): Message => ({ id: `m${next++}`, role, parts });
const user = (words: string): Message => message("user", text(words));
const assistant = (words: string): Message => message("assistant", text(words));

function ran(command: string, output: string, isError = false): readonly Message[] {
  const callId = `c${next++}`;
  return [
    message("assistant", { type: "tool-call", callId, name: "bash", input: { command } }),
    message("user", { type: "tool-result", callId, content: [text(output)], isError }),
  ];
}

async function check(messages: readonly Message[], expected: readonly string[], budgetTokens = 2_000): Promise<void> {
  const { checkpoint } = await extractive().summarize(
    { messages, turnPrefix: [], kept: [], budgetTokens, counter: estimateTokens() },
    { signal: new AbortController().signal, progress: () => undefined },
  );
  expect(checkpoint?.nextSteps).toEqual(expected);
}

const said = (words: string): Message =>
  message("assistant", text(words), { type: "tool-call", callId: "open", name: "look", input: {} });
const LIST =
  "Please renovate the ferry:\n1. Replace the rusty anchor chain\n2. Repaint the passenger deck\n3. Test the fog horn";

describe("parts of the request", () => {
  test("those behind the last that was done", () =>
    check(
      [user(LIST), ...ran("ls", "chain"), said("I've replaced the rusty anchor chain.")],
      ["Repaint the passenger deck", "Test the fog horn"],
    ));

  test("clauses joined by then", () =>
    check(
      [
        user("Please replace the rusty anchor chain, then repaint the passenger deck and finally test the fog horn."),
        ...ran("ls", "chain"),
        said("I've replaced the rusty anchor chain."),
      ],
      ["repaint the passenger deck", "test the fog horn."],
    ));

  test("where nothing tells how far the work is, the request itself", () =>
    check(
      [user("Please replace the rusty anchor chain, then repaint the passenger deck."), ...ran("ls", "chain")],
      ["Please replace the rusty anchor chain, then repaint the passenger deck."],
    ));
});

describe("the check that just failed", () => {
  const failing = [user("Please mend the ferry timetable."), ...ran("npm test -- timetable", "Error: 3 failed", true)];

  test("is what to fix, without its message, which stands elsewhere", () =>
    check(failing, ["fix: npm test -- timetable"]));
  test("is no step once something else worked", () =>
    check([...failing, ...ran("npm test -- timetable", "9 passed")], ["Please mend the ferry timetable."]));
  test("a failed search is nothing to fix", () =>
    check(
      [user("Please mend the ferry timetable."), ...ran("curl harbour", "Error: no route", true)],
      ["Please mend the ferry timetable."],
    ));
});

test("in a small budget a step that repeats the goal is left out", () =>
  check([user("Please mend the ferry timetable."), ...ran("ls", "timetable.csv")], [], 24));

test("an answer settles what was asked", () =>
  check([user("Please mend the ferry timetable."), assistant("The ferry timetable is mended.")], []));
