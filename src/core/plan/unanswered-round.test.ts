import { expect, test } from "vitest";
import { parseShorthand } from "../../testing/shorthand.ts";
import { type Message, text } from "../message.ts";
import { structureOf } from "../structure/structure.ts";
import { hasRequestBeside, unansweredRound } from "./unanswered-round.ts";

function check(script: string, expected: readonly [start: number, end: number] | undefined): void {
  const messages = parseShorthand(script);
  const round = unansweredRound(messages, structureOf(messages));
  expect(round && [round.start, round.end], script).toEqual(expected);
}

test("no calls, no round", () => check("u a u", undefined));
test("a call that waits", () => check("u c1", [1, 2]));
test("a call that waits beside one that was answered", () => check("u c1c2 r1", [1, 3]));
test("a result that was not read", () => check("u c1 r1", [1, 3]));
test("all results of parallel calls", () => check("u c1 r1 c2c3 r2 r3", [3, 6]));
test("what somebody says behind it is no answer", () => check("u c1 r1 u u", [1, 3]));
test("the model's answer is one", () => check("u c1 r1 a", undefined));
test("its next call is one too, and opens a round of its own", () => check("u c1 r1 c2", [3, 4]));
test("thinking in front of the calls belongs to them", () => check("u t c1 r1", [1, 4]));
test("a late result", () => check("u c1 u a u r1", [1, 6]));
test("a call that nobody answered, long ago", () => check("u c1 u a u", undefined));

test("an output that a client passes on as the user's words", () => {
  const [request, answer, output] = parseShorthand("u a u");
  if (request === undefined || answer === undefined || output === undefined) throw new Error("three messages");
  const passedOn = { ...output, parts: [text("OBSERVATION:\n12 tests passed")] };
  const roundIn = (messages: readonly Message[]) => unansweredRound(messages, structureOf(messages));
  expect(roundIn([request, answer, passedOn])).toEqual({ start: 2, end: 3 });
  expect(roundIn([request, passedOn, answer, request])).toBeUndefined();
});

test("what a user said beside the results belongs to the round that brings them", () => {
  const [request, call, result] = parseShorthand("u c1 r1");
  if (request === undefined || call === undefined || result === undefined) throw new Error("three messages");
  const said = { ...result, role: "user" as const, parts: [...result.parts, text("Stop, use the other file.")] };
  expect(hasRequestBeside([request, call, said], { start: 1, end: 3 })).toBe(true);
  expect(hasRequestBeside([request, call, result], { start: 1, end: 3 })).toBe(false);
  expect(hasRequestBeside([request, call, said, call, result], { start: 3, end: 5 })).toBe(false);
});
