import { expect, test } from "vitest";
import { resolveSettings } from "../settings.ts";
import { isHeldOff, NO_PASSES, type Passes, passesAfter, passesAfterFailure } from "./passes.ts";

const SETTINGS = resolveSettings();

/** The history of passes that freed these amounts of 1,000 tokens, one after the other. */
const after = (...freed: readonly number[]): Passes =>
  freed.reduce(
    (passes: Passes, tokens) => passesAfter(passes, { tokensBefore: 1_000, tokensAfter: 1_000 - tokens }, SETTINGS),
    NO_PASSES,
  );
const isHeld = (passes: Passes, tokens: number): boolean => isHeldOff(passes, tokens, SETTINGS);

test("two passes in a row that free under a tenth hold off the next", () => {
  expect(isHeld(after(99), 901)).toBe(false);
  expect(isHeld(after(99, 99), 901)).toBe(true);
  expect(isHeld(after(0, 0), 1_000)).toBe(true);
});

test("a tenth is enough", () => {
  expect(isHeld(after(99, 100), 900)).toBe(false);
  expect(isHeld(after(100, 100), 900)).toBe(false);
});

test("in a row: one that frees enough begins anew", () => {
  expect(isHeld(after(99, 500, 99), 901)).toBe(false);
  expect(isHeld(after(99, 500, 99, 99), 901)).toBe(true);
});

test("until a tenth has come", () => {
  const passes = after(0, 0);
  expect(isHeld(passes, 1_099)).toBe(true);
  expect(isHeld(passes, 1_100)).toBe(false);
});

test("one that failed is enough", () => {
  expect(isHeld(passesAfterFailure(1_000, SETTINGS), 1_099)).toBe(true);
  expect(isHeld(passesAfterFailure(1_000, SETTINGS), 1_100)).toBe(false);
});

test("nothing is held off before the first", () => expect(isHeld(NO_PASSES, 0)).toBe(false));
