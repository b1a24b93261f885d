/** The default: the best of the sources, with their known problems fixed. Data only. */

import type { Settings } from "../core/settings/settings.ts";
import { profileOf } from "./shared.ts";

export const balanced: Settings = profileOf({
  count: { tools: true }, // Everything that is sent; the reserve accounts for the reply.
  compact: {
    strategy: "hybrid",
    triggers: [
      { type: "ratio", ratio: 0.85, comparison: "gte" },
      { type: "reserve", reserveTokens: 20_000, floorTokens: 0, raisedByTokens: 0, comparison: "gt" },
    ],
    checkPoints: ["beforeModelCall", "onOverflow", "manual"],
    target: { type: "ratioOfWindow", ratio: 0.4 },
    cut: "turn-start-or-split",
  },
  protect: {
    firstUser: true,
    latestRequest: true, // What was asked last must not be read from a summary.
    tailMessages: 6,
    tailTokens: 20_000,
  },
  prune: {
    scope: "stored", // An edit that is stored is the same in every later request, and so the prompt cache survives.
    keepLast: 2,
    softTrim: { overChars: 4_000, headChars: 1_500, tailChars: 1_500 },
    stub: { afterResults: 8, minChars: 200 }, // The age at which Nous stubs ordinary tools.
    clearAfter: 12,
    highWaterRatio: 0.7, // Steady use of 40 to 70 % of the window.
    lowWaterRatio: 0.4,
    mustPay: true, // An early break of the prompt cache mostly costs more than it saves.
  },
  summary: {
    mode: "update", // And staged on need.
    maxOutputTokens: 8_192,
    promptPack: "handover", // Ours. The summarizer is shown everything that fits its window.
    staged: { concurrency: 4 },
  },
  render: {
    renderer: "pair",
    opening: "[Summary of the earlier conversation, which was archived]\n\n",
    closing: "\n\n[End of the summary]",
    acknowledgement: { text: "I have the summary and continue from there.", when: "needed" },
  },
  failure: { ladder: ["staged-partial", "extractive", "truncate"] }, // Without a model it still converges.
  overflow: { maxAttempts: 3, finalStep: "truncate-tools" },
});
