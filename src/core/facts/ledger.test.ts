import { expect, test } from "vitest";
import { text } from "../message.ts";
import { factsOf } from "./facts.ts";
import { withoutDemonstrations } from "./ledger.ts";

const SHOWN =
  "Here is one.\n--- DEMONSTRATION ---\nopen lamp_house.py\n--- END OF DEMONSTRATION ---\nNow mend tide_gate.py.";

test("a demonstration goes, what stands around it stays", () =>
  expect(withoutDemonstrations(SHOWN)).toBe("Here is one.\nNow mend tide_gate.py."));

test.each(["The demonstration went well.", "--- DEMONSTRATION ---\nnever ended", "the end of the example is missing"])(
  "whatever only looks like one stays: %s",
  (said) => expect(withoutDemonstrations(said)).toBe(said),
);

test("its names are no facts, where a user gives it first", () => {
  const facts = factsOf([{ id: "m", role: "user", parts: [text(SHOWN)] }]);
  expect(facts.map((fact) => fact.text)).toEqual(["tide_gate.py"]);
});
