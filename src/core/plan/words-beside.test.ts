import { expect, test } from "vitest";
import { parseShorthand } from "../../testing/shorthand.ts";
import { type Message, text } from "../message.ts";
import { hasWordsBeside, speaksIn } from "./words-beside.ts";

/** A message that brings a result, with texts beside it. */
function bringing(...texts: readonly string[]): Message {
  const [, , result] = parseShorthand("u c1 r1");
  if (result === undefined) throw new Error("three messages");
  return { ...result, role: "user", parts: [...result.parts, ...texts.map(text)] };
}

test("what a user says beside results is told from what clients add", () => {
  expect(hasWordsBeside(bringing("Stop, use the other file."))).toBe(true);
  expect(hasWordsBeside(bringing("<system-reminder>3 todos</system-reminder>", "Go on."))).toBe(true);
  expect(hasWordsBeside(bringing("[Request interrupted by user for tool use]", "Use brass."))).toBe(true);
  expect(hasWordsBeside(bringing())).toBe(false);
  expect(hasWordsBeside(bringing(" ", "<system-reminder>3 todos</system-reminder>", "OBSERVATION: ok"))).toBe(false);
  expect(hasWordsBeside(bringing("[Request interrupted by user for tool use]"))).toBe(false);
});

test("without a result there is nothing beside it", () => {
  const [request] = parseShorthand("u");
  if (request === undefined) throw new Error("a message");
  expect(hasWordsBeside(request)).toBe(false);
  expect(speaksIn([request])(request)).toBe(true);
});

test("what comes with one result after another is nobody's word", () => {
  const notes = [7, 6, 5].map((left) => bringing(`You have ${left} calls left.`));
  const spoken = bringing("You have 4 calls left.", "Paint the gate instead.");
  const speaks = speaksIn([...notes, spoken]);
  expect(notes.map(speaks)).toEqual([false, false, false]);
  expect(speaks(spoken)).toBe(true);
});
