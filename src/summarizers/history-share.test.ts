import { expect, test } from "vitest";
import { pairCalls } from "../core/structure/pairing.ts";
import { parseShorthand } from "../testing/shorthand.ts";
import { HISTORY_PARTS, MAX_HISTORY_SHARE, needsHistoryPruning, pruneHistory } from "./history-share.ts";

/** Every message counts 10. */
function check(script: string, windowTokens: number, kept: string): void {
  const messages = parseShorthand(script);
  const share = pruneHistory(messages, { windowTokens, countTokens: () => 10 });
  const keptMessages = kept === "" ? [] : messages.slice(messages.length - kept.split(" ").length);
  expect(share.keptMessages).toEqual(keptMessages);
  expect([...share.droppedMessages, ...share.keptMessages]).toEqual(messages);
  expect(share.droppedMessageCount).toBe(share.droppedMessages.length);
  expect(share.droppedTokens).toBe(10 * share.droppedMessages.length);
  expect(share.keptTokens).toBe(10 * share.keptMessages.length);
  expect(share.budgetTokens).toBe(Math.floor(windowTokens / 2));
  expect(share.droppedChunkCount > 0).toBe(share.droppedMessages.length > 0);
  expect(pairCalls(share.keptMessages).orphans).toEqual([]);
}

test("the source's defaults", () => expect([MAX_HISTORY_SHARE, HISTORY_PARTS]).toEqual([0.5, 2]));
test("within its share nothing goes", () => check("u a u a", 80, "u a u a"));
test("above it the older half goes", () => check("u a u a", 79, "u a"));
test("and half of the rest, until it fits", () => check("u a u a u a u a", 40, "u a"));
test("a call takes its result along", () => check("u c1 r1 a u a", 60, "a u a"));
test("parallel calls too", () => check("u c1c2 r1 r2 u a", 60, "u a"));
test("what cannot be divided stays", () => check("u", 10, "u"));

test("pruning starts above the share and its margin", () => {
  expect(needsHistoryPruning(60_000, 100_000)).toBe(false);
  expect(needsHistoryPruning(60_001, 100_000)).toBe(true);
});
