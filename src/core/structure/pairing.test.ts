import { expect, test } from "vitest";
import type { Message, Part } from "../message.ts";
import { pairCalls } from "./pairing.ts";

/** `name` a call without id, `name#id` one with; `=name` its result. One word per message, parts joined by `+`. */
function parse(script: string): readonly Message[] {
  return script.split(" ").map((word, index) => ({
    id: `m${index}`,
    role: word.startsWith("=") ? "user" : "assistant",
    parts: word.split("+").map((token): Part => {
      const [name = "", callId] = token.replace("=", "").split("#");
      const id = callId === undefined ? {} : { callId };
      if (token.startsWith("=")) return { type: "tool-result", ...id, name, content: [], isError: false };
      return { type: "tool-call", ...id, name, input: {} };
    }),
  }));
}

/** Expected pairs as `call place > result places`. */
function check(script: string, pairs: readonly string[], orphans: readonly string[] = []): void {
  const place = ({ at }: { at: { message: number; part: number } }): string => `${at.message}.${at.part}`;
  const pairing = pairCalls(parse(script));
  expect(pairing.calls.map((call) => [place(call), ...call.results.map(place)].join(" > "))).toEqual(pairs);
  expect(pairing.orphans.map(place)).toEqual(orphans);
}

test("by id, in any order", () => check("a#1+b#2 =b#2+=a#1", ["0.0 > 1.1", "0.1 > 1.0"]));
test("by name and order without ids", () => check("a+a+b =a+=b+=a", ["0.0 > 1.0", "0.1 > 1.2", "0.2 > 1.1"]));
test("the newest unanswered call of that name", () => check("a a =a", ["0.0", "1.0 > 2.0"]));
test("a result that lost its id still finds its call by name", () => check("a#1 =a", ["0.0 > 1.0"]));
test("a result whose call has no id finds it by name", () => check("a =a#1", ["0.0 > 1.0"]));
test("ids that differ never pair by name", () => check("a#1 =a#2", ["0.0"], ["1.0"]));
test("parallel calls with one id pair in order", () => check("a#1+a#1 =a#1+=a#1", ["0.0 > 1.0", "0.1 > 1.1"]));
test("a second result is a duplicate of the first", () => check("a#1 =a#1 =a#1", ["0.0 > 1.0 > 2.0"]));
test("a result before its call is an orphan", () => check("=a#1 a#1", ["1.0"], ["0.0"]));
