/** Two layers: tool output pruned at every request, history turned into a checkpoint that is carried on. Data only. */

import { deepFreeze } from "../core/settings/deep-freeze.ts";
import type { Settings } from "../core/settings/settings.ts";
import { ANTI_THRASH, COUNT_ANNOTATION, MEMORY_FLUSH, STAGED, SUMMARY_TIMEOUT_MS, WINDOW_TOKENS } from "./shared.ts";

/** What is sent while compaction is off; compaction lifts it. */
export const NOUS_LEGACY_MESSAGES = 20;

export const nous: Settings = deepFreeze({
  windowTokens: WINDOW_TOKENS,
  maxOutputTokens: 16_000,
  estimator: "nous",
  count: { system: true, tools: false, output: true },
  compact: {
    auto: false, // A feature flag; the adapter turns it on.
    strategy: "summarize",
    triggers: [{ type: "budgetSum", tokens: 100_000, comparison: "gt" }],
    checkPoints: ["beforeModelCall", "manual"],
    target: { type: "none" }, // What it comes to is the summary and the tail.
    cut: "turn-start",
    boundThinking: "strip",
    minZoneMessages: 1,
  },
  protect: {
    system: true,
    firstUser: false,
    latestRequest: false,
    tailMessages: 0, // A token budget, never a count.
    tailTokens: 20_000,
    toolsVerbatim: [],
    toolOutputs: false,
  },
  prune: {
    enabled: true,
    scope: "request",
    capOnArrivalChars: 0,
    sparesTail: false, // Only the last results are spared.
    keepLast: 2,
    softTrim: { overChars: 4_000, headChars: 1_500, tailChars: 1_500 },
    stub: undefined, // Nous added stubs later.
    clearAfter: 6,
    dropTurnsKeep: 0,
    tools: {},
    highWaterRatio: 0, // Before every call.
    lowWaterRatio: 0,
    mustPay: false,
  },
  summary: {
    mode: "update",
    promptPack: "checkpoint",
    transcript: "nous",
    model: "inherit", // The host names its background model here.
    maxOutputTokens: 4_096,
    temperature: 0,
    timeoutMs: SUMMARY_TIMEOUT_MS,
    budget: { ratioOfTarget: 0.1, minTokens: 500, maxTokens: 3_000 }, // About 3K.
    input: { resultHeadChars: 0, resultTailChars: 0, toolInputChars: 0, maxChars: 0 },
    staged: STAGED,
  },
  render: {
    renderer: "pair",
    opening: "[Previous conversation summary]\n\n",
    closing: "",
    mentionsRecall: false,
    acknowledgement: {
      text: "I have the context from our previous conversation. Let's continue.",
      when: "always",
    },
  },
  failure: { ladder: ["truncate"], annotation: COUNT_ANNOTATION },
  overflow: { maxAttempts: 0, finalStep: "none", onFailure: "error" },
  antiThrash: ANTI_THRASH,
  maxMessages: NOUS_LEGACY_MESSAGES,
  maxMessagesWhen: "auto-off",
  userTools: [],
  memoryFlush: MEMORY_FLUSH, // "Event only": hooks are not settings.
});
