import { describe, expect, test } from "vitest";
import { resolveSettings } from "../../settings.ts";
import { parseShorthand } from "../../testing/shorthand.ts";
import { type Message, text } from "../message.ts";
import type { Settings } from "../settings/settings.ts";
import { structureOf } from "../structure/structure.ts";
import { hasRequestBeside, type PartitionInput, partition, unansweredRound } from "./partition.ts";

/** Every message counts ten tokens; the kept messages are given by their indices. */

type Cut = Settings["compact"]["cut"];
type Options = Partial<PartitionInput> & { readonly protect?: Partial<Settings["protect"]> };

function parts(script: string, cut: Cut, { protect = {}, ...options }: Options = {}) {
  const messages = parseShorthand(script);
  const usual = { firstUser: false, latestRequest: false, tailTokens: 0, tailMessages: 0 };
  const settings = resolveSettings({ user: { compact: { cut }, protect: { ...usual, ...protect } } });
  return partition({
    messages,
    structure: structureOf(messages),
    settings,
    tokensOf: () => 10,
    summaryIds: new Set(),
    tailTokens: 0,
    tailMessages: 0,
    ...options,
  });
}

const cutOf = (script: string, cut: Cut, options: Options): number => parts(script, cut, options).cut;
const kept = (script: string, cut: Cut, options: Options = {}): readonly number[] =>
  [...parts(script, cut, options).protectedBy.keys()].toSorted((a, b) => a - b);

describe("the tail", () => {
  const talk = "u a u a u a";
  test("is the shortest that reaches its tokens", () => {
    expect(cutOf(talk, "pair-safe", { tailTokens: 30 })).toBe(3);
    expect(cutOf(talk, "pair-safe", { tailTokens: 31 })).toBe(2);
    expect(cutOf(talk, "pair-safe", { tailTokens: 29 })).toBe(3);
  });
  test("and its messages: the larger of both wins", () => {
    expect(cutOf(talk, "pair-safe", { tailMessages: 2 })).toBe(4);
    expect(cutOf(talk, "pair-safe", { tailMessages: 2, tailTokens: 40 })).toBe(2);
    expect(cutOf(talk, "pair-safe", { tailMessages: 5, tailTokens: 40 })).toBe(1);
  });
  test("is the longest within its tokens where the target leaves less room", () => {
    expect(cutOf(talk, "pair-safe", { isTight: true, tailTokens: 30 })).toBe(3);
    expect(cutOf(talk, "pair-safe", { isTight: true, tailTokens: 29 })).toBe(4);
    expect(cutOf(talk, "pair-safe", { isTight: true, tailTokens: 9 })).toBe(6);
  });
  test("that is all there is leaves nothing to take", () => {
    expect(parts(talk, "pair-safe", { tailTokens: 60 })).toMatchObject({ cut: 0, zone: [] });
    expect(parts("", "pair-safe", { tailTokens: 60 })).toMatchObject({ cut: 0, zone: [] });
  });
});

describe("where it begins", () => {
  const work = "u a u a c1 r1 c2 r2 a";
  test("pair-safe: before what it would divide", () => {
    expect(cutOf(work, "pair-safe", { tailMessages: 2 })).toBe(6);
    expect(cutOf(work, "pair-safe", { tailMessages: 1 })).toBe(8);
  });
  test("turn-start: with the next turn, and without one there is no cut", () => {
    expect(cutOf(work, "turn-start", { tailMessages: 8 })).toBe(2);
    expect(cutOf(work, "turn-start", { tailMessages: 7 })).toBe(2);
    expect(cutOf(work, "turn-start", { tailMessages: 6 })).toBe(0);
  });
  test("turn-start-or-split: with the turn where that adds no more than the tail has", () => {
    // The tail from the third message has seven messages; a turn start may add at most as much as the tail wants.
    expect(cutOf(work, "turn-start-or-split", { tailTokens: 40 })).toBe(2);
    expect(cutOf(work, "turn-start-or-split", { tailTokens: 30 })).toBe(6);
    expect(cutOf("u a u a u a", "turn-start-or-split", { tailTokens: 10 })).toBe(4);
    expect(cutOf("u a u a a a", "turn-start-or-split", { tailTokens: 20 })).toBe(2);
  });
  test("a turn that is cut is said to be, and its early part is known", () => {
    expect(parts(work, "split-turn", { tailMessages: 3 })).toMatchObject({
      cut: 6,
      isSplitTurn: true,
      zone: [0, 1, 2, 3, 4, 5],
      turnPrefix: [2, 3, 4, 5],
    });
    expect(parts(work, "pair-safe", { tailMessages: 3 })).toMatchObject({ isSplitTurn: false, turnPrefix: [] });
  });
});

describe("a round that was not answered", () => {
  test("stays, however short the tail is", () => {
    expect(kept("u a u c1 r1", "pair-safe")).toEqual([3, 4]);
    expect(kept("u a u c1 r1", "pair-safe", { isTight: true })).toEqual([2, 3, 4]);
  });
  test("and what was said behind it does not end it", () =>
    expect(kept("u a u c1 r1 u u", "pair-safe", { tailMessages: 1 })).toEqual([3, 4, 6]));
  test("is never where a tail that gives way begins", () => {
    expect(cutOf("u a u c1c2 r1 r2", "pair-safe", { isTight: true, tailTokens: 20 })).toBe(3);
    expect(cutOf("u a u c1c2 r1", "pair-safe", { isTight: true, tailTokens: 10 })).toBe(3);
    expect(cutOf("u a u c1 r1 u u", "pair-safe", { isTight: true, tailTokens: 10 })).toBe(3);
  });
  test("goes when results may that were not read, but not while some are to come", () => {
    const forced = { isTight: true, mayTakeUnread: true };
    expect(kept("u a u c1 r1", "pair-safe", forced)).toEqual([2]);
    expect(kept("u a u c1c2 r1", "pair-safe", forced)).toEqual([2, 3, 4]);
  });
});

describe("what stays wherever it stands", () => {
  test("the first request, and the newest", () => {
    const options = { tailMessages: 1 };
    expect(kept("u a u a a", "pair-safe", { ...options, protect: { firstUser: true } })).toEqual([0, 4]);
    expect(kept("u a u a a", "pair-safe", { ...options, protect: { latestRequest: true } })).toEqual([2, 4]);
    expect(kept("u a u a a", "pair-safe", { ...options, keepsRequest: true })).toEqual([2, 4]);
    const firstUser = { protect: { firstUser: true }, mayDropFirstUser: true };
    expect(kept("u a u a a", "pair-safe", { ...options, ...firstUser })).toEqual([4]);
  });
  test("an earlier summary is no request, and not part of the zone", () => {
    const summaryIds = new Set(["m0"]);
    const options = { tailMessages: 1, summaryIds, protect: { firstUser: true } };
    expect(kept("u a u a a", "pair-safe", options)).toEqual([2, 4]);
    expect(parts("u a u a a", "pair-safe", options).zone).toEqual([1, 3]);
  });
  test("system messages, as the settings say", () => {
    expect(kept("u a s u a", "pair-safe", { tailMessages: 1 })).toEqual([2, 4]);
    expect(kept("u a s u a", "pair-safe", { tailMessages: 1, protect: { system: false } })).toEqual([4]);
  });
  test("calls of verbatim tools, with all of their results", () => {
    const protect = { toolsVerbatim: ["to*"] };
    expect(kept("u c1c2 r1 r2 a u a", "pair-safe", { tailMessages: 1, protect })).toEqual([1, 2, 3, 6]);
  });
});

describe("the unanswered round", () => {
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
});
