import { describe, expect, test } from "vitest";
import { resolveSettings } from "../../settings.ts";
import { parseShorthand } from "../../testing/shorthand.ts";
import type { Message } from "../message.ts";
import { structureOf } from "../structure/structure.ts";
import { checkPlan } from "./apply-plan.ts";
import type { Plan, Step } from "./plan.ts";
import type { PlanInput } from "./plan-input.ts";

/** The last check of a plan, whoever made it: a plan that passes is applied. */

/** 0 system, 1 user, 2 calls, 3 and 4 results, 5 answer, 6 user, 7 call, 8 result, 9 pinned user, 10 call, 11 unread result. */
const MESSAGES: readonly Message[] = parseShorthand("s u c1c2 r1 r2 a u c3 r3 u c4 r4").map((message) =>
  message.id === "m9" ? { ...message, pinned: true } : message,
);

function inputWith(more: Partial<PlanInput> = {}, messages: readonly Message[] = MESSAGES): PlanInput {
  return {
    reason: "manual",
    conversation: { format: "anthropic-messages", system: [], tools: undefined, messages },
    structure: structureOf(messages),
    settings: resolveSettings(),
    tokensOf: () => 10,
    baseTokens: 0,
    toolsTokens: 0,
    targetTokens: undefined,
    isTargetExplicit: false,
    found: undefined,
    ...more,
  };
}

const planOf = (...steps: readonly Step[]): Plan => ({
  reason: "manual",
  steps,
  tokensBefore: 120,
  tokensAfter: 60,
  targetTokens: undefined,
  fits: true,
  inTheWay: [],
});

const drop = (...indices: readonly number[]): Step => ({
  type: "drop",
  messageIds: indices.map((index) => `m${index}`),
  reason: "a test",
});
const trim = (index: number, part = 0): Step => ({
  type: "trim",
  messageId: `m${index}`,
  part,
  text: "",
  freesTokens: 1,
});
const summarize = (indices: readonly number[], replaces: readonly number[] = []): Step => ({
  type: "summarize",
  messageIds: indices.map((index) => `m${index}`),
  turnPrefixIds: [],
  replacesIds: replaces.map((index) => `m${index}`),
  budgetTokens: 20,
});

const check = (plan: Plan, expected: readonly string[], input = inputWith()): void =>
  expect(checkPlan(plan, input)).toEqual(expected);

test("whole rounds, answers and requests may go", () => {
  check(planOf(), []);
  check(planOf(drop(1, 2, 3, 4, 5)), []);
  check(planOf(summarize([1, 2, 3, 4, 5, 6, 7, 8])), []);
  check(planOf(trim(3), trim(11), drop(6, 7, 8)), []);
});

test("a call and its results go together, all of them", () => {
  const separated = (name: string) => `The plan separates the call of ${name} from its result.`;
  check(planOf(drop(7)), [separated("tool")]);
  check(planOf(drop(8)), [separated("tool")]);
  check(planOf(drop(2, 3)), [separated("tool")]);
  check(planOf(summarize([2])), [separated("tool"), separated("tool")]);
});

describe("a round that was not answered", () => {
  const removed = "The plan removes a call whose result is still to come, or was not read yet.";
  test("stays", () => check(planOf(drop(10, 11)), [removed]));
  test("goes where somebody names a target that has no room for it", () =>
    check(planOf(summarize([10, 11])), [], inputWith({ isTargetExplicit: true })));
  test("stays whatever the target is while results are still to come", () => {
    const waiting = parseShorthand("u a u c1c2 r1");
    check(planOf(summarize([0, 1, 3, 4])), [removed], inputWith({ isTargetExplicit: true }, waiting));
  });
});

test("pinned messages stay, and stay as they are", () => {
  check(planOf(drop(9)), ["The plan removes the pinned message m9."]);
  const pinned = MESSAGES.map((message) => (message.id === "m8" ? { ...message, pinned: true } : message));
  check(planOf(trim(8)), ["A trim step changes the pinned message m8."], inputWith({}, pinned));
});

test("system messages stay, unless the settings say otherwise or they are a summary of ours", () => {
  check(planOf(drop(0)), ["The plan removes the system message m0."]);
  check(planOf(drop(0)), [], inputWith({ settings: resolveSettings({ user: { protect: { system: false } } }) }));
  check(planOf(summarize([1], [0])), [], inputWith({ found: { text: "Before.", messageIds: ["m0"] } }));
});

test("steps speak of what is there", () => {
  check(planOf(drop(99)), ["The plan removes m99, which is not in the conversation."]);
  check(planOf(trim(99)), ["A trim step names part 0 of m99, which is no tool result."]);
  check(planOf(trim(1)), ["A trim step names part 0 of m1, which is no tool result."]);
  check(planOf(trim(3, 1)), ["A trim step names part 1 of m3, which is no tool result."]);
  check(planOf(trim(8), drop(7, 8)), ["A trim step changes m8, which another step removes."]);
});

test("a plan makes one summary at most, and the conversation no larger", () => {
  check(planOf(summarize([1]), summarize([5])), ["The plan makes more than one summary."]);
  check({ ...planOf(drop(1)), tokensAfter: 121 }, ["The plan would make the conversation larger."]);
  check({ ...planOf(drop(1)), tokensAfter: 120 }, []);
});
