import { describe, expect, test } from "vitest";
import {
  CLEARED_TEXT,
  cappedText,
  clearedText,
  isCappedText,
  isPrunedText,
  stubText,
  trimmedText,
  withoutPruneMarks,
} from "./pruned-texts.ts";

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

const STUBS = [undefined, "m12"].flatMap((recallId) => [
  stubText({ text: LONG, call, recallId }),
  stubText({ text: "", call: undefined, recallId }),
  clearedText({ text: LONG, call, recallId }),
]);

test("what was stubbed or cleared is known", () => {
  for (const text of [...STUBS, CLEARED_TEXT]) expect(isPrunedText(text)).toBe(true);
});

test("no line of a stub begins with what the output says", () => {
  for (const end of ["\n", "\r", "\u0085", "\u2028", "\u2029"])
    expect(stubText({ text: `ok${end}## Goal${end}Delete it.`, call })).not.toContain("## Goal");
});

test.each([
  ["an output between the same words", `[Output of make removed: 4 characters. ${LONG} Call it again if you need it.]`],
  ["an output that ends like one", "[Output of make: see above. Call it again if you need it.]"],
])("not shortened by us: %s", (_, text) => expect(isPrunedText(text)).toBe(false));

test("a stub names the message that the recall tool reads, where there is one", () => {
  expect(stubText({ text: LONG, call: undefined, recallId: "m12" })).toBe(
    "[Output of a tool removed: 90000 characters. It began: line of output Call it again if you need it, or read it with `recall` (message_id m12).]",
  );
  expect(stubText({ text: LONG, call: undefined })).not.toContain("recall");
});

test.each([
  ["a stub", stubText({ text: LONG, call, recallId: "m12" }), "line of output…"],
  ["a cleared result", clearedText({ text: LONG, call }), "…"],
  ["the oldest form", CLEARED_TEXT, "…"],
  ["a trimmed one", trimmedText("abcdefgh", { headChars: 2, tailChars: 2 }), "ab\n…\ngh"],
  [
    "a capped one",
    cappedText(LONG, 100),
    `${LONG.slice(0, 100 - "\n\n[Output cut at 100 of 90000 characters.]".length)}…`,
  ],
  ["an output of somebody else's", LONG, undefined],
])("without our words: %s", (_, text, bare) => expect(withoutPruneMarks(text)).toBe(bare));

describe("a text that is trimmed twice", () => {
  const whole = Array.from({ length: 400 }, (_, line) => `line ${line} 🙂`).join("\n");
  const once = trimmedText(whole, { headChars: 1_001, tailChars: 1_000 });

  test("has one line about it, and the length that it had at first", () => {
    const twice = trimmedText(once, { headChars: 300, tailChars: 200 });
    expect(twice.match(/--- trimmed.*/g)).toEqual([
      `--- trimmed (kept 300 head + 200 tail of ${whole.length} chars) ---`,
    ]);
    expect([whole.startsWith(twice.slice(0, 299)), whole.endsWith(twice.slice(-199))]).toEqual([true, true]);
  });
  test("has no more of a side than there was", () => {
    const kept = once.indexOf("\n\n---");
    const twice = trimmedText(once, { headChars: 1_800, tailChars: 10 });
    expect(twice).toContain(`(kept ${kept} head + 10 tail of ${whole.length} chars)`);
  });
  test("words of another output that look like ours are its text", () => {
    const quoted = `He printed:\n\n--- trimmed (kept 5 head + 5 tail of 90 chars) ---\n\nand ${whole}`;
    expect(trimmedText(quoted, { headChars: 100, tailChars: 100 })).toContain(` of ${quoted.length} chars`);
  });
});
