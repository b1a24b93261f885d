/** The multi-provider library: off until a threshold is set, then down to half of it; the summary is a system message. Data only. */

import type { Settings } from "../core/settings/settings.ts";
import { profileOf } from "./shared.ts";

export const autoCompact: Settings = profileOf({
  maxOutputTokens: 40_960,
  estimator: "auto-compact",
  count: { system: false },
  compact: {
    triggers: [], // Without a threshold nothing happens by itself.
    checkPoints: ["beforeModelCall", "manual"], // Before every call, not only at the start of the loop.
    target: { type: "ratioOfThreshold", ratio: 0.5 },
  },
  protect: { tailMessages: 10 },
  prune: {
    enabled: false, // Optional, and not counted as compaction.
    scope: "stored", // In history.
    dropTurnsKeep: 3,
  },
  summary: {
    promptPack: "minimal",
    // Targets are small here (4,000 in its example), so a summary gets a larger share of them.
    budget: { ratioOfTarget: 0.25, minTokens: 200, maxTokens: 4_096 },
  },
  render: { renderer: "system", opening: "[Previous conversation summary]\n" },
});
