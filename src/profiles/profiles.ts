/** All profiles by name. A profile is a complete, immutable set of settings; nothing is merged or checked here. */

import { CompactionError } from "../core/errors.ts";
import { deepFreeze } from "../core/json.ts";
import { didYouMean, shownValue } from "../core/settings/check-schema.ts";
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
function profileOf(own: SettingsInput, base: Settings = BASE): Settings {
  // Merging partial settings over complete ones gives complete ones.
  return deepFreeze(mergeSettings(base, own, settingsSchema) as Settings);
}

/** The default, and the one for quality. */
const AGENTPG_FAST_MODEL = "claude-3-5-haiku-20241022";
const AGENTPG_STRONG_MODEL = "claude-sonnet-4-5-20250929";

/** AgentPG names no size; this is the one Anthropic's extended context has. */
export const AGENTPG_EXTENDED_WINDOW_TOKENS = 1_000_000;

/** What Nous sends while compaction is off; compaction lifts it. */
export const NOUS_LEGACY_MESSAGES = 20;

export const OPENCLAW_RESERVE_FLOOR_TOKENS = 20_000;
/** What is reserved where the floor is switched off. */
export const OPENCLAW_RESERVE_TOKENS = 16_384;

/** The Postgres-backed toolkit: a share of the window, tool results first, then a summary; all or nothing. */
// Its estimate is the fitted one, since it counts and does not say how. Its worked example counts the system message.
const agentpg = profileOf({
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

const PROFILES = {
  /** The default: the best of the sources, with their known problems fixed. */
  balanced: profileOf({
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
  }),
  /** The small single-user agent: one threshold, one pass, the summary inside the first user message. */
  // The source only reports another system's retries and has none of its own.
  "micro-agent": profileOf({
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
  }),
  agentpg,
  /** Two layers: tool output pruned at every request, history turned into a checkpoint that is carried on. */
  // Its flush is "event only": hooks are not settings. What a compaction comes to is the summary and the tail, so it has no target.
  nous: profileOf({
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
  }),
  /** The production assistant: a reserve that is kept free, staged summaries, a memory flush, an append-only log. */
  openclaw: profileOf({
    estimator: "openclaw",
    count: { tools: true }, // The whole session.
    compact: {
      triggers: [
        {
          type: "reserve",
          reserveTokens: OPENCLAW_RESERVE_FLOOR_TOKENS,
          floorTokens: OPENCLAW_RESERVE_FLOOR_TOKENS,
          raisedByTokens: OPENCLAW_RESERVE_FLOOR_TOKENS - OPENCLAW_RESERVE_TOKENS,
          comparison: "gt", // Context > window − reserve.
        },
      ],
      checkPoints: ["afterUser", "afterTurn", "onOverflow", "manual"],
      cut: "split-turn",
    },
    protect: { tailTokens: 20_000 },
    prune: {
      enabled: false, // Optional there; the values apply when a user turns it on.
      scope: "request",
      keepLast: 3,
      softTrim: { overChars: 4_000, headChars: 1_500, tailChars: 1_500 },
      highWaterRatio: 0.5,
      lowWaterRatio: 0.3,
    },
    summary: {
      mode: "staged", // Safeguard.
      promptPack: "safeguard",
      maxOutputTokens: 16_000, // 0.8 of the reserve.
      timeoutMs: 900_000,
      budget: { maxTokens: 16_000 },
      input: { resultHeadChars: 2_000 },
    },
    render: { renderer: "entry", opening: "[Summary of the conversation before this point]\n\n" },
    failure: {
      ladder: ["staged-partial", "annotate"],
      annotation: "Summary unavailable due to context limits. Older messages were truncated.",
    },
    overflow: { maxAttempts: 1, onFailure: "reset-allowed" },
    memoryFlush: { enabled: true },
  }),
  /** The multi-provider library: off until a threshold is set, then down to half of it; the summary is a system message. */
  "auto-compact": profileOf({
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
  }),
  /** Many short conversations. */
  "agentpg-high-volume": profileOf(
    {
      compact: { triggers: atRatio(0.7), target: { type: "tokens", tokens: 40_000 } },
      protect: { tailMessages: 5 },
    },
    agentpg,
  ),
  /** Tool results matter and stay in full. */
  "agentpg-tool-heavy": profileOf(
    { compact: { triggers: atRatio(0.9) }, protect: { tailMessages: 20, tailTokens: 60_000, toolOutputs: true } },
    agentpg,
  ),
  /** Long research in an extended window, with the strong summarizer. */
  "agentpg-long-research": profileOf(
    {
      windowTokens: AGENTPG_EXTENDED_WINDOW_TOKENS,
      compact: { triggers: atRatio(0.95) },
      protect: { tailMessages: 30 },
      summary: { model: AGENTPG_STRONG_MODEL },
    },
    agentpg,
  ),
  /** Small and early. Its target is below the protected tail, which `settingsWarnings` says. */
  "agentpg-cost-sensitive": profileOf(
    { compact: { triggers: atRatio(0.6), target: { type: "tokens", tokens: 30_000 } } },
    agentpg,
  ),
} satisfies Readonly<Record<string, Settings>>;

export type ProfileName = keyof typeof PROFILES;

/** The default first, then the sources, then the presets. */
export const profileNames: readonly ProfileName[] = Object.freeze(Object.keys(PROFILES).filter(isProfileName));

export function isProfileName(name: string): name is ProfileName {
  return Object.hasOwn(PROFILES, name);
}

/** Its complete settings; throws `invalid-settings`, with the name that was probably meant. */
export function profileNamed(name: string): Settings {
  if (isProfileName(name)) return PROFILES[name];
  const hint = didYouMean(name, profileNames);
  const message = `Unknown profile ${shownValue(name)}; there are ${profileNames.join(", ")}${hint}`;
  throw new CompactionError("invalid-settings", message);
}

function atRatio(ratio: number): Settings["compact"]["triggers"] {
  return [{ type: "ratio", ratio, comparison: "gte" }];
}
