/** However a list comes back, the ledger is that of the list, and only what is new is counted. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Message, text } from "../message.ts";
import { messageCounter, type TokenCounter } from "../tokens/tokens.ts";
import {
  createRecognition,
  NEWEST_ELEMENTS,
  type Recognition,
  ROTATING_ELEMENTS,
  type SyncOptions,
} from "./recognition.ts";
import { createLedger, type Ledger } from "./usage-ledger.ts";

interface Wire {
  role: "user" | "assistant";
  content: string;
  cache?: true;
}

interface Followed extends Recognition {
  readonly ledger: Ledger;
  /** Every message that was counted, by its text. */
  readonly counted: string[];
}

function follow(): Followed {
  const counted: string[] = [];
  const counter: TokenCounter = messageCounter({
    name: "length",
    perMessageTokens: 0,
    countText: (said) => {
      counted.push(said);
      return said.length;
    },
  });
  const ledger = createLedger({ counter });
  return { ledger, counted, ...createRecognition({ ledger, decode }) };
}

function decode(wire: unknown, index: number): Message {
  // The tests only send elements of this shape.
  const { role, content } = wire as Wire;
  if (content === "broken") throw new Error("cannot decode");
  const parts = [text(content)];
  return { id: `m${index}`, role, parts, wire: { json: { ...(wire as Wire) }, role, parts } };
}

/** One letter per message: its text, repeated by its place in the alphabet. */
function parse(script: string): Wire[] {
  return [...script].map((letter) => ({ role: "user", content: letter.repeat(letter.charCodeAt(0) - 96) }));
}

function reparsed(list: readonly Wire[]): Wire[] {
  return JSON.parse(JSON.stringify(list));
}

function checkState(followed: Followed, list: readonly Wire[]): void {
  const { ledger } = followed;
  expect(ledger.messages.map((message) => message.parts)).toEqual(list.map(({ content }) => [text(content)]));
  expect(ledger.messages.map(({ id }) => id)).toEqual(list.map((_, index) => `m${index}`));
  expect(list.map((_, index) => ledger.tokensOf(index))).toEqual(list.map(({ content }) => content.length));
  expect(ledger.structure.length).toBe(list.length);
}

/** The letters counted by the second of two calls. */
function check(
  before: readonly Wire[],
  after: readonly Wire[],
  expectedCounts: string,
  options?: SyncOptions,
): Followed {
  const followed = follow();
  followed.sync(before);
  followed.counted.length = 0;
  const { countedMessages } = followed.sync(after, options);
  expect(followed.counted.map((said) => said.charAt(0)).join("")).toBe(expectedCounts);
  expect(countedMessages).toBe(expectedCounts.length);
  checkState(followed, after);
  return followed;
}

describe("what is known is not counted again", () => {
  const list = parse("abcdef");
  test("the same list", () => check(list, list, ""));
  test("a grown list", () => check(list, [...list, ...parse("gh")], "gh"));
  test("a list parsed anew", () => check(list, [...reparsed(list), ...parse("g")], "g"));
  test("a list of the same objects without the first", () => check(list, list.slice(1), ""));
  test("the same parsed anew", () => check(list, reparsed(list).slice(2), ""));
  test("one inserted", () => check(list, [...list.slice(0, 2), ...parse("x"), ...list.slice(2)], "x"));
  test("one replaced", () => check(list, list.with(2, parse("x")[0] ?? expect.unreachable()), "x"));
  test("the end removed", () => check(list, list.slice(0, 3), ""));
  test("reversed", () => check(list, list.toReversed(), ""));
  test("a summary in place of the first four", () =>
    check(list, [...parse("z"), ...list.slice(4), ...parse("g")], "zg"));
  test("everything removed", () => check(list, [], ""));

  test("there and back again", () => {
    const followed = check(list, [...parse("z"), ...reparsed(list).slice(4)], "z");
    followed.sync(reparsed(list));
    expect(followed.counted).toEqual([parse("z")[0]?.content]);
    checkState(followed, list);
  });
});

