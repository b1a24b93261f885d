/** The production assistant: a reserve that is kept free, staged summaries, a memory flush, an append-only log. Data only. */

import type { Settings } from "../core/settings/settings.ts";
import { profileOf } from "./shared.ts";

export const OPENCLAW_RESERVE_FLOOR_TOKENS = 20_000;
/** What is reserved where the floor is switched off. */
export const OPENCLAW_RESERVE_TOKENS = 16_384;

export const openclaw: Settings = profileOf({
  estimator: "openclaw",
  count: { tools: true }, // The whole session.
  compact: {
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
    cut: "split-turn",
  },
  protect: { tailTokens: 20_000 },
  prune: {
    enabled: false, // Optional there; the values apply when a user turns it on.
    scope: "request",
    keepLast: 3,
    softTrim: { overChars: 4_000, headChars: 1_500, tailChars: 1_500 },
    highWaterRatio: 0.5,
    lowWaterRatio: 0.3,
  },
  summary: {
    mode: "staged", // Safeguard.
    promptPack: "safeguard",
    maxOutputTokens: 16_000, // 0.8 of the reserve.
    timeoutMs: 900_000,
    budget: { maxTokens: 16_000 },
    input: { resultHeadChars: 2_000 },
  },
  render: { renderer: "entry", opening: "[Summary of the conversation before this point]\n\n" },
  failure: {
    ladder: ["staged-partial", "annotate"],
    annotation: "Summary unavailable due to context limits. Older messages were truncated.",
  },
  overflow: { maxAttempts: 1, onFailure: "reset-allowed" },
  memoryFlush: { enabled: true },
});
