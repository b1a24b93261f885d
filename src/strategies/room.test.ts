import { describe, expect, test } from "vitest";
import { type Message, text } from "../core/message.ts";
import type { Partition } from "../core/plan/partition.ts";
import { keptTokens, type PlanInput } from "../core/plan/plan-input.ts";
import { answerableTokens, quietTokens } from "../core/plan/trigger.ts";
import type { SettingsInput } from "../core/settings/settings.ts";
import { structureOf } from "../core/structure/structure.ts";
import { resolveSettings } from "../settings.ts";
import { planWith } from "../strategies.ts";
import { parseShorthand } from "../testing/shorthand.ts";
import { frameTokens, partitionWithRoom, roundRoom, summaryBudget, trimUnanswered } from "./room.ts";

/** Each number of room.ts, tested on both sides of the value at which it decides. */

const EACH = 10;

interface Given extends Partial<PlanInput> {
  readonly user?: SettingsInput;
  /** Tokens of messages with another size than usual, by index. */
  readonly sizes?: Readonly<Record<number, number>>;
}

function inputOf(script: string, { user = {}, sizes = {}, ...more }: Given = {}): PlanInput {
  const messages: readonly Message[] = parseShorthand(script);
  const tokens = new Map(messages.map(({ id }, index) => [id, sizes[index] ?? EACH]));
  return {
    reason: "manual",
    conversation: { format: "openai-chat", system: [], tools: undefined, messages },
    structure: structureOf(messages),
    settings: resolveSettings({ user }),
    tokensOf: ({ id }) => tokens.get(id) ?? EACH,
    baseTokens: 0,
    toolsTokens: 0,
    targetTokens: undefined,
    isTargetExplicit: false,
    found: undefined,
    ...more,
  };
}

/** A first request, and enough turns that any tail of the tests is a part of them. */
const LONG = `u${" a u".repeat(2_000)}`;

const tailTokens = (parts: Partition, input: PlanInput): number =>
  (input.conversation.messages.length - parts.cut) * EACH;

describe("what a summary is given", () => {
  const NEWEST_KEPT: Partition = {
    cut: 2,
    isSplitTurn: false,
    zone: [0, 1],
    turnPrefix: [],
    protectedBy: new Map([[2, "tail"]]),
  };
  const BESIDE_TOKENS = EACH + frameTokens(inputOf("u a u"), NEWEST_KEPT);

  /** The budget where this much of the target is left beside the kept messages. */
  function budgetFor(roomTokens: number, targetTokens: number | undefined, more: Given = {}): number {
    const aimTokens = targetTokens ?? quietTokens(resolveSettings(), { systemTokens: 0, toolsTokens: 0 });
    const baseTokens = aimTokens - BESIDE_TOKENS - roomTokens;
    return summaryBudget(inputOf("u a u", { targetTokens, baseTokens, ...more }), NEWEST_KEPT);
  }

  test("a named target: all that is left, down to a line", () => {
    const named = { isTargetExplicit: true };
    expect([5_000, 120, 119, 24].map((room) => budgetFor(room, 9_000, named))).toEqual([5_000, 120, 119, 24]);
  });
  test("a named target that is missed anyway: a quarter of it, and enough to say something", () => {
    const named = { isTargetExplicit: true };
    expect([23, 0, -700].map((room) => budgetFor(room, 9_000, named))).toEqual([2_250, 2_250, 2_250]);
    expect([480, 484, 400, 80].map((target) => budgetFor(23, target, named))).toEqual([120, 121, 120, 120]);
  });
  test("the settings' own target: what is left, while that says something, else what the next aim leaves", () => {
    expect([300, 120].map((room) => budgetFor(room, 50_000))).toEqual([300, 120]);
    // The wanted budget is a tenth of the target.
    expect([5_000, 119, 0].map((room) => budgetFor(room, 50_000))).toEqual([5_000, 5_000, 5_000]);
    expect(budgetFor(-150_000, 50_000)).toBe(120);
  });
  test("no target: below the trigger while that says something, else in the window", () => {
    const { maxTokens } = resolveSettings().summary.budget;
    expect([300, 120, 119].map((room) => budgetFor(room, undefined))).toEqual([300, 120, maxTokens]);
  });
});

test("a summary takes at most half of what it stands for", () => {
  const budgetOf = (zoneTokens: number): unknown => {
    const input = inputOf("u a u a", { targetTokens: 90_000, sizes: { 1: zoneTokens }, user: { protect: NO_TAIL } });
    const [step] = planWith("summarize", input).steps;
    return step?.type === "summarize" ? step.budgetTokens : step;
  };
  expect([2_000, 2_001, 2_002, 240, 200].map(budgetOf)).toEqual([1_000, 1_000, 1_001, 120, 120]);
});

const NO_TAIL = { tailMessages: 1, tailTokens: 0 };

