/** The Postgres-backed toolkit: a share of the window, tool results first, then a summary; all or nothing. Data only. */

import { deepFreeze } from "../core/settings/deep-freeze.ts";
import type { Settings } from "../core/settings/settings.ts";
import { ANTI_THRASH, COUNT_ANNOTATION, MEMORY_FLUSH, STAGED, SUMMARY_TIMEOUT_MS, WINDOW_TOKENS } from "./shared.ts";

/** R103: the default, and the one for quality. */
export const AGENTPG_FAST_MODEL = "claude-3-5-haiku-20241022";
export const AGENTPG_STRONG_MODEL = "claude-sonnet-4-5-20250929";

/** R034 names no size; this is the one Anthropic's extended context has. */
export const AGENTPG_EXTENDED_WINDOW_TOKENS = 1_000_000;

export const agentpg: Settings = deepFreeze({
  windowTokens: WINDOW_TOKENS, // R033.
  maxOutputTokens: 8_000,
  estimator: "fitted", // C5: it counts, and does not say how.
  count: { system: true, tools: false, output: false }, // R231 counts the system message.
  compact: {
    auto: true, // R040.
    strategy: "hybrid", // R009.
    triggers: [{ type: "ratio", ratio: 0.85, comparison: "gte" }], // R041, C3.
    checkPoints: ["beforeModelCall", "manual"], // C24.
    target: { type: "ratioOfWindow", ratio: 0.4 }, // R042.
    cut: "pair-safe", // C8.
    boundThinking: "strip",
    minZoneMessages: 1, // C9.
  },
  protect: {
    system: true, // R059.
    firstUser: false, // C6.
    latestRequest: false,
    tailMessages: 10, // R060.
    tailTokens: 40_000, // R061.
    toolsVerbatim: [],
    toolOutputs: false, // R064.
  },
  prune: {
    enabled: true,
    scope: "stored", // C13: persisted.
    capOnArrivalChars: 0,
    sparesTail: true,
    keepLast: 0, // The tail protects the newest.
    softTrim: { overChars: 4_000, headChars: 1_500, tailChars: 1_500 }, // D08 with the sizes of R086.
    stub: { afterResults: 6, minChars: 4_000 }, // D08: placeholder second; X07: from 1,000 tokens on.
    clearAfter: 0,
    dropTurnsKeep: 0,
    tools: {},
    highWaterRatio: 1, // R010: only as phase 1 of a compaction, never on its own.
    lowWaterRatio: 0.4, // R042.
    mustPay: false,
  },
  summary: {
    mode: "single", // C15.
    promptPack: "checkpoint", // C16.
    transcript: "labelled",
    model: AGENTPG_FAST_MODEL,
    maxOutputTokens: 8_192,
    temperature: 0,
    timeoutMs: SUMMARY_TIMEOUT_MS,
    budget: { ratioOfTarget: 0.1, minTokens: 500, maxTokens: 8_000 }, // R137: 8K for a target of 80K.
    input: { resultHeadChars: 0, resultTailChars: 0, toolInputChars: 0, maxChars: 0 }, // C17.
    staged: STAGED,
  },
  render: {
    renderer: "flagged-message", // C18, R161.
    opening: "[Conversation summary]\n\n",
    closing: "",
    mentionsRecall: false,
    acknowledgement: { text: "", when: "never" }, // C19.
  },
  failure: { ladder: ["throw"], annotation: COUNT_ANNOTATION }, // R150.
  overflow: { maxAttempts: 0, finalStep: "none", onFailure: "error" }, // C22.
  antiThrash: ANTI_THRASH,
  maxMessages: 0,
  maxMessagesWhen: "always",
  userTools: [],
  memoryFlush: MEMORY_FLUSH,
});
