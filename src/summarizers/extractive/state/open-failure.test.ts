import { expect, test } from "vitest";
import type { JsonObject } from "../../../core/json.ts";
import { type Message, text } from "../../../core/message.ts";
import { INTERRUPTED_TEXT } from "../../../core/repair/rounds.ts";
import { estimateTokens } from "../../../core/tokens/tokens.ts";
import { extractive } from "../../extractive.ts";

let next = 0;

function called(name: string, input: JsonObject, output: string, isError = false): readonly Message[] {
  const callId = `c${next++}`;
  return [
    { id: `m${next++}`, role: "assistant", parts: [{ type: "tool-call", callId, name, input }] },
    { id: `m${next++}`, role: "user", parts: [{ type: "tool-result", callId, content: [text(output)], isError }] },
  ];
}
const bash = (command: string, output: string, isError = false) => called("bash", { command }, output, isError);
const user = (words: string): Message => ({ id: `m${next++}`, role: "user", parts: [text(words)] });

interface Told {
  readonly blocked: readonly string[];
  readonly nextSteps: readonly string[];
}

async function told(
  messages: readonly Message[],
  kept: readonly Message[] = [],
  userTools: readonly string[] = [],
): Promise<Told> {
  const { checkpoint } = await extractive().summarize(
    {
      messages: [user("Please open the northern sluice gate."), ...messages],
      turnPrefix: [],
      kept,
      budgetTokens: 2_000,
      counter: estimateTokens(),
      userTools,
    },
    { signal: new AbortController().signal, progress: () => undefined },
  );
  return { blocked: checkpoint?.blocked ?? [], nextSteps: checkpoint?.nextSteps ?? [] };
}

const failed = bash("npm test", "Error: the gate is stuck", true);
const OPEN: Told = { blocked: ["bash: npm test → Error: the gate is stuck"], nextSteps: ["fix: npm test"] };
const looks = [
  ...called("read_file", { path: "gate.ts" }, "gate"),
  ...bash("grep -n hinge gate.ts", "12: hinge"),
  ...bash("grep -n wheel gate.ts", "exit code 1", true),
];

test("a check that failed stays open while things are only looked at", async () => {
  expect(await told(failed)).toEqual(OPEN);
  expect(await told([...failed, ...looks])).toEqual(OPEN);
  expect(await told(failed, looks)).toEqual(OPEN);
  expect(await told([...failed, user("continue"), ...looks])).toEqual(OPEN);
});

test("but not behind an edit, another attempt or another task", async () => {
  const edits = called("edit_file", { file_path: "gate.ts", new_string: "x" }, "ok");
  const passes = bash("npm test", "12 passed");
  const other = user("Leave that. Please write the manual of the pump now.");
  for (const rest of [edits, passes]) {
    expect((await told([...failed, ...rest])).blocked).toEqual([]);
    expect((await told([...failed, ...rest, ...looks])).blocked).toEqual([]);
    expect((await told([...failed, ...looks], rest)).blocked).toEqual([]);
  }
  expect((await told([...failed, other, ...looks])).blocked).toEqual([]);
});

test("a call that failed and is no check is passed by what is looked at next", async () => {
  expect((await told([...bash("sluice apply", "Error: locked", true), ...looks])).blocked).toEqual([]);
  expect((await told(bash("sluice apply", "Error: locked", true))).blocked).toEqual([
    "bash: sluice apply → Error: locked",
  ]);
});

test("a check that failed in the messages that stay is still to be overcome, and told there", async () => {
  const again = { blocked: [], nextSteps: ["fix: npm test"] };
  expect(await told(looks, failed)).toEqual(again);
  expect(await told(looks, [...failed, ...looks])).toEqual(again);
  expect(await told(failed, failed)).toEqual(again);
  const passes = bash("npm test", "12 passed");
  const other = user("Leave that. Please write the manual of the pump now.");
  for (const rest of [passes, [...looks, ...passes], [other]])
    expect((await told(looks, [...failed, ...rest])).nextSteps).not.toContain("fix: npm test");
});

test("so is any other newest call that stays, but not a search that found nothing", async () => {
  const refused = bash("sluice apply", "Error: locked", true);
  expect((await told(looks, refused)).nextSteps).toEqual(["overcome the failure of: bash: sluice apply"]);
  const nothing = bash("grep -n wheel gate.ts", "exit code 1", true);
  expect((await told(looks, nothing)).nextSteps).toEqual(["go on from: bash: grep -n wheel gate.ts"]);
});

