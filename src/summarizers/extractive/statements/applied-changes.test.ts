import { expect, test } from "vitest";
import type { Language } from "../../../core/checkpoint/language.ts";
import { type Message, text } from "../../../core/message.ts";
import { appliedIn } from "./applied-changes.ts";

let next = 0;
const spoken = (role: "user" | "assistant", words: string): Message => ({
  id: `m${next++}`,
  role,
  parts: [text(words)],
});

interface Edited {
  readonly name?: string;
  readonly output?: string;
}

/** Words, the call beside them, and how it ended. */
function edit(words: string, { name = "edit_file", output = "ok" }: Edited = {}): readonly Message[] {
  const callId = `c${next++}`;
  const input = { path: "src/gate.ts", new_text: "close()" };
  const isError = output.startsWith("Error");
  return [
    { id: `m${next++}`, role: "assistant", parts: [text(words), { type: "tool-call", callId, name, input }] },
    { id: `m${next++}`, role: "user", parts: [{ type: "tool-result", callId, content: [text(output)], isError }] },
  ];
}

const ASKED = spoken("user", "Please mend the gate of the lower lock.");
const LATER = spoken("assistant", "The pump house has two doors.");
const FIX = "Let me add a latch to the lower gate.";
const applied = (...messages: readonly Message[]): readonly string[] => appliedIn(messages, "en", -1);

test("the newest that was announced and changed is told, once it is behind", () => {
  const other = edit("Now let me set the `a, b` order of the upper gate.");
  expect(applied(ASKED, ...edit(FIX), LATER)).toEqual(["Add a latch to the lower gate."]);
  expect(applied(ASKED, ...edit(FIX), ...other, LATER)).toEqual(["Set the `a, b` order of the upper gate."]);
  expect(applied(ASKED, ...edit(FIX))).toEqual([]);
});

test("not what failed, only looked, was asked before, is told already or still goes on", () => {
  expect(applied(ASKED, ...edit(FIX, { output: "Error: no such text in the file" }), LATER)).toEqual([]);
  expect(applied(ASKED, ...edit(FIX, { name: "read_file" }), LATER)).toEqual([]);
  expect(applied(...edit(FIX), ASKED, LATER)).toEqual([]);
  expect(appliedIn([ASKED, ...edit(FIX), LATER], "en", 1)).toEqual([]);
  expect(applied(ASKED, ...edit(FIX).slice(0, 1))).toEqual([]);
  expect(
    applied(ASKED, ...edit(FIX), ...edit("").map((message) => ({ ...message, parts: message.parts.slice(-1) }))),
  ).toEqual([]);
});

test.each([
  "Let me add a latch to both gates of the lower lock.",
  "Let me add a latch to the gate and paint the wall.",
  "Let me put it at the end of the lower gate.",
  "Let me check the latch of the lower gate.",
  "Let me make the edit now.",
  "Let me execute the script that closes the lower gate.",
])("one call may not be all of it, or it does not say what: %s", (words) =>
  expect(applied(ASKED, ...edit(words), LATER)).toEqual([]),
);

test("what was doubted since may be otherwise by now", () =>
  expect(applied(ASKED, ...edit(FIX), spoken("assistant", "That was wrong: the latch is upside down."))).toEqual([]));

test.each<[Language, string, readonly string[]]>([
  ["de", "Ich werde die Klinke am unteren Tor befestigen.", ["Die Klinke am unteren Tor befestigen."]],
  ["fr", "Je vais fixer le loquet de la porte basse.", ["Fixer le loquet de la porte basse."]],
  ["es", "Voy a fijar el pestillo de la puerta baja.", ["Fijar el pestillo de la puerta baja."]],
  ["zh", "让我给下闸门加一个门闩。", ["给下闸门加一个门闩。"]],
  ["ja", "下の門の掛け金を修正します:", []],
])("%s: %s", (language, words, expected) =>
  expect(appliedIn([ASKED, ...edit(words), LATER], language, -1)).toEqual(expected),
);
