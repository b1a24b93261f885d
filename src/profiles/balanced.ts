/** The default: the best of the sources, hardened by what became of them. Data only. */

import { deepFreeze } from "../core/settings/deep-freeze.ts";
import type { Settings } from "../core/settings/settings.ts";
import { ANTI_THRASH, COUNT_ANNOTATION, MEMORY_FLUSH, STAGED, SUMMARY_TIMEOUT_MS, WINDOW_TOKENS } from "./shared.ts";

export const balanced: Settings = deepFreeze({
  windowTokens: WINDOW_TOKENS,
  maxOutputTokens: 16_000,
  estimator: "fitted",
  count: { system: true, tools: true, output: false }, // All that is really sent; the reserve stands for the reply.
  compact: {
    auto: true,
    strategy: "hybrid",
    triggers: [
      { type: "ratio", ratio: 0.85, comparison: "gte" },
      { type: "reserve", reserveTokens: 20_000, floorTokens: 0, raisedByTokens: 0, comparison: "gt" },
    ],
    checkPoints: ["beforeModelCall", "onOverflow", "manual"],
    target: { type: "ratioOfWindow", ratio: 0.4 },
    cut: "turn-start-or-split",
    boundThinking: "strip",
    minZoneMessages: 1,
  },
  protect: {
    system: true,
    firstUser: true,
    latestRequest: true, // What was asked last must not be read from a summary.
    tailMessages: 6,
    tailTokens: 20_000,
    toolsVerbatim: [],
    toolOutputs: false,
  },
  prune: {
    enabled: true,
    scope: "stored", // An edit that is stored is the same in every later request, and so the prompt cache survives.
    capOnArrivalChars: 0,
    sparesTail: true,
    keepLast: 2,
    softTrim: { overChars: 4_000, headChars: 1_500, tailChars: 1_500 },
    stub: { afterResults: 8, minChars: 200 }, // The age at which Nous stubs ordinary tools.
    clearAfter: 12,
    dropTurnsKeep: 0,
    tools: {},
    highWaterRatio: 0.7, // Steady use of 40 to 70 % of the window.
    lowWaterRatio: 0.4,
    mustPay: true, // An early break of the prompt cache mostly costs more than it saves.
  },
  summary: {
    mode: "update", // And staged on need.
    promptPack: "checkpoint",
    transcript: "labelled",
    model: "inherit",
    maxOutputTokens: 8_192,
    temperature: 0,
    timeoutMs: SUMMARY_TIMEOUT_MS,
    budget: { ratioOfTarget: 0.1, minTokens: 500, maxTokens: 8_000 },
    // Errors stand at the end of an output, so a tail is shown too; the total is bounded by stages, not by a cut.
    input: { resultHeadChars: 1_500, resultTailChars: 500, toolInputChars: 500, maxChars: 0 },
    staged: { ...STAGED, concurrency: 4 },
  },
  render: {
    renderer: "pair",
    opening: "[Summary of the earlier conversation, which was archived]\n\n",
    closing: "\n\n[End of the summary]",
    mentionsRecall: false,
    acknowledgement: { text: "I have the summary and continue from there.", when: "needed" },
  },
  failure: {
    ladder: ["staged-partial", "extractive", "truncate"], // Promise 5: without a model it still converges.
    annotation: COUNT_ANNOTATION,
  },
  overflow: { maxAttempts: 3, finalStep: "truncate-tools", onFailure: "error" },
  antiThrash: ANTI_THRASH,
  maxMessages: 0,
  maxMessagesWhen: "always",
  userTools: [],
  memoryFlush: MEMORY_FLUSH, // Off: the host opts in.
});