describe("how long the tail is", () => {
  test("without a target, all of it while a request with it, and a summary of use, can be answered", () => {
    const isFull = (spareTokens: number): boolean => {
      const script = `u${" a u".repeat(40)}`;
      // Hardly any room is kept for the reply, so a summary of the wanted size has none either.
      const compact = { triggers: [{ type: "absolute", tokens: 100_000 }] } as const;
      const user = { protect: { tailTokens: 200, tailMessages: 0 }, maxOutputTokens: 100, compact };
      const empty = inputOf(script, { user });
      const room = answerableTokens(empty.settings) - frameTokens(empty);
      const full = partitionWithRoom(empty);
      const baseTokens = room - keptTokens(empty, full) - spareTokens;
      return partitionWithRoom(inputOf(script, { user, baseTokens })).cut === full.cut;
    };
    expect([500, 120, 119].map(isFull)).toEqual([true, true, false]);
  });

  test("under the settings' own target, all that it leaves beside a summary, where what was asked for does not fit", () => {
    const input = inputOf(LONG, { targetTokens: 10_000, user: { protect: { tailTokens: 100_000 } } });
    // The first request stays, and a tenth is for the summary.
    const room = 10_000 - EACH - 1_000 - frameTokens(input);
    expect(tailTokens(partitionWithRoom(input), input)).toBe(Math.floor(room / EACH) * EACH);
  });

  /** The tail's tokens under an explicit target with this much room, where the zone without any tail has this many tokens. */
  function namedTail(roomTokens: number, zoneTokens: number, more: Given = {}): number {
    const input = (targetTokens: number): PlanInput =>
      inputOf(`u${" a u".repeat(zoneTokens / EACH / 2)}`, {
        targetTokens,
        isTargetExplicit: true,
        user: { protect: { firstUser: false, latestRequest: false, tailTokens: 100_000 } },
        ...more,
      });
    // The newest message always stays.
    const made = input(roomTokens + EACH + frameTokens(input(0)));
    return tailTokens(partitionWithRoom(made), made);
  }

  test("under a named one, fifteen hundredths of the room where the summary can use the rest", () => {
    expect(namedTail(2_000, 40_000)).toBe(300);
    expect(namedTail(4_000, 40_000)).toBe(600);
  });
  test("what a summary of the rest cannot use goes to the tail too", () => {
    // A summary says about 12 % of what it reads: 8,640 stay, and 12 % of the other 11,360 are 1,363.
    expect(namedTail(10_000, 20_000)).toBe(8_630);
    expect(namedTail(10_000, 20_000, { saidTokens: 4_000 })).toBe(6_000);
  });
  test("a tail gives way as often as it must for what is protected within it, and no further", () => {
    // Every answer is pinned and stays wherever the tail begins, so half of what the tail gives up frees nothing.
    const bare = inputOf(`u${" a u".repeat(120)}`, { targetTokens: 2_000, user: { protect: { tailTokens: 1_000 } } });
    const messages = bare.conversation.messages.map((message) =>
      message.role === "assistant" ? { ...message, pinned: true } : message,
    );
    const input = { ...bare, conversation: { ...bare.conversation, messages } };
    const limitTokens = 2_000 - frameTokens(input) - input.settings.summary.budget.minTokens;
    const kept = keptTokens(input, partitionWithRoom(input));
    expect([kept <= limitTokens, kept > limitTokens - 3 * EACH]).toEqual([true, true]);
  });
});

describe("results that the model has not read", () => {
  const SCRIPT = "u a u c1 r1";
  const ROUND = { 3: 100, 4: 40_000 };
  const ROUND_TOKENS = 40_100;

  const withLongResult = (message: Message): Message => ({
    ...message,
    parts: message.parts.map((part) =>
      part.type === "tool-result" ? { ...part, content: [text("x".repeat(40_000))] } : part,
    ),
  });
  /** One token per character. */
  const resultLength = ({ parts }: Message): number =>
    parts
      .flatMap((part) => (part.type === "tool-result" ? part.content : []))
      .reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);

  /** The results' room, where this much of the target is left beside the rest; the first request has 700 tokens. */
  function allowed(roomTokens: number, targetTokens: number, more: Given = {}): number | undefined {
    const given = { targetTokens, sizes: { ...ROUND, 0: 700 }, ...more };
    const bare = inputOf(SCRIPT, given);
    const besides = targetTokens - 700 - EACH - frameTokens(bare);
    return roundRoom({ ...bare, baseTokens: besides - roomTokens })?.allowedTokens;
  }

  test("a named target gives them a quarter of its room", () => {
    const named = { isTargetExplicit: true };
    expect(allowed(8_000, 12_000, named)).toBe(2_000);
    expect(allowed(8_003, 12_000, named)).toBe(2_000);
    expect(allowed(8_004, 12_000, named)).toBe(2_001);
  });
  test("the settings' own: what is left beside half of a summary, and without the first request where that is too little", () => {
    // The wanted budget is a tenth of the target; half of it is reserved.
    expect([3_000, 2_000, 1_999].map((room) => allowed(room + 1_000, 20_000))).toEqual([3_000, 2_000, 2_699]);
    // A quarter of a small target is enough to read.
    expect([1_000, 999].map((room) => allowed(room + 250, 4_000))).toEqual([1_000, 1_699]);
  });
  test("under a named target so little of them is left to the summary", () => {
    const isTrimmed = (allowedTokens: number): boolean => {
      const bare = inputOf(SCRIPT, { targetTokens: 20_000, isTargetExplicit: true, sizes: ROUND });
      const messages = bare.conversation.messages.map((message, index) =>
        index === 4 ? withLongResult(message) : message,
      );
      const baseTokens = 20_000 - EACH * 2 - frameTokens(bare) - allowedTokens * 4;
      const input: PlanInput = {
        ...bare,
        conversation: { ...bare.conversation, messages },
        tokensOf: (message) => (message.id === messages[4]?.id ? resultLength(message) : bare.tokensOf(message)),
        baseTokens,
      };
      expect(roundRoom(input)).toMatchObject({ tokens: ROUND_TOKENS, allowedTokens });
      return trimUnanswered(input).length > 0;
    };
    expect([2_000, 1_999].map(isTrimmed)).toEqual([true, false]);
  });
});
