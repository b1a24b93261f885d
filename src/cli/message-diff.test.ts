import { expect, test } from "vitest";
import { type Message, text } from "../core/message.ts";
import { diffMessages } from "./message-diff.ts";

/** One word per message: `u…` a user's, `a…` an assistant's; `rN:…` a result of call N. What follows `/` is text behind it. */
function messages(script: string): readonly Message[] {
  return script.split(" ").map((word, index): Message => {
    const call = /^r(\d+):(.*)$/.exec(word);
    const role = call !== null ? "tool" : word.startsWith("u") ? "user" : "assistant";
    const said = [text(call?.[2] ?? word.replace("/", "\n"))];
    const parts =
      call === null ? said : [{ type: "tool-result" as const, callId: call[1] ?? "", content: said, isError: false }];
    return { id: `m${index}`, role, parts, wire: { json: word, role, parts } };
  });
}

function check(before: string, after: string, expected: string): void {
  const entries = diffMessages(messages(before), messages(after));
  const shown = entries.map((entry) => {
    const place = entry.mark === "+" ? `${entry.after}` : `${entry.before}`;
    return `${entry.mark}${place}`;
  });
  expect(shown.join(" ")).toBe(expected);
}

test("the same list", () => check("u1 a1 u2", "u1 a1 u2", "=0 =1 =2"));
test("a summary stands after what it replaces", () => check("u1 a1 u2 a2", "usum u2 a2", "-0 -1 +0 =2 =3"));
test("kept at both ends", () => check("u1 a1 u2 a2", "u1 usum a2", "=0 -1 -2 +1 =3"));
test("a shortened result is the same message", () =>
  check("u1 r1:long r2:long a2", "u1 r1:stub r2:long a2", "=0 ~1 =2 =3"));
test("words with more behind them are the same message", () => check("u1 a1 u2", "u1/summary u2", "~0 -1 =2"));
test("of equal messages the newest are kept", () => check("u1 a1 u1 a1", "usum u1 a1", "-0 -1 +0 =2 =3"));
test("the order is kept: a later copy of a message is not taken for it", () =>
  check("u1 a1 u2 u1", "u1 u2", "=0 -1 =2 -3"));
test("nothing in common", () => check("u1 a1", "usum", "-0 -1 +0"));
