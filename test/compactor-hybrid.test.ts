import { expect, test } from "vitest";
import { type CompactorOptions, createCompactor } from "../src/compactor.ts";
import { messageCounter } from "../src/core/tokens/tokens.ts";
import { openaiChat } from "../src/formats/openai-chat.ts";

/** Prune to the target first, summarise only if that was not enough (R010). One character is one token. */

const round = (id: number, chars: number) => [
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: `c${id}`, type: "function", function: { name: "read", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: `c${id}`, content: "x".repeat(chars) },
];
const rounds = (count: number, chars: number) => Array.from({ length: count }, (_, id) => round(id, chars)).flat();
const messagesWith = (...more: readonly object[]) => [
  { role: "user", content: "Read them all." },
  ...more,
  { role: "assistant", content: "Done." },
];

async function steps(messages: readonly object[], targetTokens: number, options: Partial<CompactorOptions> = {}) {
  const compactor = createCompactor({
    format: openaiChat,
    windowTokens: 200_000,
    counter: messageCounter({ name: "characters", countText: (text) => text.length }),
    ...options,
    compact: { strategy: "hybrid", ...options.compact },
    protect: { tailTokens: 0, tailMessages: 1, ...options.protect },
  });
  const { report } = await compactor.compact({ messages }, { target: { tokens: targetTokens } });
  expect(report.fits).toBe(true);
  return report.steps;
}

const LONG = messagesWith(...rounds(8, 5_000));

test("the tiers of the settings first, no more of them than the target asks for", async () => {
  // A trimmed result is about 1,900 shorter.
  expect(await steps(LONG, 39_000)).toEqual({ trim: 1 });
  expect(await steps(LONG, 37_000)).toEqual({ trim: 2 });
});

test("stubs for whatever is old enough where the tiers are not enough, a summary where stubs are not", async () => {
  expect(await steps(LONG, 20_000)).toEqual({ stub: 5 });
  expect(await steps(LONG, 5_000)).toEqual({ summarize: 1 });
});

test("results in the tail are not shortened for it", async () => {
  const protect = { tailTokens: 26_000, tailMessages: 1 };
  expect(await steps(LONG, 39_000, { protect })).toEqual({ trim: 1 });
  // Two are before the tail, or three: not enough.
  expect(await steps(LONG, 30_000, { protect })).toHaveProperty("summarize", 1);
});

test("where pruning is switched off, a summary is made at once", async () =>
  expect(await steps(LONG, 39_000, { prune: { enabled: false } })).toEqual({ summarize: 1 }));
