/** The small single-user agent: one threshold, one pass, the summary inside the first user message. Data only. */

import type { Settings } from "../core/settings/settings.ts";
import { profileOf } from "./shared.ts";

// The source only reports another system's retries and has none of its own.
export const microAgent: Settings = profileOf({
  maxOutputTokens: 8_000, // About 8K for the response.
  estimator: "micro-agent",
  count: { system: false },
  compact: {
    auto: false, // The default strategy is "none"; the adapter turns it on.
    triggers: [{ type: "absolute", tokens: 80_000, comparison: "gt" }],
    checkPoints: ["afterUser", "afterToolResults", "manual"],
    minZoneMessages: 2,
  },
  protect: { firstUser: true, tailMessages: 6 },
  prune: {
    scope: "stored", // Permanent.
    capOnArrivalChars: 40_000,
  },
  summary: {
    promptPack: "narrative",
    // There is no target to take a share of: the output limit bounds it.
    budget: { minTokens: 256, maxTokens: 4_096 },
    input: { resultHeadChars: 500, resultTailChars: 200, toolInputChars: 200, maxChars: 100_000 },
  },
  render: {
    renderer: "merge-first-user",
    opening: "[CONTEXT SUMMARY]\n",
    closing: "\n[END CONTEXT SUMMARY]",
    acknowledgement: { text: "Understood. Continuing with the current task.", when: "needed" },
  },
  failure: { ladder: ["keep-and-trim"] },
  maxMessages: 50,
});
