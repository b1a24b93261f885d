import { expect, test } from "vitest";
import type { ToolResultPart } from "../../../core/message.ts";
import { failureOf, outcomeOf } from "../calls/call-outcome.ts";
import { isScrap, unwrapped } from "./scraps.ts";

const resultOf = (text: string, isError = false): ToolResultPart => ({
  type: "tool-result",
  content: [{ type: "text", text }],
  isError,
});

test.each([
  "# null",
  "12: the hinge",
  "gate.ts:12:the hinge",
  "north | 3 m | open | 7",
  "2031-02-12 06:12:00 opening the gate",
  "[sluice-plugin] Info: sending tides",
  "[DEBUG] The gate was created",
  "is open)",
  "gates: [north, south",
  "using ''open_gate''.'",
  "and the gate was created only when the tide had turned twice.",
])("a scrap: %j", (line) => expect(isScrap(line)).toBe(true));

test.each([
  "The gate (north) was created.",
  "Tests  1 failed | 10 passed | 1 skipped | 2 todo (14)",
  "[main 1234567] Oil the hinge",
  "pushed to harbour",
  '"Pretty windy"',
  "✓ Created issue: gate-4",
])("none: %j", (line) => expect(isScrap(line)).toBe(false));

test.each([
  ['"text": "The gate \\\'north\\\' is locked",', "The gate 'north' is locked"],
  ['"isError": true', ""],
  ['"content": [', ""],
  ["]', annotations=None)] isError=True", ""],
  ["Error: [", "Error:"],
  ["The gate is stuck.\\", "The gate is stuck."],
  ["KeyError: 'oil'", "KeyError: 'oil'"],
  ["The gate [north] is locked", "The gate [north] is locked"],
])("%j says %j", (line, expected) => expect(unwrapped(line)).toBe(expected));

test("a failure is told without the value that it stood in", () => {
  const value =
    '{\n  "content": [\n    {\n      "text": "Input error: the gate is locked",\n      "n": 1\n    }\n  ]\n}';
  expect(failureOf(resultOf(value, true))).toBe("Input error: the gate is locked");
  expect(failureOf(resultOf('{\n  "content": [],\n  "isError": true\n}', true))).toBe("error");
});

test("of a long result no line that was cut, and the lines around are none of it", () => {
  const tides = "The tide turned. ".repeat(60);
  expect(outcomeOf(resultOf(`${tides}\n3 gates created`))).toBe("3 gates created");
  expect(outcomeOf(resultOf(`Tides of the week\n${tides}Two gates were created`))).toBe("Tides of the week");
});
