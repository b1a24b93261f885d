import { expect, test } from "vitest";
import { text } from "../../../core/message.ts";
import { passedCheck } from "./passed-check.ts";

function check(output: string): string | undefined {
  return passedCheck("npm run check", { type: "tool-result", content: [text(output)], isError: false });
}

test.each([
  "12 passed in 3s",
  "7 passing",
  "1 test",
  "Ran 3 tests in 0.1s",
  "4 specs, no failures",
  "2 examples",
  "9 doctests",
  "All checks passed",
  "all tests have passed",
  "BUILD SUCCESSFUL",
  "Build succeeded",
  "webpack compiled successfully",
])("%j says that a check passed", (line) => {
  expect(check(line)).toBe(line);
});

test.each([
  "0 tests",
  "12 failed, 3 passed",
  "passed",
  "compiled with warnings",
  "the tests of all gates",
  "12 gates passed by",
])("%j does not", (line) => {
  expect(check(line)).toBeUndefined();
});

test("words before the number and blanks of any kind do not matter", () => {
  expect(check("Tests:\t12 passed, 12 total")).toBe("Tests: 12 passed, 12 total");
  expect(check("ok 12\u00a0\t passed")).toBe("ok 12 passed");
});