describe("changes of form and in place", () => {
  test("a moved cache mark keeps the report of the prefix", () => {
    const list = parse("abcd");
    const followed = follow();
    followed.sync(list);
    followed.ledger.observe({ reportedInputTokens: 5_000 });
    const moved = list.with(1, { ...(list[1] ?? expect.unreachable()), cache: true });
    expect(followed.sync(moved)).toMatchObject({ keptMessages: 4, addedMessages: 0 });
    expect(followed.ledger.totalTokens).toBe(5_000);
    expect(followed.ledger.messages[1]?.wire?.json).toEqual(moved[1]);
  });

  test("a cache mark set in place does too", () => {
    const list = parse("abcd");
    const followed = follow();
    followed.sync(list);
    followed.ledger.observe({ reportedInputTokens: 5_000 });
    Object.assign(list[3] ?? {}, { cache: true });
    expect(followed.sync(list)).toMatchObject({ keptMessages: 4 });
    expect(followed.ledger.messages[3]?.wire?.json).toEqual(list[3]);
  });

  test("the newest message, written on in place, is counted again", () => {
    const list = parse("abcd");
    const followed = follow();
    followed.sync(list);
    Object.assign(list[3] ?? {}, { content: "dddd and more" });
    expect(followed.sync(list)).toEqual({ keptMessages: 3, addedMessages: 1, countedMessages: 1 });
    checkState(followed, list);
  });
});

describe("long lists", () => {
  const long = (length: number): Wire[] =>
    Array.from({ length }, (_, index) => ({ role: "user", content: `message ${index}` }));
  const other: Wire = { role: "user", content: "something else altogether" };

  function callsUntilNoticed(length: number, replaced: number, options?: SyncOptions): number {
    const followed = follow();
    const list = long(length);
    followed.sync(list);
    list[replaced] = other;
    for (let calls = 1; calls <= 100; calls++) if (followed.sync(list, options).keptMessages < length) return calls;
    return expect.unreachable("never noticed");
  }

  test("up to the two windows, a replaced message is noticed at once", () => {
    const length = NEWEST_ELEMENTS + ROTATING_ELEMENTS;
    for (const replaced of [0, 1, ROTATING_ELEMENTS, length - 1]) expect(callsUntilNoticed(length, replaced)).toBe(1);
  });

  test("beyond, within as many calls as there are windows", () => {
    const length = 5 * ROTATING_ELEMENTS + NEWEST_ELEMENTS + 100;
    for (const replaced of [0, 5_000, 20_000, length - NEWEST_ELEMENTS - 1]) {
      expect(callsUntilNoticed(length, replaced)).toBeLessThanOrEqual(6);
    }
    expect(callsUntilNoticed(length, length - NEWEST_ELEMENTS)).toBe(1);
  });

  test("at once when asked to look at all", () => {
    expect(callsUntilNoticed(20_000, 15_000, { verify: "all" })).toBe(1);
  });

  test("a shift is noticed at once", () => {
    const followed = follow();
    const list = long(20_000);
    followed.sync(list);
    list.splice(12_345, 1);
    list.push(other, other);
    expect(followed.sync(list)).toEqual({ keptMessages: 12_345, addedMessages: 7_656, countedMessages: 2 });
    expect(followed.ledger.totalTokens).toBe(list.reduce((sum, { content }) => sum + content.length, 0));
  });
});

test("an element that cannot be decoded leaves the ledger at the prefix before it", () => {
  const followed = follow();
  const broken: Wire = { role: "user", content: "broken" };
  expect(() => followed.sync([...parse("ab"), broken, ...parse("c")])).toThrow("cannot decode");
  checkState(followed, parse("ab"));
  followed.sync(parse("abc"));
  checkState(followed, parse("abc"));
});

test("whatever is done to a list, the ledger is that of the list", () => {
  const letters = fc.string({ unit: fc.constantFrom(..."abcdefgh"), maxLength: 12 });
  const edit = fc.record({
    at: fc.nat(12),
    remove: fc.nat(3),
    insert: letters,
    isReparsed: fc.boolean(),
    isMarked: fc.boolean(),
  });
  fc.assert(
    fc.property(letters, fc.array(edit, { maxLength: 6 }), (start, edits) => {
      const followed = follow();
      let list = parse(start);
      followed.sync(list);
      for (const { at, remove, insert, isReparsed, isMarked } of edits) {
        list = isReparsed ? reparsed(list) : [...list];
        list.splice(at, remove, ...parse(insert));
        if (isMarked) Object.assign(list.at(-1) ?? {}, { cache: true });
        followed.sync(list);
        checkState(followed, list);
      }
    }),
  );
});
