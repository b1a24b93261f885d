import { expect, test } from "vitest";
import { openaiResponses } from "../../formats/openai-responses.ts";
import { parseShorthand } from "../../testing/shorthand.ts";
import type { CutMode } from "./structure.ts";
import { structureOf } from "./structure.ts";

function check(script: string, expected: readonly number[], mode: CutMode = "pair-safe"): void {
  expect(structureOf(parseShorthand(script)).cutPoints(mode), script).toEqual(expected);
}

test("an empty conversation has no cut", () => check("", []));
test("never between a call and its result", () => check("u c1 r1 u", [0, 1, 3]));
test("parallel calls close with the last result", () => check("c1c2 r2 r1 u", [0, 3]));
test("a late result keeps everything up to it together", () => check("u c1 u a u r1 a", [0, 1, 6]));
test("a missing result does not bind what follows", () => check("u c1 u a", [0, 1, 2, 3]));
test("a duplicate result extends its round", () => check("u c1 r1 r1 a", [0, 1, 4]));
test("an orphaned result may be cut off", () => check("u r9 a", [0, 1, 2]));
test("results split over messages belong to one round", () => check("u c1c2 r1 r2 a u", [0, 1, 4, 5]));
test("a result with text in it belongs to its call", () => check("u c1 r1u a", [0, 1, 3]));
test("a reused id pairs with the newest call", () => check("u c1 r1 u c1 r1 u", [0, 1, 3, 4, 6]));
test("an interrupted call does not take a later call's result", () => check("u c1 u c1 r1 u", [0, 1, 2, 3, 5]));
test("a reasoning item stays with what it led to", () => check("u t a u", [0, 1, 3]));
test("a reasoning group stays whole up to its results", () => check("u t a c1 c2 r1 r2 t a u", [0, 1, 7, 9]));
test("the next reasoning item opens a new group", () => check("u t a t a u", [0, 1, 3, 5]));
test("two reasoning items in a row belong together", () => check("u t t a u", [0, 1, 4]));
test("a system message stays behind what it follows", () => check("s u s a s u", [0, 1, 3, 5]));
test("server tools in one message do not bind", () => check("u w1x1 u", [0, 1, 2]));
test("server tools over two messages do", () => check("u w1 x1 u", [0, 1, 3]));

test("nothing is cut inside or behind an open round", () => check("u a u c1c2 r1", [0, 1, 2, 3]));
test("not even between its calls", () => {
  check("u a c1 c2", [0, 1, 2]);
  check("u a c1 c2 c3 r1", [0, 1, 2]);
});
test("turn starts only", () => check("u c1 r1 a u a", [0, 4], "turn-start"));
test("a message with a result starts no turn", () => check("u c1 r1u u", [0, 3], "turn-start"));
test("a turn start inside a late round is no cut", () => check("u c1 u r1 u", [0, 4], "turn-start"));
test("0 is a cut even where no turn starts", () => check("a u", [0, 1], "turn-start"));
test("split turns also cut before each model step", () => check("u c1 r1 c2 r2 a u", [0, 1, 3, 5, 6], "split-turn"));
test("split turns do not cut inside a step", () => check("u a a u u", [0, 1, 3, 4], "split-turn"));

test("rounds, turns and the open round", () => {
  const structure = structureOf(parseShorthand("u t c1 c2 r1 r2 a u c3c4 r3"));
  expect(structure.rounds()).toEqual([
    { start: 1, end: 6, calls: 2 },
    { start: 8, end: 10, calls: 2 },
  ]);
  expect(structure.turns()).toEqual([
    { start: 0, end: 7 },
    { start: 7, end: 10 },
  ]);
  expect(structure.openRound()).toEqual({ start: 8, end: 10, calls: 2 });
});

test.each([
  ["u c1", true],
  ["u c1 s", true],
  ["u c1 c2 r1", true],
  ["u c1c2 r1 r1", true],
  ["u c1 r1", false],
  ["u c1 u", false],
  ["u c1 r1 a", false],
  ["u c1c2 r1 a", false],
  ["u w1", false],
])("%s: a round is open: %s", (script, isOpen) => {
  expect(structureOf(parseShorthand(script)).openRound() !== undefined).toBe(isOpen);
});

test("the nearest cut in either direction", () => {
  const structure = structureOf(parseShorthand("u c1 r1 a u c2 r2 a"));
  expect(structure.cutAtOrAfter(2, "pair-safe")).toBe(3);
  expect(structure.cutAtOrAfter(2, "turn-start")).toBe(4);
  expect(structure.cutAtOrAfter(5, "turn-start")).toBeUndefined();
  expect(structure.cutAtOrBefore(6, "pair-safe")).toBe(5);
  expect(structure.cutAtOrBefore(6, "turn-start")).toBe(4);
  expect(structure.cutAtOrBefore(3, "turn-start")).toBe(0);
});

test("what answers an item that is only referred to stays with it", () => {
  const reference = (id: string): object => ({ type: "item_reference", id });
  const output = (id: string): object => ({ type: "function_call_output", call_id: id, output: "ok" });
  const cutsOf = (...input: readonly object[]): readonly number[] =>
    structureOf(openaiResponses.decode({ input }).messages).cutPoints("pair-safe");
  const asked = { role: "user", content: "go on" };
  expect(cutsOf(asked, reference("rs_1"), reference("fc_1"), output("1"), asked)).toEqual([0, 1, 4]);
  expect(
    cutsOf(reference("fc_1"), reference("fc_2"), output("1"), output("2"), reference("fc_3"), output("3")),
  ).toEqual([0, 4]);
  expect(cutsOf(reference("msg_1"), asked, reference("msg_2"), asked)).toEqual([0, 1, 2, 3]);
});
