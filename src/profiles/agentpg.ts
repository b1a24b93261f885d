/** The Postgres-backed toolkit: a share of the window, tool results first, then a summary; all or nothing. Data only. */

import { deepFreeze } from "../core/settings/deep-freeze.ts";
import type { Settings } from "../core/settings/settings.ts";
import { ANTI_THRASH, COUNT_ANNOTATION, MEMORY_FLUSH, STAGED, SUMMARY_TIMEOUT_MS, WINDOW_TOKENS } from "./shared.ts";

/** The default, and the one for quality. */
const AGENTPG_FAST_MODEL = "claude-3-5-haiku-20241022";
const AGENTPG_STRONG_MODEL = "claude-sonnet-4-5-20250929";

/** AgentPG names no size; this is the one Anthropic's extended context has. */
export const AGENTPG_EXTENDED_WINDOW_TOKENS = 1_000_000;

export const agentpg: Settings = deepFreeze({
  windowTokens: WINDOW_TOKENS,
  maxOutputTokens: 8_000,
  estimator: "fitted", // It counts, and does not say how.
  count: { system: true, tools: false, output: false }, // Its worked example counts the system message.
  compact: {
    auto: true,
    strategy: "hybrid",
    triggers: [{ type: "ratio", ratio: 0.85, comparison: "gte" }],
    checkPoints: ["beforeModelCall", "manual"],
    target: { type: "ratioOfWindow", ratio: 0.4 },
    cut: "pair-safe",
    boundThinking: "strip",
    minZoneMessages: 1,
  },
  protect: {
    system: true,
    firstUser: false,
    latestRequest: false,
    tailMessages: 10,
    tailTokens: 40_000,
    toolsVerbatim: [],
    toolOutputs: false,
  },
  prune: {
    enabled: true,
    scope: "stored", // Persisted.
    capOnArrivalChars: 0,
    sparesTail: true,
    keepLast: 0, // The tail protects the newest.
    softTrim: { overChars: 4_000, headChars: 1_500, tailChars: 1_500 }, // "Truncated" is undefined there; the sizes are those of Nous.
    stub: { afterResults: 6, minChars: 4_000 }, // Placeholder second; from 1,000 tokens on.
    clearAfter: 0,
    dropTurnsKeep: 0,
    tools: {},
    highWaterRatio: 1, // Only as phase 1 of a compaction, never on its own.
    lowWaterRatio: 0.4,
    mustPay: false,
  },
  summary: {
    mode: "single",
    promptPack: "checkpoint",
    transcript: "labelled",
    model: AGENTPG_FAST_MODEL,
    maxOutputTokens: 8_192,
    temperature: 0,
    timeoutMs: SUMMARY_TIMEOUT_MS,
    budget: { ratioOfTarget: 0.1, minTokens: 500, maxTokens: 8_000 }, // 8K for a target of 80K.
    input: { resultHeadChars: 0, resultTailChars: 0, toolInputChars: 0, maxChars: 0 },
    staged: STAGED,
  },
  render: {
    renderer: "flagged-message",
    opening: "[Conversation summary]\n\n",
    closing: "",
    mentionsRecall: false,
    acknowledgement: { text: "", when: "never" },
  },
  failure: { ladder: ["throw"], annotation: COUNT_ANNOTATION },
  overflow: { maxAttempts: 0, finalStep: "none", onFailure: "error" },
  antiThrash: ANTI_THRASH,
  maxMessages: 0,
  maxMessagesWhen: "always",
  userTools: [],
  memoryFlush: MEMORY_FLUSH,
});

/** Many short conversations. */
export const agentpgHighVolume: Settings = deepFreeze({
  ...agentpg,
  compact: { ...agentpg.compact, triggers: atRatio(0.7), target: { type: "tokens", tokens: 40_000 } },
  protect: { ...agentpg.protect, tailMessages: 5 },
  summary: { ...agentpg.summary, model: AGENTPG_FAST_MODEL },
});

/** Tool results matter and stay in full. */
export const agentpgToolHeavy: Settings = deepFreeze({
  ...agentpg,
  compact: { ...agentpg.compact, triggers: atRatio(0.9) },
  protect: { ...agentpg.protect, tailMessages: 20, tailTokens: 60_000, toolOutputs: true },
});

/** Long research in an extended window, with the strong summarizer. */
export const agentpgLongResearch: Settings = deepFreeze({
  ...agentpg,
  windowTokens: AGENTPG_EXTENDED_WINDOW_TOKENS,
  compact: { ...agentpg.compact, triggers: atRatio(0.95) },
  protect: { ...agentpg.protect, tailMessages: 30 },
  summary: { ...agentpg.summary, model: AGENTPG_STRONG_MODEL },
});

/** Small and early. Its target is below the protected tail, which `settingsWarnings` says. */
export const agentpgCostSensitive: Settings = deepFreeze({
  ...agentpg,
  compact: {
    ...agentpg.compact,
    strategy: "hybrid",
    triggers: atRatio(0.6),
    target: { type: "tokens", tokens: 30_000 },
  },
  summary: { ...agentpg.summary, model: AGENTPG_FAST_MODEL },
});

function atRatio(ratio: number): Settings["compact"]["triggers"] {
  return [{ type: "ratio", ratio, comparison: "gte" }];
}
