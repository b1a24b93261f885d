import { expect, test } from "vitest";
import { CLEARED_TEXT, cappedText, clearedText, isCappedText, isPrunedText, stubText } from "./pruned-texts.ts";

const call = { type: "tool-call", callId: "1", name: "read", input: { path: "a\nb.ts" } } as const;
const LONG = "line of output\n".repeat(6_000);

test("what was capped is known, at any cap", () => {
  for (const cap of [1_000, 40_000]) expect(isCappedText(cappedText(LONG, cap))).toBe(true);
});

test.each([
  ["words at the end", `${LONG}The file has 90000 characters.]`],
  ["the marker of something shorter", `${LONG}\n\n[Output cut at 400 of 90000 characters.]`],
  ["the marker, and a line behind it", `${cappedText(LONG, 1_000)}\n`],
  ["a marker that says nothing was cut", `short\n\n[Output cut at 900 of 100 characters.]`],
  ["nothing", LONG],
])("not capped by us: %s", (_, text) => expect(isCappedText(text)).toBe(false));

test("what was stubbed or cleared is known", () => {
  for (const text of [stubText(LONG, call), stubText("", undefined), clearedText(LONG, call), CLEARED_TEXT])
    expect(isPrunedText(text)).toBe(true);
});

test.each([
  ["an output between the same words", `[Output of make removed: 4 characters. ${LONG} Call it again if you need it.]`],
  ["an output that ends like one", "[Output of make: see above. Call it again if you need it.]"],
])("not shortened by us: %s", (_, text) => expect(isPrunedText(text)).toBe(false));
