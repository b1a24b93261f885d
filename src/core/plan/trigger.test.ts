import { describe, expect, test } from "vitest";
import { createCompactor } from "../../compactor.ts";
import { openaiChat } from "../../formats/openai-chat.ts";
import { profileNamed } from "../../profiles/profiles.ts";
import type { Comparison, Settings, Trigger } from "../settings/settings.ts";
import { findTrigger, quietTokens, shareOf, targetTokensOf } from "./trigger.ts";

const balanced = profileNamed("balanced");

const PERCENT = Array.from({ length: 100 }, (_, index) => index + 1);

test.each([8_000, 32_000, 100_000, 128_000, 200_000, 1_000_000, 1_048_576])("whole percents of %d", (tokens) => {
  const whole = PERCENT.filter((percent) => Number.isInteger((tokens * percent) / 100));
  expect(whole.map((percent) => shareOf(tokens, percent / 100))).toEqual(
    whole.map((percent) => (tokens * percent) / 100),
  );
});

test("what is no whole number stays none", () => expect(shareOf(3, 0.5)).toBe(1.5));

function settingsWith(windowTokens: number, triggers: readonly Trigger[]): Settings {
  return { ...balanced, windowTokens, compact: { ...balanced.compact, triggers } };
}

/** Whether a share of the window fires one token below it, at it, and one above. */
function check(windowTokens: number, ratio: number, comparison: Comparison): readonly boolean[] {
  const settings = settingsWith(windowTokens, [{ type: "ratio", ratio, comparison }]);
  const limit = Math.round(windowTokens * ratio);
  return [limit - 1, limit, limit + 1].map((messagesTokens) => {
    const size = { systemTokens: 0, toolsTokens: 0, messagesTokens, messageCount: 1 };
    return findTrigger(settings, { size }) !== undefined;
  });
}

/** In binary, 0.55 of these is a little more than a whole number, 0.57 and 0.7 a little less. */
const SHARES = [0.07, 0.55, 0.57, 0.7, 0.85].flatMap((ratio) =>
  [100, 800, 3_300, 200_000].map((windowTokens) => [ratio, windowTokens] as const),
);

test.each(SHARES)("%d of a window of %d is the number that people mean", (ratio, windowTokens) => {
  expect(check(windowTokens, ratio, "gte")).toEqual([false, true, true]);
  expect(check(windowTokens, ratio, "gt")).toEqual([false, false, true]);
  const settings = settingsWith(windowTokens, []);
  expect(targetTokensOf({ type: "ratioOfWindow", ratio }, settings)).toBe(Math.round(windowTokens * ratio));
});

test("a share of the threshold is one of the lowest limit, whichever trigger fires", () => {
  const settings = settingsWith(200_000, [
    { type: "absolute", tokens: 90_000, comparison: "gt" },
    { type: "absolute", tokens: 8_000, comparison: "gt" },
  ]);
  expect(targetTokensOf({ type: "ratioOfThreshold", ratio: 0.5 }, settings)).toBe(4_000);
});

test("and so is the share of the target that a summary may take", () => {
  const messages = Array.from({ length: 60 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `message ${index} ${"alpha beta gamma delta ".repeat(80)}`,
  }));
  const compactor = createCompactor({
    format: openaiChat,
    windowTokens: 20_000,
    compact: { target: { type: "tokens", tokens: 3_000 } },
    summary: { budget: { ratioOfTarget: 0.57, minTokens: 10, maxTokens: 4_000 } },
    protect: { tailTokens: 0, tailMessages: 1 },
  });
  expect(compactor.plan({ messages }).steps).toMatchObject([{ type: "summarize", budgetTokens: 1_710 }]);
});

describe("the most that fires nothing", () => {
  const OUTSIDE = { systemTokens: 300, toolsTokens: 700 };

  /** The most tokens of a request with 1,000 outside its messages; one more fires, unless the window is the limit. */
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
      findTrigger(settings, { size: { ...OUTSIDE, messagesTokens: totalTokens - 1_000, messageCount: 1 } }) !==
      undefined;
    expect([fires(expected), fires(expected + 1)]).toEqual([false, expected < settings.windowTokens]);
  }

  const over = (tokens: number): Trigger => ({ type: "absolute", tokens, comparison: "gt" });

  test("above a number", () => check(over(8_000), {}, 8_000));
  test("at a number", () => check({ type: "absolute", tokens: 8_000, comparison: "gte" }, {}, 7_999));
  test("at a share that is no whole number", () =>
    check({ type: "ratio", ratio: 0.33333, comparison: "gte" }, {}, 6_666));
  test("at a share that binary fractions put above its number", () =>
    check({ type: "ratio", ratio: 0.28, comparison: "gte" }, {}, 5_599));
  test("above a share that they put below it", () =>
    check({ type: "ratio", ratio: 0.57, comparison: "gt" }, {}, 11_400));
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
});
