/** The small single-user agent: one threshold, one pass, the summary inside the first user message. Data only. */

import { deepFreeze } from "../core/settings/deep-freeze.ts";
import type { Settings } from "../core/settings/settings.ts";
import { ANTI_THRASH, COUNT_ANNOTATION, MEMORY_FLUSH, STAGED, SUMMARY_TIMEOUT_MS, WINDOW_TOKENS } from "./shared.ts";

export const microAgent: Settings = deepFreeze({
  windowTokens: WINDOW_TOKENS,
  maxOutputTokens: 8_000, // About 8K for the response.
  estimator: "micro-agent",
  count: { system: false, tools: false, output: false },
  compact: {
    auto: false, // The default strategy is "none"; the adapter turns it on.
    strategy: "summarize",
    triggers: [{ type: "absolute", tokens: 80_000, comparison: "gt" }],
    checkPoints: ["afterUser", "afterToolResults", "manual"],
    target: { type: "none" },
    cut: "pair-safe",
    boundThinking: "strip",
    minZoneMessages: 2,
  },
  protect: {
    system: true,
    firstUser: true,
    latestRequest: false,
    tailMessages: 6,
    tailTokens: 0,
    toolsVerbatim: [],
    toolOutputs: false,
  },
  prune: {
    enabled: true,
    scope: "stored", // Permanent.
    capOnArrivalChars: 40_000,
    sparesTail: true,
    keepLast: 0,
    softTrim: undefined,
    stub: undefined,
    clearAfter: 0,
    dropTurnsKeep: 0,
    tools: {},
    highWaterRatio: 0,
    lowWaterRatio: 0,
    mustPay: false,
  },
  summary: {
    mode: "single",
    promptPack: "narrative",
    transcript: "labelled",
    model: "inherit",
    maxOutputTokens: 4_096,
    temperature: 0,
    timeoutMs: SUMMARY_TIMEOUT_MS,
    // There is no target to take a share of: the output limit bounds it.
    budget: { ratioOfTarget: 0.1, minTokens: 256, maxTokens: 4_096 },
    input: { resultHeadChars: 500, resultTailChars: 200, toolInputChars: 200, maxChars: 100_000 },
    staged: STAGED,
  },
  render: {
    renderer: "merge-first-user",
    opening: "[CONTEXT SUMMARY]\n",
    closing: "\n[END CONTEXT SUMMARY]",
    mentionsRecall: false,
    acknowledgement: { text: "Understood. Continuing with the current task.", when: "needed" },
  },
  failure: { ladder: ["keep-and-trim"], annotation: COUNT_ANNOTATION },
  // The source only reports another system's retries and has none of its own.
  overflow: { maxAttempts: 0, finalStep: "none", onFailure: "error" },
  antiThrash: ANTI_THRASH,
  maxMessages: 50,
  maxMessagesWhen: "always",
  userTools: [],
  memoryFlush: MEMORY_FLUSH,
});
