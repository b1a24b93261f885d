import { expect, test } from "vitest";
import { balanced } from "../../profiles/balanced.ts";
import type { Settings, Trigger } from "../settings/settings.ts";
import { findTrigger, quietTokens } from "./trigger.ts";

const OUTSIDE = { systemTokens: 300, toolsTokens: 700 };

/** The most that a request of 1,000 tokens outside its messages may come to; one token more fires, unless the window is the limit. */
function check(trigger: Trigger, count: Partial<Settings["count"]>, expected: number): void {
  const settings: Settings = {
    ...balanced,
    windowTokens: 20_000,
    maxOutputTokens: 2_000,
    count: { system: true, tools: true, output: false, ...count },
    compact: { ...balanced.compact, triggers: [trigger] },
  };
  expect(quietTokens(settings, OUTSIDE)).toBe(expected);
  const fires = (totalTokens: number): boolean =>
    findTrigger(settings, { size: { ...OUTSIDE, messagesTokens: totalTokens - 1_000 } }) !== undefined;
  expect([fires(expected), fires(expected + 1)]).toEqual([false, expected < settings.windowTokens]);
}

const over = (tokens: number): Trigger => ({ type: "absolute", tokens, comparison: "gt" });

test("above a number", () => check(over(8_000), {}, 8_000));
test("at a number", () => check({ type: "absolute", tokens: 8_000, comparison: "gte" }, {}, 7_999));
test("at a share that is no whole number", () =>
  check({ type: "ratio", ratio: 0.33333, comparison: "gte" }, {}, 6_666));
test("at a share that binary fractions put above its number", () =>
  check({ type: "ratio", ratio: 0.28, comparison: "gte" }, {}, 5_599));
test("above a share that they put below it", () => check({ type: "ratio", ratio: 0.57, comparison: "gt" }, {}, 11_400));
test("a reserve", () =>
  check(
    { type: "reserve", reserveTokens: 4_000, floorTokens: 5_000, raisedByTokens: 0, comparison: "gt" },
    {},
    15_000,
  ));
test("what is not counted may come on top", () => check(over(8_000), { system: false, tools: false }, 9_000));
test("what is counted beside the request goes off", () => check(over(8_000), { output: true }, 6_000));
test("a sum with the answer, without the tools", () =>
  check({ type: "budgetSum", tokens: 8_000, comparison: "gt" }, {}, 6_700));
test("a price cliff, also below what would be written anew", () => {
  check({ type: "economic", cliffTokens: 8_000, coldTokens: 12_000 }, {}, 8_000);
  check({ type: "economic", cliffTokens: 12_000, coldTokens: 8_000 }, {}, 12_000);
});
test("never more than the window", () => check(over(90_000), {}, 20_000));
test("no trigger", () => check({ type: "never" }, {}, 20_000));