test("what git refused stays open while things are only looked at, unless there was nothing to do", async () => {
  const refused = bash("git push", "Error: rejected by the harbour", true);
  const open = {
    blocked: ["bash: git push → Error: rejected by the harbour"],
    nextSteps: ["overcome the failure of: bash: git push"],
  };
  expect(await told([...refused, ...looks])).toEqual(open);
  expect(await told(refused, looks)).toEqual(open);
  expect((await told([...refused, ...bash("git push -f", "done")], looks)).blocked).toEqual([]);
  const idle = bash("git commit -m gate", "nothing to commit, working tree clean", true);
  expect((await told([...idle, ...looks])).blocked).toEqual([]);
});

test("a question to the user that was broken off still waits for its answer", async () => {
  const asked = (answer: string, isError: boolean) =>
    called("ask_user", { question: "Which gate shall I open?" }, answer, isError);
  const waits = ["wait for the user's answer: Which gate shall I open?"];
  const declared = ["ask_user"];
  expect((await told(asked(INTERRUPTED_TEXT, true), [], declared)).nextSteps).toEqual(waits);
  expect((await told(asked("The northern one.", false), [], declared)).nextSteps).not.toEqual(waits);
});

test("what a person broke off did not fail", async () => {
  const broken = (note: string) => bash("sluice apply", note, true);
  for (const note of ["[Request interrupted by user for tool use]", "[Request interrupted by user]", "Command aborted"])
    expect(await told(broken(note))).toEqual({ blocked: [], nextSteps: ["go on from: bash: sluice apply"] });
  const locked = "Error: the request interrupted by user anna is locked";
  expect((await told(broken(locked))).nextSteps).toEqual(["overcome the failure of: bash: sluice apply"]);
});

test.each([
  [
    "npm test",
    "12 lines\n FAIL  gate.test.ts > opens at high tide\nTests  2 failed | 10 passed",
    "gate.test.ts > opens at high tide",
  ],
  [
    "pytest",
    "FAILED tests/test_gate.py::test_open - assert 1 == 2\n2 failed, 3 passed",
    "tests/test_gate.py::test_open - assert 1 == 2",
  ],
  ["go test ./...", "--- FAIL: TestGate (0.01s)\nFAIL", "TestGate (0.01s)"],
  ["mix test", "  1) test opens at high tide (GateTest)\n2 tests, 1 failure", "test opens at high tide (GateTest)"],
])("%s is blocked by the first test that failed", async (command, output, failing) => {
  const { blocked } = await told(bash(command, `${output}\nexit code 1`, true));
  expect(blocked.join()).toContain(failing);
  expect(blocked.join().split(failing)).toHaveLength(2);
});

test("nothing is added where no test is named, and to no other call", async () => {
  expect(await told(bash("npm test", "FAIL\nError: the gate is stuck", true))).toEqual(OPEN);
  const { blocked } = await told(bash("sluice apply", "Error: locked\nFAIL gate.test.ts > opens", true));
  expect(blocked).toEqual(["bash: sluice apply → Error: locked"]);
});

const REFUSED = "Error: the fee is 4875, but 1625 was paid";
const booking = (berth: string, output: string, isError = false) =>
  called("book_berth", { berth, name: "anna" }, output, isError);
const reckoning = [
  ...called("think", { thought: "The fee is higher than I thought." }, ""),
  ...called("calculate", { expression: "4875 - 1625" }, "3250"),
  ...called("get_berth_details", { berth: "B-1207" }, "free"),
];

test("a change that failed stays open while somebody thinks, reckons and looks things up", async () => {
  const failing = booking("B-1207", REFUSED, true);
  const open = {
    blocked: [`book_berth: B-1207 → ${REFUSED}`],
    nextSteps: ["overcome the failure of: book_berth: B-1207"],
  };
  expect(await told(failing)).toEqual(open);
  expect(await told([...failing, ...reckoning])).toEqual(open);
  expect(await told(failing, reckoning)).toEqual(open);
  expect(await told([...failing, user("continue"), ...reckoning])).toEqual(open);
  expect(await told(looks, [...failing, ...reckoning])).toEqual({ blocked: [], nextSteps: open.nextSteps });
});

test("but not behind another attempt, another change or another task", async () => {
  const failing = booking("B-1207", REFUSED, true);
  const others = [
    booking("B-1208", "booked"),
    called("update_budget", { berth: "B-1207" }, "done"),
    [user("Leave that. Please write the manual of the pump now.")],
  ];
  for (const rest of others) {
    expect((await told([...failing, ...rest, ...reckoning])).blocked).toEqual([]);
    expect((await told(failing, [...rest, ...reckoning])).blocked).toEqual([]);
    expect((await told(looks, [...failing, ...rest, ...reckoning])).nextSteps.join()).not.toContain("overcome");
  }
  const lookup = called("get_berth_details", { berth: "B-1" }, "Error: no such berth", true);
  expect((await told([...lookup, ...reckoning])).blocked).toEqual([]);
});
