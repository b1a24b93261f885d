/** AgentPG's four presets: the profile with what each preset changes, and nothing else. Data only. */

import { deepFreeze } from "../core/settings/deep-freeze.ts";
import type { Settings } from "../core/settings/settings.ts";
import { AGENTPG_EXTENDED_WINDOW_TOKENS, AGENTPG_FAST_MODEL, AGENTPG_STRONG_MODEL, agentpg } from "./agentpg.ts";

/** Many short conversations. */
export const agentpgHighVolume: Settings = deepFreeze({
  ...agentpg,
  compact: { ...agentpg.compact, triggers: atRatio(0.7), target: { type: "tokens", tokens: 40_000 } },
  protect: { ...agentpg.protect, tailMessages: 5 },
  summary: { ...agentpg.summary, model: AGENTPG_FAST_MODEL },
});

/** Tool results matter and stay in full. */
export const agentpgToolHeavy: Settings = deepFreeze({
  ...agentpg,
  compact: { ...agentpg.compact, triggers: atRatio(0.9) },
  protect: { ...agentpg.protect, tailMessages: 20, tailTokens: 60_000, toolOutputs: true },
});

/** Long research in an extended window, with the strong summarizer. */
export const agentpgLongResearch: Settings = deepFreeze({
  ...agentpg,
  windowTokens: AGENTPG_EXTENDED_WINDOW_TOKENS,
  compact: { ...agentpg.compact, triggers: atRatio(0.95) },
  protect: { ...agentpg.protect, tailMessages: 30 },
  summary: { ...agentpg.summary, model: AGENTPG_STRONG_MODEL },
});

/** Small and early. Its target is below the protected tail, which `settingsWarnings` says. */
export const agentpgCostSensitive: Settings = deepFreeze({
  ...agentpg,
  compact: {
    ...agentpg.compact,
    strategy: "hybrid",
    triggers: atRatio(0.6),
    target: { type: "tokens", tokens: 30_000 },
  },
  summary: { ...agentpg.summary, model: AGENTPG_FAST_MODEL },
});

function atRatio(ratio: number): Settings["compact"]["triggers"] {
  return [{ type: "ratio", ratio, comparison: "gte" }];
}
