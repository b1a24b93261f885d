import { describe, expect, test } from "vitest";
import { type CallOptions, createCompactor } from "../src/compactor.ts";
import type { SettingsInput } from "../src/core/settings/settings.ts";
import { messageCounter } from "../src/core/tokens/tokens.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";

/** Each trigger at its limit, and what counts for it. One character is one token; the window has 100,000. */

const WINDOW = 100_000;
const counter = messageCounter({ name: "characters", countText: (text) => text.length });
const say = (role: string, content: string) => ({ role, content });

const compactorWith = (settings: SettingsInput) =>
  createCompactor({
    format: anthropicMessages,
    windowTokens: WINDOW,
    counter,
    ...settings,
    prune: { enabled: false },
    protect: { tailTokens: 0, tailMessages: 1, firstUser: false },
  });

/** Messages of so many tokens, together with a prompt of so many. */
function bodyOf(messagesTokens: number, systemTokens = 0) {
  const decoded = (messages: readonly object[]) => anthropicMessages.decode({ messages }).messages;
  const talk = (chars: number) => [say("user", "x".repeat(chars)), say("assistant", "Yes."), say("user", "Go on.")];
  const messages = talk(messagesTokens - counter.total(decoded(talk(0))));
  expect(counter.total(decoded(messages))).toBe(messagesTokens);
  return systemTokens === 0 ? { messages } : { system: "s".repeat(systemTokens), messages };
}

const reason = (settings: SettingsInput, body: object, call: CallOptions = {}): string => {
  const plan = compactorWith(settings).plan(body, call);
  return plan.because ?? plan.reason;
};

type Triggers = NonNullable<NonNullable<SettingsInput["compact"]>["triggers"]>;

/** Silent at so many tokens of messages, and fires with one more. */
function check(triggers: Triggers, quietTokens: number, settings: SettingsInput = {}, call: CallOptions = {}): void {
  const all = {
    ...settings,
    compact: { target: { type: "tokens", tokens: 1_000 }, ...settings.compact, triggers },
  } as const;
  expect(reason(all, bodyOf(quietTokens), call)).toBe("not-triggered");
  expect(reason(all, bodyOf(quietTokens + 1), call)).toBe(triggers.at(-1)?.type);
}

describe("at its limit", () => {
  test("absolute", () => {
    check([{ type: "absolute", tokens: 50_000, comparison: "gt" }], 50_000);
    check([{ type: "absolute", tokens: 50_000, comparison: "gte" }], 49_999);
  });
  test("ratio", () => {
    check([{ type: "ratio", ratio: 0.55, comparison: "gt" }], 55_000);
    check([{ type: "ratio", ratio: 0.55, comparison: "gte" }], 54_999);
  });
  test("reserve, and its floor", () => {
    check([{ type: "reserve", reserveTokens: 20_000, floorTokens: 0, comparison: "gt" }], 80_000);
    check([{ type: "reserve", reserveTokens: 20_000, floorTokens: 30_000, comparison: "gt" }], 70_000);
    check([{ type: "reserve", reserveTokens: 20_000, floorTokens: 10_000, comparison: "gt" }], 80_000);
  });
  test("a price cliff, and a cold cache only when it is cold", () => {
    const economic: Triggers = [{ type: "economic", cliffTokens: 60_000, coldTokens: 30_000 }];
    check(economic, 60_000);
    check(economic, 30_000, {}, { isCacheCold: true });
    check([{ type: "economic", cliffTokens: 0, coldTokens: 30_000 }], 30_000, {}, { isCacheCold: true });
    const cold = { compact: { triggers: [{ type: "economic", cliffTokens: 0, coldTokens: 30_000 }] } } as const;
    expect(reason(cold, bodyOf(90_000))).toBe("not-triggered");
  });
  test("the first of several that fires", () =>
    check(
      [{ type: "never" }, { type: "absolute", tokens: 70_000 }, { type: "absolute", tokens: 50_000, comparison: "gt" }],
      50_000,
    ));
});

describe("what counts", () => {
  const triggers: Triggers = [{ type: "absolute", tokens: 50_000, comparison: "gt" }];
  const fires = (count: SettingsInput["count"], body: object): boolean =>
    reason({ compact: { triggers }, maxOutputTokens: 5_000, ...(count !== undefined && { count }) }, body) ===
    "absolute";
  test("the prompt, where the settings say so", () => {
    expect(fires({ system: true, output: false }, bodyOf(49_000, 1_000))).toBe(false);
    expect(fires({ system: true, output: false }, bodyOf(49_000, 1_001))).toBe(true);
    expect(fires({ system: false, output: false }, bodyOf(49_000, 9_000))).toBe(false);
  });
  test("the longest answer, where the settings say so", () => {
    expect(fires({ output: true }, bodyOf(45_000))).toBe(false);
    expect(fires({ output: true }, bodyOf(45_001))).toBe(true);
    expect(fires({ output: false }, bodyOf(50_000))).toBe(false);
  });
  test("budgetSum: prompt, messages and the longest answer, never the tools", () => {
    const tools = [{ name: "read", description: "d".repeat(9_000), input_schema: { type: "object" } }];
    const settings = {
      compact: { triggers: [{ type: "budgetSum", tokens: 50_000, comparison: "gt" }] },
      maxOutputTokens: 5_000,
    } as const;
    expect(reason(settings, { ...bodyOf(44_000, 1_000), tools })).toBe("not-triggered");
    expect(reason(settings, { ...bodyOf(44_001, 1_000), tools })).toBe("budgetSum");
  });
});

describe("the budget of a summary", () => {
  const budget = (targetTokens: number, summary: SettingsInput["summary"] = {}): number => {
    const target = { type: "tokens", tokens: targetTokens } as const;
    const compactor = compactorWith({ compact: { strategy: "summarize", target }, summary });
    const step = compactor.plan(bodyOf(90_000)).steps.find(({ type }) => type === "summarize");
    return step?.type === "summarize" ? step.budgetTokens : 0;
  };
  test("is a tenth of the target, between its bounds", () => {
    expect(budget(40_000)).toBe(4_000);
    expect(budget(4_000)).toBe(500);
    expect(budget(40_000, { budget: { maxTokens: 3_000 } })).toBe(3_000);
    expect(budget(4_000, { budget: { minTokens: 900 } })).toBe(900);
  });
});

test("a target counts what the triggers count, and is never more than the window", () => {
  const targetTokens = (tokens: number, system: boolean): number | undefined => {
    const target = { type: "tokens", tokens } as const;
    const triggers: Triggers = [{ type: "absolute", tokens: 96_000, comparison: "gt" }];
    return compactorWith({ compact: { target, triggers }, count: { system } }).plan(bodyOf(97_000, 10_000))
      .targetTokens;
  };
  expect(targetTokens(40_000, true)).toBe(40_000);
  expect(targetTokens(40_000, false)).toBe(50_000);
  expect(targetTokens(95_000, false)).toBe(WINDOW);
});
