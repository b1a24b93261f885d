/** The multi-provider library: off until a threshold is set, then down to half of it; the summary is a system message. Data only. */

import { deepFreeze } from "../core/settings/deep-freeze.ts";
import type { Settings } from "../core/settings/settings.ts";
import { ANTI_THRASH, COUNT_ANNOTATION, MEMORY_FLUSH, STAGED, SUMMARY_TIMEOUT_MS, WINDOW_TOKENS } from "./shared.ts";

export const autoCompact: Settings = deepFreeze({
  windowTokens: WINDOW_TOKENS,
  maxOutputTokens: 40_960, // X24.
  estimator: "auto-compact", // R029, D24.
  count: { system: false, tools: false, output: false }, // C4.
  compact: {
    auto: true,
    strategy: "summarize",
    triggers: [], // R052: without a threshold nothing happens by itself.
    checkPoints: ["beforeModelCall", "manual"], // R194 as D24 corrects it, R200.
    target: { type: "ratioOfThreshold", ratio: 0.5 }, // R054.
    cut: "pair-safe", // D23.
    boundThinking: "strip",
    minZoneMessages: 1, // R081.
  },
  protect: {
    system: true, // R071.
    firstUser: false, // C6.
    latestRequest: false,
    tailMessages: 10, // R070.
    tailTokens: 0,
    toolsVerbatim: [],
    toolOutputs: false,
  },
  prune: {
    enabled: false, // R097: optional, and not counted as compaction.
    scope: "stored", // C13: in history.
    capOnArrivalChars: 0,
    sparesTail: true,
    keepLast: 0,
    softTrim: undefined,
    stub: undefined,
    clearAfter: 0,
    dropTurnsKeep: 3, // X24.
    tools: {},
    highWaterRatio: 0,
    lowWaterRatio: 0,
    mustPay: false,
  },
  summary: {
    mode: "single", // C15.
    promptPack: "minimal", // R131.
    transcript: "labelled",
    model: "inherit", // R122.
    maxOutputTokens: 4_096,
    temperature: 0,
    timeoutMs: SUMMARY_TIMEOUT_MS,
    // Targets are small here (4,000 in R213), so a summary gets a larger share of them.
    budget: { ratioOfTarget: 0.25, minTokens: 200, maxTokens: 4_096 },
    input: { resultHeadChars: 0, resultTailChars: 0, toolInputChars: 0, maxChars: 0 }, // C17.
    staged: STAGED,
  },
  render: {
    renderer: "system", // R144, D25.
    opening: "[Previous conversation summary]\n",
    closing: "",
    mentionsRecall: false,
    acknowledgement: { text: "", when: "never" }, // C19.
  },
  failure: { ladder: ["throw"], annotation: COUNT_ANNOTATION }, // R152.
  overflow: { maxAttempts: 0, finalStep: "none", onFailure: "error" }, // C22.
  antiThrash: ANTI_THRASH,
  maxMessages: 0,
  maxMessagesWhen: "always",
  userTools: [],
  memoryFlush: MEMORY_FLUSH,
});
