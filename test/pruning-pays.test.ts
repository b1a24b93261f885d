import { expect, test } from "vitest";
import { type CompactorOptions, createCompactor } from "../src/compactor.ts";
import { estimateTokens } from "../src/core/tokens/tokens.ts";
import { openaiChat } from "../src/formats/openai-chat.ts";

/** Pruning that nobody asked for never makes a session dearer: what is cached is read at 0.1, the rest written at 1.25. */

const round = (index: number): readonly object[] => [
  {
    role: "assistant",
    content: `I look at part ${index} of the system next.`,
    tool_calls: [{ id: `c${index}`, type: "function", function: { name: "read", arguments: `{"part":${index}}` } }],
  },
  // From a few lines to a few pages, in an order that repeats after eleven.
  {
    role: "tool",
    tool_call_id: `c${index}`,
    content: `part ${index} said so\n`.repeat(5 + ((index * 7) % 11) ** 2 * 3),
  },
];

const MESSAGES = [
  { role: "user", content: "Look at every part and tell me what is wrong." },
  ...Array.from({ length: 140 }, (_, index) => round(index)).flat(),
];

const counter = estimateTokens();
const known = new Map<string, number>();

function tokensOf(json: string): number {
  const tokens = known.get(json) ?? counter.total(openaiChat.decode([JSON.parse(json)]).messages);
  known.set(json, tokens);
  return tokens;
}

async function costOf(windowTokens: number, prune: CompactorOptions["prune"] = {}) {
  const compactor = createCompactor({ format: openaiChat, windowTokens, prune });
  let sent: readonly string[] = [];
  let [cost, breaks] = [0, 0];
  for (let end = 3; end <= MESSAGES.length; end += 2) {
    const { request } = await compactor.fit(MESSAGES.slice(0, end));
    const keys = request.map((message) => JSON.stringify(message));
    const differs = keys.findIndex((key, index) => key !== sent[index]);
    const cached = differs < 0 ? keys.length : differs;
    if (cached < sent.length) breaks++;
    for (const [index, key] of keys.entries()) cost += tokensOf(key) * (index < cached ? 0.1 : 1.25);
    sent = keys;
  }
  return { cost, breaks };
}

test.each([24_000, 64_000])("a window of %i", async (windowTokens) => {
  const [off, usual] = [await costOf(windowTokens, { enabled: false }), await costOf(windowTokens)];
  expect(usual.cost).toBeLessThanOrEqual(off.cost);
  expect(usual.breaks).toBeLessThanOrEqual(off.breaks);
  // The marks alone would have been dearer: there was something to decide.
  expect((await costOf(windowTokens, { mustPay: false })).cost).toBeGreaterThan(off.cost);
});

test("where the cache is cold, or no compaction comes by itself, the marks decide", async () => {
  const windowTokens = 64_000;
  const compactor = createCompactor({ format: openaiChat, windowTokens });
  const end = MESSAGES.findIndex((_, index) => compactor.plan(MESSAGES.slice(0, index)).tokensBefore > 46_000);
  const messages = MESSAGES.slice(0, end);
  const stepsOf = (steps: readonly { readonly type: string }[]): boolean =>
    steps.some(({ type }) => type !== "summarize");
  expect(compactor.plan(messages).steps).toEqual([]);
  expect(stepsOf(compactor.plan(messages, { isCacheCold: true }).steps)).toBe(true);
  const alone = createCompactor({ format: openaiChat, windowTokens, compact: { auto: false } });
  expect(stepsOf(alone.plan(messages).steps)).toBe(true);
});
