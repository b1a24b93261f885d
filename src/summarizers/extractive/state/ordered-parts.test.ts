import { expect, test } from "vitest";
import { CUES } from "../cues/cues.ts";
import { plannedParts } from "./ordered-parts.ts";

/** The items of a plan, and those of them that are to come. */
function check(items: readonly string[], expected: readonly string[]): void {
  const list = items.map((item, at) => `${at + 1}. ${item}`).join("\n");
  expect(plannedParts(`I'll do it in this order:\n${list}`, CUES.en)).toEqual(expected);
}

const DECK = "Repaint the passenger deck";
const HORN = "Carry the fog horn to the bow";

test("a part says in brackets what else is there", () => {
  const chain = "Replace the anchor chain (the winch is already fixed)";
  check([chain, DECK, HORN], [chain, DECK, HORN]);
});

test("what was done before the rest is left out", () => {
  check(["Replaced the anchor chain", DECK, HORN], [DECK, HORN]);
  check(["Replace the anchor chain (done)", DECK, HORN], [DECK, HORN]);
  check(["The anchor chain ✅", DECK, HORN], [DECK, HORN]);
  check(["Replace the anchor chain (it is already fixed)", DECK, HORN], [DECK, HORN]);
});

test("a list of which half is done is a report, and so is one where that stands behind the rest", () => {
  check(["Replaced the anchor chain", DECK], []);
  check(["Replaced the anchor chain", "Repainted the passenger deck", HORN], []);
  check(["A deck of a better colour", "Replaced the anchor chain", "A horn for the fog"], []);
});
