import { expect, test } from "vitest";
import { foreignGoal } from "./foreign-goal.ts";

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
