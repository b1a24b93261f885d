import { expect, test } from "vitest";
import type { Checkpoint } from "../../../core/checkpoint/checkpoint.ts";
import type { JsonObject } from "../../../core/json.ts";
import { type Message, text } from "../../../core/message.ts";
import { estimateTokens } from "../../../core/tokens/tokens.ts";
import { extractive } from "../../extractive.ts";
import { inOrder } from "./kept-view.ts";
import { createProse, type Prose } from "./prose.ts";

let next = 0;

function called(name: string, input: JsonObject, output: string, isError = false): readonly Message[] {
  const callId = `c${next++}`;
  return [
    { id: `m${next++}`, role: "assistant", parts: [{ type: "tool-call", callId, name, input }] },
    { id: `m${next++}`, role: "user", parts: [{ type: "tool-result", callId, content: [text(output)], isError }] },
  ];
}

async function summarize(messages: readonly Message[], kept: readonly Message[]): Promise<Checkpoint | undefined> {
  const { checkpoint } = await extractive().summarize(
    { messages, turnPrefix: [], kept, budgetTokens: 2_000, counter: estimateTokens() },
    { signal: new AbortController().signal, progress: () => undefined },
  );
  return checkpoint;
}

const TASK: Message = { id: "task", role: "user", parts: [text("Please open the northern sluice gate.")] };
const apply = (output: string, isError = false): readonly Message[] =>
  called("bash", { command: "sluice apply north" }, output, isError);

test("what failed and succeeds in the messages that stay, failed no more", async () => {
  const leaving = [TASK, ...apply("Error: the gate is locked", true), ...called("bash", { command: "ls" }, "gate")];
  const failed = async (kept: readonly Message[]): Promise<number | undefined> =>
    (await summarize(leaving, kept))?.toolFailures.length;
  expect(await failed(apply("ok"))).toBe(0);
  expect(await failed(apply("Error: still locked", true))).toBe(1);
  expect(await failed(called("bash", { command: "sluice apply south" }, "ok"))).toBe(1);
});

test("of two to-do lists the one that stays in the view counts", async () => {
  const list = (first: string, second: string): readonly Message[] =>
    called(
      "todo_write",
      {
        todos: [
          { content: "Oil the hinges", status: first },
          { content: "Turn the wheel", status: second },
        ],
      },
      "ok",
    );
  const leaving = [TASK, ...list("in_progress", "pending")];
  const before = { done: [], inProgress: ["Oil the hinges"], nextSteps: ["Turn the wheel"] };
  expect(await summarize(leaving, [])).toMatchObject(before);
  expect(await summarize(leaving, apply("ok"))).toMatchObject({ inProgress: before.inProgress });
  expect(await summarize(leaving, list("completed", "in_progress"))).toMatchObject({
    done: ["Oil the hinges"],
    inProgress: ["Turn the wheel"],
  });
});

const STATE = "(Open file: /gate.py)\n(Current directory: /)\nbash-$ ";
const says = (role: Message["role"], words: string): Message => ({ id: `m${next++}`, role, parts: [text(words)] });
const writes = (command: string, output: string): readonly Message[] => [
  says("assistant", `Let us see.\n\`\`\`\n${command}\n\`\`\``),
  says("user", `${output}\n${STATE}`),
];

test("a written command that succeeds in the messages that stay failed no more", async () => {
  const told = async (leaving: readonly Message[], kept: readonly Message[]): Promise<readonly string[]> => {
    const { blocked = [], toolFailures = [] } = (await summarize([TASK, ...leaving], kept)) ?? {};
    return [...blocked, ...toolFailures.map(({ summary }) => summary)];
  };
  const failed = writes("python gate.py", "Error: the gate is locked");
  expect(await told(failed, [])).toEqual(["python: gate.py → Error: the gate is locked"]);
  expect(await told(failed, writes("python gate.py", "open"))).toEqual([]);
  expect(await told(failed, writes("python pump.py", "runs"))).toEqual(["gate.py → Error: the gate is locked"]);
  expect(await told(failed, writes("python gate.py", "Error: still locked"))).toEqual([
    "gate.py → Error: the gate is locked",
  ]);
  // The command leaves, and what answers it stays.
  const again = writes("python gate.py", "open");
  expect(await told([...failed, ...again.slice(0, 1)], again.slice(1))).toEqual([]);
});

test.each([
  ["nothing stays", [0, 2, 2, 5], []],
  ["all that stays came later", [0, 2, 2, 5], [8.5, 8.7]],
  ["some stands between, before and behind", [0, 2, 2, 5], [-0.5, 1.25, 2, 4.5, 9]],
  ["what stays is out of order", [1, 3], [2.5, 0.5, 2.5]],
  ["nothing leaves", [], [1.5, 0.5]],
])("what was said stands in order, as sorted, where %s", (_, leaving, kept) => {
  const said = (message: number, index: number): Prose =>
    createProse({ message, isUser: true, isRequest: true, isFinal: false, speaker: "", text: `${index}` });
  const left = leaving.map(said);
  const stays = kept.map((message, index) => said(message, 100 + index));
  expect(inOrder(left, stays)).toEqual([...left, ...stays].sort((a, b) => a.message - b.message));
});
