import { expect, test } from "vitest";
import { foreignGoal, foreignPending } from "./foreign-goal.ts";

const OPENING = "This session is being continued from a previous conversation that ran out of context.";

test.each([
  [
    "numbered sections",
    `${OPENING}\n\nAnalysis:\n1. **Initial Request**: rows\n\nSummary:\n1. Primary Request and Intent:\n   Port the tide parser.\n   Keep names.\n\n2. Files:\n   - a.ts`,
    "Port the tide parser.\nKeep names.",
  ],
  ["headings", `${OPENING}\n<summary>\n## Goal\nPort the tide parser.\n\n## Progress\nHalf.`, "Port the tide parser."],
  ["a label on the line", `${OPENING}\n- **Task**: Port the tide parser.\n- **Files**: a.ts`, "Port the tide parser."],
  [
    "free text",
    `${OPENING}\n\nThe tide parser is ported. Its printer is left. More.`,
    "The tide parser is ported.\nIts printer is left.",
  ],
  ["nothing", OPENING, ""],
])("%s", (_, summary, expected) => expect(foreignGoal(summary)).toBe(expected));

test("what it left pending is next, without what was done since", () => {
  const summary =
    "7. Pending Tasks:\n   - **tide-6**: tests for the gate\n   - **tide-7**: open the gate by hand\n\n8. Current Work:\n   Working on tide-6.";
  expect(foreignPending(summary, ["feat: test the gate (tide-6)"])).toEqual(["tide-7: open the gate by hand"]);
  expect(foreignPending("Pending Tasks:\n- tide-7 (open, blocked by tide-5): open the gate (by hand)", [])).toEqual([
    "tide-7: open the gate (by hand)",
  ]);
  expect(foreignPending("## Goal\nOpen the gate.", [])).toEqual([]);
});
