/** The Postgres-backed toolkit: a share of the window, tool results first, then a summary; all or nothing. Data only. */

import type { Settings } from "../core/settings/settings.ts";
import { profileOf } from "./shared.ts";

/** The default, and the one for quality. */
const AGENTPG_FAST_MODEL = "claude-3-5-haiku-20241022";
const AGENTPG_STRONG_MODEL = "claude-sonnet-4-5-20250929";

/** AgentPG names no size; this is the one Anthropic's extended context has. */
export const AGENTPG_EXTENDED_WINDOW_TOKENS = 1_000_000;

// Its estimate is the fitted one, since it counts and does not say how. Its worked example counts the system message.
export const agentpg: Settings = profileOf({
  maxOutputTokens: 8_000,
  compact: { strategy: "hybrid", triggers: atRatio(0.85), target: { type: "ratioOfWindow", ratio: 0.4 } },
  protect: { tailMessages: 10, tailTokens: 40_000 },
  prune: {
    scope: "stored", // Persisted. The tail protects the newest, so nothing else has to.
    softTrim: { overChars: 4_000, headChars: 1_500, tailChars: 1_500 }, // "Truncated" is undefined there; the sizes are those of Nous.
    stub: { afterResults: 6, minChars: 4_000 }, // Placeholder second; from 1,000 tokens on.
    highWaterRatio: 1, // Only as phase 1 of a compaction, never on its own.
    lowWaterRatio: 0.4,
  },
  summary: {
    model: AGENTPG_FAST_MODEL,
    maxOutputTokens: 8_192,
    budget: { maxTokens: 8_000 }, // 8K for a target of 80K.
  },
});

/** Many short conversations. */
export const agentpgHighVolume: Settings = profileOf(
  {
    compact: { triggers: atRatio(0.7), target: { type: "tokens", tokens: 40_000 } },
    protect: { tailMessages: 5 },
  },
  agentpg,
);

/** Tool results matter and stay in full. */
export const agentpgToolHeavy: Settings = profileOf(
  { compact: { triggers: atRatio(0.9) }, protect: { tailMessages: 20, tailTokens: 60_000, toolOutputs: true } },
  agentpg,
);

/** Long research in an extended window, with the strong summarizer. */
export const agentpgLongResearch: Settings = profileOf(
  {
    windowTokens: AGENTPG_EXTENDED_WINDOW_TOKENS,
    compact: { triggers: atRatio(0.95) },
    protect: { tailMessages: 30 },
    summary: { model: AGENTPG_STRONG_MODEL },
  },
  agentpg,
);

/** Small and early. Its target is below the protected tail, which `settingsWarnings` says. */
export const agentpgCostSensitive: Settings = profileOf(
  { compact: { triggers: atRatio(0.6), target: { type: "tokens", tokens: 30_000 } } },
  agentpg,
);

function atRatio(ratio: number): Settings["compact"]["triggers"] {
  return [{ type: "ratio", ratio, comparison: "gte" }];
}
