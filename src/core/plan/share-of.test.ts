import { expect, test } from "vitest";
import { shareOf } from "./share-of.ts";

const PERCENT = Array.from({ length: 100 }, (_, index) => index + 1);

test.each([8_000, 32_000, 100_000, 128_000, 200_000, 1_000_000, 1_048_576])("whole percents of %d", (tokens) => {
  const whole = PERCENT.filter((percent) => Number.isInteger((tokens * percent) / 100));
  expect(whole.map((percent) => shareOf(tokens, percent / 100))).toEqual(
    whole.map((percent) => (tokens * percent) / 100),
  );
});

test("what is no whole number stays none", () => expect(shareOf(3, 0.5)).toBe(1.5));
