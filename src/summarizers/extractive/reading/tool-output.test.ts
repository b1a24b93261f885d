import { expect, test } from "vitest";
import { text } from "../../../core/message.ts";
import { isLabelledOutput } from "../../../core/plan/user-voice.ts";
import { quoteResult } from "../../../core/repair/pass.ts";
import { hasShellState, isOutput, withoutShellState } from "./tool-output.ts";

const STATE = "(Open file: n/a)\n(Current directory: /harbour)\nbash-$";
const QUOTED = quoteResult({ type: "tool-result", callId: "c1", content: [text("3 rows")], isError: true });

test.each([
  "OBSERVATION:\n3 rows",
  "Your command ran successfully and did not produce any output.",
  ...QUOTED.flatMap((part) => (part.type === "text" ? [part.text] : [])),
])("labelled by whoever passed it on: %s", (said) => expect(isLabelledOutput(said)).toBe(true));

test.each(["Traceback (most recent call last):\n  why?", '{"rows": 3}', "$ npm test"])("may be pasted: %s", (said) => {
  expect(isOutput(said)).toBe(true);
  expect(isLabelledOutput(said)).toBe(false);
});

test("the state of a shell is found at the very end only, and taken off", () => {
  expect(hasShellState(`Fix the tide table.\n${STATE}`)).toBe(true);
  expect(withoutShellState(`Fix the tide table.\n\n${STATE}`)).toBe("Fix the tide table.");
  expect(hasShellState(`${STATE}\nFix the tide table.`)).toBe(false);
  expect(withoutShellState("Fix it.")).toBe("Fix it.");
});
