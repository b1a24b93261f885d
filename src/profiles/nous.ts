/** Two layers: tool output pruned at every request, history turned into a checkpoint that is carried on. Data only. */

import { deepFreeze } from "../core/settings/deep-freeze.ts";
import type { Settings } from "../core/settings/settings.ts";
import { ANTI_THRASH, COUNT_ANNOTATION, MEMORY_FLUSH, STAGED, SUMMARY_TIMEOUT_MS, WINDOW_TOKENS } from "./shared.ts";

/** R045: what is sent while compaction is off; R018 lifts it when it is on. */
export const NOUS_LEGACY_MESSAGES = 20;

export const nous: Settings = deepFreeze({
  windowTokens: WINDOW_TOKENS, // R017.
  maxOutputTokens: 16_000, // R017.
  estimator: "nous",
  count: { system: true, tools: false, output: true }, // C4.
  compact: {
    auto: false, // R209: a feature flag; the adapter turns it on.
    strategy: "summarize",
    triggers: [{ type: "budgetSum", tokens: 100_000, comparison: "gt" }], // R043.
    checkPoints: ["beforeModelCall", "manual"], // R193.
    target: { type: "none" }, // C10: what it comes to is the summary and the tail.
    cut: "turn-start", // R075, R077.
    boundThinking: "strip",
    minZoneMessages: 1, // C9.
  },
  protect: {
    system: true,
    firstUser: false, // C6.
    latestRequest: false,
    tailMessages: 0, // R018: a token budget, never a count.
    tailTokens: 20_000, // R066.
    toolsVerbatim: [],
    toolOutputs: false,
  },
  prune: {
    enabled: true, // R208.
    scope: "request", // R013.
    capOnArrivalChars: 0,
    sparesTail: false, // R065: only the last results are spared.
    keepLast: 2, // R065.
    softTrim: { overChars: 4_000, headChars: 1_500, tailChars: 1_500 }, // R086.
    stub: undefined, // X10 came later.
    clearAfter: 6, // R088, D17.
    dropTurnsKeep: 0,
    tools: {},
    highWaterRatio: 0, // R084: before every call.
    lowWaterRatio: 0,
    mustPay: false, // R084.
  },
  summary: {
    mode: "update", // R106.
    promptPack: "checkpoint", // R126.
    transcript: "nous", // R105.
    model: "inherit", // R107: the host names its background model here.
    maxOutputTokens: 4_096,
    temperature: 0,
    timeoutMs: SUMMARY_TIMEOUT_MS, // R108.
    budget: { ratioOfTarget: 0.1, minTokens: 500, maxTokens: 3_000 }, // R017: about 3K.
    input: { resultHeadChars: 0, resultTailChars: 0, toolInputChars: 0, maxChars: 0 }, // C17.
    staged: STAGED,
  },
  render: {
    renderer: "pair", // R138.
    opening: "[Previous conversation summary]\n\n",
    closing: "",
    mentionsRecall: false,
    acknowledgement: {
      text: "I have the context from our previous conversation. Let's continue.",
      when: "always",
    },
  },
  failure: { ladder: ["truncate"], annotation: COUNT_ANNOTATION }, // R147, D13.
  overflow: { maxAttempts: 0, finalStep: "none", onFailure: "error" }, // C22.
  antiThrash: ANTI_THRASH,
  maxMessages: NOUS_LEGACY_MESSAGES,
  maxMessagesWhen: "auto-off", // R018, R045.
  userTools: [],
  memoryFlush: MEMORY_FLUSH, // "Event only": hooks are not settings.
});
