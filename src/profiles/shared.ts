/** The values that profiles share. Each profile lists only its own values; a new setting gets its default here. */

import { deepFreeze } from "../core/json.ts";
import { mergeSettings } from "../core/settings/merge-settings.ts";
import type { Settings, SettingsInput } from "../core/settings/settings.ts";
import { settingsSchema } from "../core/settings/settings-schema.ts";

/** The window that is assumed until one is given. */
export const WINDOW_TOKENS = 200_000;

const BASE: Settings = {
  windowTokens: WINDOW_TOKENS,
  maxOutputTokens: 16_000,
  estimator: "fitted",
  count: { system: true, tools: false, output: false },
  compact: {
    auto: true,
    strategy: "summarize",
    triggers: [],
    checkPoints: ["beforeModelCall", "manual"],
    target: { type: "none" },
    cut: "pair-safe",
    boundThinking: "strip",
    minZoneMessages: 1,
  },
  protect: {
    system: true,
    firstUser: false,
    latestRequest: false,
    tailMessages: 0,
    tailTokens: 0,
    toolsVerbatim: [],
    toolOutputs: false,
  },
  prune: {
    enabled: true,
    scope: "stored",
    capOnArrivalChars: 0,
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
    mode: "single",
    promptPack: "checkpoint",
    transcript: "labelled",
    model: "inherit",
    maxOutputTokens: 4_096,
    temperature: 0,
    timeoutMs: 120_000, // Ours: no source names one for a single call, and one is needed.
    budget: { ratioOfTarget: 0.1, minTokens: 500, maxTokens: 8_000 },
    input: { resultHeadChars: 0, resultTailChars: 0, toolInputChars: 0, maxChars: 0 },
    // Sources without stages never reach them except on the failure ladder.
    staged: {
      baseChunkRatio: 0.4,
      minChunkRatio: 0.15,
      parts: 2,
      minMessagesForSplit: 4,
      concurrency: 2,
      maxHistoryShare: 0.5,
    },
  },
  render: {
    renderer: "flagged-message",
    opening: "[Conversation summary]\n\n",
    closing: "",
    mentionsRecall: false,
    acknowledgement: { text: "", when: "never" },
  },
  failure: {
    ladder: ["throw"],
    // The wording micro-agent reports. Profiles that never annotate have it for callers who add that step.
    annotation: "Context contained {count} messages. Summary unavailable.",
  },
  overflow: { maxAttempts: 0, finalStep: "none", onFailure: "error" },
  antiThrash: { minFreedRatio: 0.1, maxPasses: 2 }, // Two passes in a row that free less than a tenth.
  maxMessages: 0,
  maxMessagesWhen: "always",
  userTools: [],
  // The source's texts in our words; `NO_REPLY` and the file name are the source's.
  memoryFlush: {
    enabled: false,
    softThresholdTokens: 4_000,
    prompt:
      "Memory flush before compaction. Save what must outlast this session in memory/YYYY-MM-DD.md, with today's date; create memory/ if it does not exist. If there is nothing to save, answer NO_REPLY.",
    systemPrompt:
      "This turn is a memory flush: the session is about to be compacted automatically. Write durable memories to disk now. You may answer, but NO_REPLY is usually the right answer.",
  },
};

/** A complete, frozen profile: `own` laid over another profile, or over what all of them share. */
export function profileOf(own: SettingsInput, base: Settings = BASE): Settings {
  // Merging partial settings over complete ones gives complete ones.
  return deepFreeze(mergeSettings(base, own, settingsSchema) as Settings);
}
