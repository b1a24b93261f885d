/** Two layers: tool output pruned at every request, history turned into a checkpoint that is carried on. Data only. */

import type { Settings } from "../core/settings/settings.ts";
import { profileOf } from "./shared.ts";

/** What is sent while compaction is off; compaction lifts it. */
export const NOUS_LEGACY_MESSAGES = 20;

// Its flush is "event only": hooks are not settings. What a compaction comes to is the summary and the tail, so it has no target.
export const nous: Settings = profileOf({
  estimator: "nous",
  count: { output: true },
  compact: {
    auto: false, // A feature flag; the adapter turns it on.
    triggers: [{ type: "budgetSum", tokens: 100_000, comparison: "gt" }],
    cut: "turn-start",
  },
  protect: { tailTokens: 20_000 }, // A token budget, never a count.
  prune: {
    scope: "request",
    sparesTail: false, // Only the last results are spared.
    keepLast: 2,
    softTrim: { overChars: 4_000, headChars: 1_500, tailChars: 1_500 },
    stub: false, // Nous added stubs later.
    clearAfter: 6,
    highWaterRatio: 0, // Before every call.
  },
  summary: {
    mode: "update",
    transcript: "nous",
    model: "inherit", // The host names its background model here.
    budget: { maxTokens: 3_000 }, // About 3K.
  },
  render: {
    renderer: "pair",
    opening: "[Previous conversation summary]\n\n",
    acknowledgement: {
      text: "I have the context from our previous conversation. Let's continue.",
      when: "always",
    },
  },
  failure: { ladder: ["truncate"] },
  maxMessages: NOUS_LEGACY_MESSAGES,
  maxMessagesWhen: "auto-off",
});
