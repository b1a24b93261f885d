import { expect, test } from "vitest";
import { foreignCheckpoint } from "./foreign-checkpoint.ts";

test("lists under headings for what was done, decided and laid down", () => {
  const summary =
    "The conversation history before this point was compacted\n## Goal\nPort the gate.\n\n## Constraints & Preferences\n- Never push\n- (none)\n\n" +
    "## Progress\n### Done\n- [x] Ported the pump\n### In Progress\n- [ ] Port the gate\n\n## Key Decisions\n- **Two gates**: one stays open\n\n## Next Steps\n1. Port the gate";
  expect(foreignCheckpoint(summary)).toMatchObject({
    goal: ["Port the gate."],
    constraints: ["Never push"],
    done: ["Ported the pump"],
    decisions: [{ decision: "Two gates", reason: "one stays open" }],
    inProgress: [],
    nextSteps: [],
  });
});

test("numbered sections too", () =>
  expect(
    foreignCheckpoint("6. Completed Work:\n   - Ported the pump\n\n7. Pending Tasks:\n   - Port the gate")?.done,
  ).toEqual(["Ported the pump"]));

test("nothing of the kind", () => expect(foreignCheckpoint("## Goal\nPort the gate.")).toBeUndefined());
