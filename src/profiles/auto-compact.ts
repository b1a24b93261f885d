/** The multi-provider library: off until a threshold is set, then down to half of it; the summary is a system message. Data only. */

import { deepFreeze } from "../core/settings/deep-freeze.ts";
import type { Settings } from "../core/settings/settings.ts";
import { ANTI_THRASH, COUNT_ANNOTATION, MEMORY_FLUSH, STAGED, SUMMARY_TIMEOUT_MS, WINDOW_TOKENS } from "./shared.ts";

export const autoCompact: Settings = deepFreeze({
  windowTokens: WINDOW_TOKENS,
  maxOutputTokens: 40_960,
  estimator: "auto-compact",
  count: { system: false, tools: false, output: false },
  compact: {
    auto: true,
    strategy: "summarize",
    triggers: [], // Without a threshold nothing happens by itself.
    checkPoints: ["beforeModelCall", "manual"], // Before every call, not only at the start of the loop.
    target: { type: "ratioOfThreshold", ratio: 0.5 },
    cut: "pair-safe",
    boundThinking: "strip",
    minZoneMessages: 1,
  },
  protect: {
    system: true,
    firstUser: false,
    latestRequest: false,
    tailMessages: 10,
    tailTokens: 0,
    toolsVerbatim: [],
    toolOutputs: false,
  },
  prune: {
    enabled: false, // Optional, and not counted as compaction.
    scope: "stored", // In history.
    capOnArrivalChars: 0,
    sparesTail: true,
    keepLast: 0,
    softTrim: undefined,
    stub: undefined,
    clearAfter: 0,
    dropTurnsKeep: 3,
    tools: {},
    highWaterRatio: 0,
    lowWaterRatio: 0,
    mustPay: false,
  },
  summary: {
    mode: "single",
    promptPack: "minimal",
    transcript: "labelled",
    model: "inherit",
    maxOutputTokens: 4_096,
    temperature: 0,
    timeoutMs: SUMMARY_TIMEOUT_MS,
    // Targets are small here (4,000 in its example), so a summary gets a larger share of them.
    budget: { ratioOfTarget: 0.25, minTokens: 200, maxTokens: 4_096 },
    input: { resultHeadChars: 0, resultTailChars: 0, toolInputChars: 0, maxChars: 0 },
    staged: STAGED,
  },
  render: {
    renderer: "system",
    opening: "[Previous conversation summary]\n",
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
