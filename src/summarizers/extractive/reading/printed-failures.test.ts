import { expect, test } from "vitest";
import type { JsonObject } from "../../../core/json.ts";
import { type Message, text } from "../../../core/message.ts";
import { estimateTokens } from "../../../core/tokens/tokens.ts";
import { extractive } from "../../extractive.ts";

let next = 0;

function called(name: string, input: JsonObject, output: string): readonly Message[] {
  const callId = `c${next++}`;
  return [
    { id: `m${next++}`, role: "assistant", parts: [{ type: "tool-call", callId, name, input }] },
    {
      id: `m${next++}`,
      role: "user",
      parts: [{ type: "tool-result", callId, content: [text(output)], isError: false }],
    },
  ];
}
const bash = (command: string, output: string) => called("bash", { command }, output);

async function toldOf(messages: readonly Message[]) {
  const request: Message = { id: `m${next++}`, role: "user", parts: [text("Please mend the northern sluice gate.")] };
  const { checkpoint } = await extractive().summarize(
    { messages: [request, ...messages], turnPrefix: [], kept: [], budgetTokens: 2_000, counter: estimateTokens() },
    { signal: new AbortController().signal, progress: () => undefined },
  );
  return { blocked: checkpoint?.blocked, nextSteps: checkpoint?.nextSteps, done: checkpoint?.done };
}

test.each([
  ["npm test", "Tests  1 failed | 11 passed (12)", "Tests 1 failed | 11 passed (12)"],
  [
    "pytest -q",
    "FAILED tests/gate.py::test_hinge - KeyError: 'oil'",
    "FAILED tests/gate.py::test_hinge - KeyError: 'oil'",
  ],
  ["npx tsc --noEmit", "gate.ts(3,5): error TS2345: no wheel", "gate.ts(3,5): error TS2345: no wheel"],
  ["./gradlew build", "> Task :gate\nBUILD FAILED in 3s", "BUILD FAILED in 3s"],
  [
    "python -m pytest",
    "loading\nTraceback (most recent call last):\n  File 'x'\nValueError: no oil here",
    "ValueError: no oil here",
  ],
  ["node --test", "FAIL gate.test.ts", "FAIL gate.test.ts"],
])("%s that prints %j is an open failure", async (command, output, said) => {
  const { blocked, nextSteps } = await toldOf([...bash("npm run lint", "12 passed"), ...bash(command, output)]);
  expect(blocked).toEqual([`bash: ${command} → ${said}`]);
  expect(nextSteps?.[0]).toContain(command);
  expect(nextSteps?.[0]).not.toContain("go on from");
});

test.each([
  ["npm test", "opening\nFAILED to reach the gate, as wanted\n12 passed"],
  ["npm test", "0 failed, 12 passed"],
  ["cat gate.log", "yesterday\nFAILED tests/gate.py\n1 failed, 11 passed"],
  ["grep -rn failed src", "src/gate.ts:3: 1 failed"],
  ["sluice status", "opened\nFAILED before: 3 failed attempts"],
])("%s that prints %j is none", async (command, output) => {
  expect((await toldOf(bash(command, output))).blocked).toEqual([]);
});

test("nor is one behind which the same check passed or something was changed", async () => {
  const failed = bash("npm test", "1 failed, 11 passed");
  const { blocked, done } = await toldOf([...failed, ...bash("npm test", "12 passed")]);
  expect({ blocked, done }).toEqual({ blocked: [], done: ["npm test → 12 passed"] });
  const edited = called("edit_file", { file_path: "gate.ts", new_string: "x" }, "ok");
  expect((await toldOf([...failed, ...edited])).blocked).toEqual([]);
});
