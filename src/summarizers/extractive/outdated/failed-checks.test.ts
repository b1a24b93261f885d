import { expect, test } from "vitest";
import { type Checkpoint, EMPTY_CHECKPOINT } from "../../../core/checkpoint/checkpoint.ts";
import { type Message, text } from "../../../core/message.ts";
import { estimateTokens } from "../../../core/tokens/tokens.ts";
import { extractive } from "../../extractive.ts";
import { isCheck } from "../calls/passed-check.ts";
import { claimsPassing } from "./failed-checks.ts";

let next = 0;

function bash(words: string, command: string, output: string, isError = false): readonly Message[] {
  const callId = `c${next++}`;
  const said = words === "" ? [] : [text(words)];
  return [
    {
      id: `m${next++}`,
      role: "assistant",
      parts: [...said, { type: "tool-call", callId, name: "bash", input: { command } }],
    },
    { id: `m${next++}`, role: "user", parts: [{ type: "tool-result", callId, content: [text(output)], isError }] },
  ];
}

const PREVIOUS = { ...EMPTY_CHECKPOINT, goal: ["Mend the sluice."] };

async function doneIn(
  messages: readonly Message[],
  kept: readonly Message[] = [],
  earlier?: Checkpoint,
): Promise<readonly string[]> {
  const previous = earlier === undefined ? {} : { previous: { text: "", checkpoint: earlier } };
  const { checkpoint } = await extractive().summarize(
    { messages, turnPrefix: [], kept, budgetTokens: 2_000, counter: estimateTokens(), ...previous },
    { signal: new AbortController().signal, progress: () => undefined },
  );
  return (checkpoint?.done ?? []).toSorted();
}

const TASK: Message = { id: "task", role: "user", parts: [text("Please mend the northern sluice gate.")] };
const CLAIM = "All 12 tests of the sluice pass.";
const CHECKED = "npm test → 12 passed";
const passes = bash("", "npm test", "12 passed");
const claims = bash(CLAIM, "npm run oil", "oiled");
const fails = bash("", "npm test", "3 failed, 9 passed");
const stops = bash("", "npm test", "Error: the gate is stuck", true);
const leaving = [TASK, ...passes, ...claims];

test("a check that passed is told until it fails, here or in the messages that stay", async () => {
  expect(await doneIn(leaving)).toEqual([CLAIM, CHECKED]);
  for (const failed of [fails, stops]) {
    expect(await doneIn([...leaving, ...failed])).toEqual([]);
    expect(await doneIn(leaving, failed)).toEqual([]);
    expect(await doneIn(leaving, [...failed, ...passes])).toEqual([CLAIM, CHECKED]);
  }
});

test("another check that fails makes claims untrue, but not a result", async () => {
  const other = bash("", "npm run lint", "2 errors", true);
  expect(await doneIn(leaving, other)).toEqual([CHECKED]);
  expect(await doneIn([...leaving, ...other])).toEqual([CHECKED]);
  // What is no check, and what is said after one that failed, changes nothing.
  expect(await doneIn(leaving, bash("", "cat test/gate.test.ts", "No such file", true))).toEqual([CLAIM, CHECKED]);
  expect(await doneIn([TASK, ...fails, ...claims])).toEqual([CLAIM]);
});

test("so it is with what an earlier summary told", async () => {
  const earlier = { ...PREVIOUS, done: ["Oiled the hinges of the gate.", CLAIM, CHECKED] };
  const read = bash("", "ls", "gate");
  expect(await doneIn(read, [], earlier)).toEqual([CLAIM, "Oiled the hinges of the gate.", CHECKED]);
  expect(await doneIn(read, fails, earlier)).toEqual(["Oiled the hinges of the gate."]);
  expect(await doneIn([...read, ...stops], [], earlier)).toEqual(["Oiled the hinges of the gate."]);
  expect(await doneIn(read, bash("", "npm run lint", "2 errors", true), earlier)).toEqual([
    "Oiled the hinges of the gate.",
    CHECKED,
  ]);
});

test("what claims that checks pass, in eleven languages", () => {
  const claiming = [
    "All tests pass.",
    "The build is green.",
    "Alle Tests laufen durch.",
    "Tous les tests passent.",
    "Todas las pruebas pasan.",
    "Todos os testes passam.",
    "Tutti i test sono superati.",
    "Все тесты прошли.",
    "所有测试都通过了。",
    "すべてのテストが通りました。",
    "모든 테스트를 통과했습니다.",
    "نجحت جميع الاختبارات.",
  ];
  for (const sentence of claiming) expect(claimsPassing(sentence), sentence).toBe(true);
  const other = ["Added tests for the pump.", "The gate passes the ships.", "The pump is clean.", CHECKED];
  for (const sentence of other) expect(claimsPassing(sentence), sentence).toBe(false);
});

test("a check is told by the program it runs", () => {
  for (const command of [
    "npm test",
    "cd gate && pnpm run test:unit",
    "python -m pytest gate",
    "npx tsc --noEmit",
    "go vet ./...",
  ])
    expect(isCheck(command), command).toBe(true);
  for (const command of [
    "git checkout main",
    "cat test/gate.ts",
    "rm -r build",
    "test/gate.test.ts",
    "npm install vitest-tide",
  ])
    expect(isCheck(command), command).toBe(false);
});
