import { expect, test } from "vitest";
import type { JsonObject } from "../../../core/json.ts";
import { type Message, type Part, text } from "../../../core/message.ts";
import { estimateTokens } from "../../../core/tokens/tokens.ts";
import { extractive } from "../../extractive.ts";

let next = 0;
const message = (role: Message["role"], ...parts: Part[]): Message => ({ id: `m${next++}`, role, parts });
const user = (words: string): Message => message("user", text(words));

function called(name: string, input: JsonObject, output: string): readonly Message[] {
  const callId = `c${next++}`;
  return [
    message("assistant", { type: "tool-call", callId, name, input }),
    message("user", { type: "tool-result", callId, content: [text(output)], isError: false }),
  ];
}

const list = called(
  "todo_write",
  {
    todos: [
      { content: "Draw the tide table", status: "completed" },
      { content: "Write the manual of tides", status: "in_progress" },
      { content: "Translate the timetable", status: "pending" },
    ],
  },
  "ok",
);
const TASK = user("Please draw the tide table and write a manual for it.");
const OTHER = user("The lamp of the lighthouse is dark since yesterday: please mend lamp.ts before anything else.");

async function told(messages: readonly Message[], kept: readonly Message[] = []) {
  const { checkpoint } = await extractive().summarize(
    { messages: [TASK, ...messages], turnPrefix: [], kept, budgetTokens: 2_000, counter: estimateTokens() },
    { signal: new AbortController().signal, progress: () => undefined },
  );
  return { inProgress: checkpoint?.inProgress, nextSteps: checkpoint?.nextSteps };
}

const LEFT = ["Write the manual of tides", "Translate the timetable"];
const GOING_ON = { inProgress: ["Write the manual of tides"], nextSteps: ["Translate the timetable"] };

test("a new task stands before what the list of an earlier one left", async () => {
  const unanswered = "The newest request is still unanswered: take it up.";
  expect(await told([...list, OTHER])).toEqual({ inProgress: [], nextSteps: [unanswered, ...LEFT] });
  const edits = called("edit_file", { file_path: "lamp.ts", new_string: "x" }, "ok");
  const changed = { inProgress: [], nextSteps: ["changed, still to be checked: lamp.ts", ...LEFT] };
  expect(await told([...list, OTHER, ...edits])).toEqual(changed);
  expect(await told([...list, OTHER], edits)).toEqual(changed);
});

test("but a word in passing, a request for what the list says, or a newer list do not end it", async () => {
  expect(await told(list)).toEqual(GOING_ON);
  expect(await told([...list, user("continue")])).toEqual(GOING_ON);
  expect(await told([...list, user("Please translate the timetable into Dutch as well.")])).toEqual(GOING_ON);
  expect(await told([...list, OTHER, ...list])).toEqual(GOING_ON);
});

test("a check that failed stands before the rest of a list", async () => {
  const failed = called("bash", { command: "npm test" }, "1 failed, 11 passed");
  expect(await told([...list, ...failed])).toEqual({
    ...GOING_ON,
    nextSteps: ["fix: npm test", "Translate the timetable"],
  });
  const passed = called("bash", { command: "npm test" }, "12 passed");
  expect(await told([...list, ...failed, ...passed])).toEqual(GOING_ON);
});
