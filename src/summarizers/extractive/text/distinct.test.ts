import { expect, test } from "vitest";
import { foremostDecisions } from "./distinct.ts";

/** One word per decision, newest first; a capital has a reason. */
function check(script: string, expected: string): void {
  const decisions = script
    .split(" ")
    .map((decision) => (/^[A-Z]/.test(decision) ? { decision, reason: "why" } : { decision }));
  expect(
    foremostDecisions(decisions)
      .map(({ decision }) => decision)
      .join(" "),
  ).toBe(expected);
}

test("few decisions stay as they are", () => check("a B c", "a B c"));
test("of many the newest stay, and of the older first those that say why", () =>
  check("a b c d e f g h i j k L M", "a b c d e f g h L M"));
