import { expect, test } from "vitest";
import { messageCounter } from "../core/tokens/tokens.ts";
import { formatNamed } from "../formats.ts";
import type { RecordedCall, RecordedConversation } from "../transcripts/index.ts";
import { compareUsage, type UsageComparison } from "./recorded-usage.ts";

const LENGTHS = messageCounter({ name: "length", countText: (text) => text.length });
const AROUND = LENGTHS.count({ id: "", role: "user", parts: [] });

/** A message per number, of so many tokens, in one segment per list. */
interface Recording {
  readonly segments: readonly (readonly number[])[];
  /** Segment, messages in the input, tokens billed. */
  readonly calls: readonly (readonly [number, number, number])[];
}

function check({ segments, calls }: Recording, expected: Partial<UsageComparison> | undefined): void {
  const format = formatNamed("openai-chat");
  const lists = segments.map((sizes) => sizes.map((size) => ({ role: "user", content: "x".repeat(size - AROUND) })));
  const body = lists.at(-1) ?? [];
  const recorded: RecordedConversation = {
    id: "c",
    format: "openai-chat",
    body,
    models: ["m"],
    calls: calls.map(
      ([segment, messageCount, inputTokens]): RecordedCall => ({
        segment,
        messageCount,
        model: "m",
        usage: { inputTokens, cacheReadTokens: 1, cacheWriteTokens: 0, outputTokens: 2, reasoningTokens: 0 },
      }),
    ),
    segments: lists.map((messages) => ({ messages })),
    compactions: [],
  };
  const usage = compareUsage({ recorded, conversation: format.decode(body), format, counter: LENGTHS });
  if (expected === undefined) expect(usage).toBeUndefined();
  else expect(usage).toMatchObject(expected);
}

test("nothing recorded, nothing compared", () => check({ segments: [[10]], calls: [] }, undefined));

test("the last call's input, against the estimate of the very same messages", () =>
  check(
    {
      segments: [[1000, 200, 300]],
      calls: [
        [0, 1, 1000],
        [0, 2, 1210],
      ],
    },
    { calls: 2, messages: 2, inputTokens: 1210, estimatedTokens: 1200, cacheReadTokens: 1, outputTokens: 2 },
  ));

test("what the file does not show is foretold from the call before, not from the call itself", () =>
  check(
    {
      segments: [[1000, 500]],
      calls: [
        [0, 1, 21_000],
        [0, 2, 99_999],
      ],
    },
    { estimatedTokens: 1500, calibratedTokens: 21_500 },
  ));

test("a single call foretells nothing about itself, but the next request", () => {
  const recording: Recording = { segments: [[1000, 500]], calls: [[0, 1, 21_000]] };
  check(recording, { nextRequestTokens: 21_500 });
  expect(() => check(recording, { calibratedTokens: expect.any(Number) })).toThrow();
});

test("what is hidden stays known over a compaction", () =>
  check(
    {
      segments: [
        [1000, 4000],
        [300, 200],
      ],
      calls: [
        [0, 1, 21_000],
        [1, 1, 20_300],
      ],
    },
    { estimatedTokens: 300, calibratedTokens: 20_300, nextRequestTokens: 20_500 },
  ));

test("a call repeated from an earlier point", () =>
  check(
    {
      segments: [[1000, 500]],
      calls: [
        [0, 2, 1500],
        [0, 1, 1000],
      ],
    },
    { messages: 1, estimatedTokens: 1000, nextRequestTokens: 1500 },
  ));
