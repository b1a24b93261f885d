/** The small single-user agent: one threshold, one pass, the summary inside the first user message. Data only. */

import { deepFreeze } from "../core/settings/deep-freeze.ts";
import type { Settings } from "../core/settings/settings.ts";
import { ANTI_THRASH, COUNT_ANNOTATION, MEMORY_FLUSH, STAGED, SUMMARY_TIMEOUT_MS, WINDOW_TOKENS } from "./shared.ts";

export const microAgent: Settings = deepFreeze({
  windowTokens: WINDOW_TOKENS, // R039.
  maxOutputTokens: 8_000, // R039: about 8K for the response.
  estimator: "micro-agent",
  count: { system: false, tools: false, output: false }, // C4.
  compact: {
    auto: false, // C1, R201: the default strategy is "none"; the adapter turns it on.
    strategy: "summarize",
    triggers: [{ type: "absolute", tokens: 80_000, comparison: "gt" }], // R037.
    checkPoints: ["afterUser", "afterToolResults", "manual"], // R192.
    target: { type: "none" }, // C10.
    cut: "pair-safe", // R058.
    boundThinking: "strip",
    minZoneMessages: 2, // R038.
  },
  protect: {
    system: true,
    firstUser: true, // R055.
    latestRequest: false,
    tailMessages: 6, // R056.
    tailTokens: 0,
    toolsVerbatim: [],
    toolOutputs: false,
  },
  prune: {
    enabled: true,
    scope: "stored", // C13: permanent.
    capOnArrivalChars: 40_000, // R082.
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
    mode: "single", // R101.
    promptPack: "narrative", // R125.
    transcript: "labelled",
    model: "inherit", // R101.
    maxOutputTokens: 4_096, // R100, R202.
    temperature: 0, // R100.
    timeoutMs: SUMMARY_TIMEOUT_MS,
    // There is no target to take a share of: the output limit bounds it.
    budget: { ratioOfTarget: 0.1, minTokens: 256, maxTokens: 4_096 },
    input: { resultHeadChars: 500, resultTailChars: 200, toolInputChars: 200, maxChars: 100_000 }, // R098, R099, R202.
    staged: STAGED,
  },
  render: {
    renderer: "merge-first-user", // R134.
    opening: "[CONTEXT SUMMARY]\n",
    closing: "\n[END CONTEXT SUMMARY]",
    mentionsRecall: false,
    acknowledgement: { text: "Understood. Continuing with the current task.", when: "needed" }, // R135.
  },
  failure: { ladder: ["keep-and-trim"], annotation: COUNT_ANNOTATION }, // R145.
  // C22: the source only reports another system's retries (R191) and has none of its own.
  overflow: { maxAttempts: 0, finalStep: "none", onFailure: "error" },
  antiThrash: ANTI_THRASH,
  maxMessages: 50, // R146.
  maxMessagesWhen: "always",
  userTools: [],
  memoryFlush: MEMORY_FLUSH,
});
