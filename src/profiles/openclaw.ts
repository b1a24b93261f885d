/** The production assistant: a reserve that is kept free, staged summaries, a memory flush, an append-only log. Data only. */

import { deepFreeze } from "../core/settings/deep-freeze.ts";
import type { Settings } from "../core/settings/settings.ts";
import { ANTI_THRASH, MEMORY_FLUSH, STAGED, WINDOW_TOKENS } from "./shared.ts";

/** R050. */
export const OPENCLAW_RESERVE_FLOOR_TOKENS = 20_000;
/** X26: what is reserved where the floor is switched off. */
export const OPENCLAW_RESERVE_TOKENS = 16_384;

export const openclaw: Settings = deepFreeze({
  windowTokens: WINDOW_TOKENS, // R027.
  maxOutputTokens: 16_000,
  estimator: "openclaw", // R025, R026.
  count: { system: true, tools: true, output: false }, // C4: the whole session.
  compact: {
    auto: true, // C1.
    strategy: "summarize",
    triggers: [
      {
        type: "reserve",
        reserveTokens: OPENCLAW_RESERVE_FLOOR_TOKENS,
        floorTokens: OPENCLAW_RESERVE_FLOOR_TOKENS,
        raisedByTokens: OPENCLAW_RESERVE_FLOOR_TOKENS - OPENCLAW_RESERVE_TOKENS,
        comparison: "gt", // X26: context > window − reserve.
      },
    ],
    checkPoints: ["afterUser", "afterTurn", "onOverflow", "manual"], // R046–R048, C24.
    target: { type: "none" },
    cut: "split-turn", // R079.
    boundThinking: "strip",
    minZoneMessages: 1, // C9.
  },
  protect: {
    system: true,
    firstUser: false, // C6.
    latestRequest: false,
    tailMessages: 0,
    tailTokens: 20_000, // X26.
    toolsVerbatim: [],
    toolOutputs: false,
  },
  prune: {
    enabled: false, // A separate, optional matter (C11); the values are for whoever turns it on.
    scope: "request", // C13.
    capOnArrivalChars: 0,
    sparesTail: true,
    keepLast: 3, // X19.
    softTrim: { overChars: 4_000, headChars: 1_500, tailChars: 1_500 },
    stub: undefined,
    clearAfter: 0,
    dropTurnsKeep: 0,
    tools: {},
    highWaterRatio: 0.5, // X19.
    lowWaterRatio: 0.3, // X19.
    mustPay: false,
  },
  summary: {
    mode: "staged", // R014: safeguard.
    promptPack: "safeguard", // R129.
    transcript: "labelled",
    model: "inherit", // R109.
    maxOutputTokens: 16_000, // X26: 0.8 of the reserve.
    temperature: 0,
    timeoutMs: 900_000, // X23.
    budget: { ratioOfTarget: 0.1, minTokens: 500, maxTokens: 16_000 },
    input: { resultHeadChars: 2_000, resultTailChars: 0, toolInputChars: 0, maxChars: 0 }, // X26.
    staged: STAGED, // R110–R112, R117, X18.
  },
  render: {
    renderer: "entry", // R142, R165.
    opening: "[Summary of the conversation before this point]\n\n",
    closing: "",
    mentionsRecall: false,
    acknowledgement: { text: "", when: "never" }, // C19.
  },
  failure: {
    ladder: ["staged-partial", "annotate"], // R148, R153.
    annotation: "Summary unavailable due to context limits. Older messages were truncated.", // R148.
  },
  overflow: { maxAttempts: 1, finalStep: "none", onFailure: "reset-allowed" }, // R188, R190, C26.
  antiThrash: ANTI_THRASH,
  maxMessages: 0,
  maxMessagesWhen: "always",
  userTools: [],
  memoryFlush: { ...MEMORY_FLUSH, enabled: true }, // R186.
});
