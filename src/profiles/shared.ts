/** Values that several profiles share because no source says otherwise. Data only. */

import type { MemoryFlushSettings, Settings, StagedSettings } from "../core/settings/settings.ts";

/** What a window is taken for until somebody says otherwise. */
export const WINDOW_TOKENS = 200_000;

/** Two passes in a row that free less than a tenth. */
export const ANTI_THRASH: Settings["antiThrash"] = { minFreedRatio: 0.1, maxPasses: 2 };

/** Ours: no source names one for a single call, and one is needed. */
export const SUMMARY_TIMEOUT_MS = 120_000;

/** Sources without stages never reach them except on the failure ladder. */
export const STAGED: StagedSettings = {
  baseChunkRatio: 0.4,
  minChunkRatio: 0.15,
  parts: 2,
  minMessagesForSplit: 4,
  concurrency: 2,
  maxHistoryShare: 0.5,
};

/** The source's texts in our words; `NO_REPLY` and the file name are the source's. */
export const MEMORY_FLUSH: MemoryFlushSettings = {
  enabled: false,
  softThresholdTokens: 4_000,
  prompt:
    "Memory flush before compaction. Save what must outlast this session in memory/YYYY-MM-DD.md, with today's date; create memory/ if it does not exist. If there is nothing to save, answer NO_REPLY.",
  systemPrompt:
    "This turn is a memory flush: the session is about to be compacted automatically. Write durable memories to disk now. You may answer, but NO_REPLY is usually the right answer.",
};

/** The wording micro-agent reports. Profiles that never annotate carry it for whoever adds that step. */
export const COUNT_ANNOTATION = "Context contained {count} messages. Summary unavailable.";
