/** The production assistant: a reserve that is kept free, staged summaries, a memory flush, an append-only log. Data only. */

import { deepFreeze } from "../core/settings/deep-freeze.ts";
import type { Settings } from "../core/settings/settings.ts";
import { ANTI_THRASH, MEMORY_FLUSH, STAGED, WINDOW_TOKENS } from "./shared.ts";

export const OPENCLAW_RESERVE_FLOOR_TOKENS = 20_000;
/** What is reserved where the floor is switched off. */
export const OPENCLAW_RESERVE_TOKENS = 16_384;

export const openclaw: Settings = deepFreeze({
  windowTokens: WINDOW_TOKENS,
  maxOutputTokens: 16_000,
  estimator: "openclaw",
  count: { system: true, tools: true, output: false }, // The whole session.
  compact: {
    auto: true,
    strategy: "summarize",
    triggers: [
      {
        type: "reserve",
        reserveTokens: OPENCLAW_RESERVE_FLOOR_TOKENS,
        floorTokens: OPENCLAW_RESERVE_FLOOR_TOKENS,
        raisedByTokens: OPENCLAW_RESERVE_FLOOR_TOKENS - OPENCLAW_RESERVE_TOKENS,
        comparison: "gt", // Context > window − reserve.
      },
    ],
    checkPoints: ["afterUser", "afterTurn", "onOverflow", "manual"],
    target: { type: "none" },
    cut: "split-turn",
    boundThinking: "strip",
    minZoneMessages: 1,
  },
  protect: {
    system: true,
    firstUser: false,
    latestRequest: false,
    tailMessages: 0,
    tailTokens: 20_000,
    toolsVerbatim: [],
    toolOutputs: false,
  },
  prune: {
    enabled: false, // A separate, optional matter; the values are for whoever turns it on.
    scope: "request",
    capOnArrivalChars: 0,
    sparesTail: true,
    keepLast: 3,
    softTrim: { overChars: 4_000, headChars: 1_500, tailChars: 1_500 },
    stub: undefined,
    clearAfter: 0,
    dropTurnsKeep: 0,
    tools: {},
    highWaterRatio: 0.5,
    lowWaterRatio: 0.3,
    mustPay: false,
  },
  summary: {
    mode: "staged", // Safeguard.
    promptPack: "safeguard",
    transcript: "labelled",
    model: "inherit",
    maxOutputTokens: 16_000, // 0.8 of the reserve.
    temperature: 0,
    timeoutMs: 900_000,
    budget: { ratioOfTarget: 0.1, minTokens: 500, maxTokens: 16_000 },
    input: { resultHeadChars: 2_000, resultTailChars: 0, toolInputChars: 0, maxChars: 0 },
    staged: STAGED,
  },
  render: {
    renderer: "entry",
    opening: "[Summary of the conversation before this point]\n\n",
    closing: "",
    mentionsRecall: false,
    acknowledgement: { text: "", when: "never" },
  },
  failure: {
    ladder: ["staged-partial", "annotate"],
    annotation: "Summary unavailable due to context limits. Older messages were truncated.",
  },
  overflow: { maxAttempts: 1, finalStep: "none", onFailure: "reset-allowed" },
  antiThrash: ANTI_THRASH,
  maxMessages: 0,
  maxMessagesWhen: "always",
  userTools: [],
  memoryFlush: { ...MEMORY_FLUSH, enabled: true },
});
