import { expect, test } from "vitest";
import { takesBack } from "./taking-back.ts";

test.each([
  "i undid your changes, try again",
  "revert that",
  "No, undo the last commit and start over.",
  "I've reverted everything.",
  "Please roll back your last edits.",
  "Mach das bitte wieder rückgängig.",
  "撤销刚才的修改",
])("%j takes it back", (request) => expect(takesBack(request)).toBe(true));

test.each([
  "revert the footer to the dim colour",
  "Add an undo button to the toolbar.",
  "why was the parser reverted?",
  "Go back to the first screen and check the colours.",
  "How do I revert a commit with git?",
])("%j does not", (request) => expect(takesBack(request)).toBe(false));
