/**
 * Every knob of a compaction, as one settled object. Algorithms receive it whole and ask for no defaults: those, the ranges and
 * the merging (profile < user < provider < call) are decided once, in `src/settings.ts`.
 */

import type { CutMode } from "../structure/structure.ts";

export interface Settings {
  /** The model's limit. */
  readonly windowTokens: number;
  /** What a reply may take; part of `budgetSum` triggers and of the memory that must stay free. */
  readonly maxOutputTokens: number;
  /** Which estimate decides. */
  readonly estimator: EstimatorName;
  /** What counts towards the trigger besides messages. */
  readonly count: { readonly system: boolean; readonly tools: boolean; readonly output: boolean };
  readonly compact: CompactSettings;
  readonly protect: ProtectSettings;
  readonly prune: PruneSettings;
  readonly summary: SummarySettings;
  readonly render: RenderSettings;
  readonly failure: FailureSettings;
  readonly overflow: OverflowSettings;
  readonly antiThrash: { readonly minFreedRatio: number; readonly maxPasses: number };
  /** Hard limit on messages in the view, protections and pairs honoured; 0 for none. */
  readonly maxMessages: number;
  /** `auto-off`: the limit stands in for compaction, and is lifted where that is on. */
  readonly maxMessagesWhen: "always" | "auto-off";
  /** Tools whose results are the user's own words; `*` at the end matches any suffix. No other result speaks for the user. */
  readonly userTools: readonly string[];
  readonly memoryFlush: MemoryFlushSettings;
}

export type EstimatorName = "fitted" | "micro-agent" | "nous" | "openclaw" | "auto-compact";

export interface CompactSettings {
  /** Whether `fit` compacts by itself; `compact` always does. */
  readonly auto: boolean;
  readonly strategy: StrategyName;
  /** The first that fires wins and is recorded as the reason. */
  readonly triggers: readonly Trigger[];
  readonly checkPoints: readonly CheckPoint[];
  readonly target: Target;
  /** `turn-start-or-split`: turn starts, but a single turn over the keep budget is split (balanced). */
  readonly cut: CutMode | "turn-start-or-split";
  /** Thinking that is bound to a prefix which was edited: taken out of what follows, or left for the provider to drop. */
  readonly boundThinking: "strip" | "drop-block";
  /** Fewer messages than this in the zone: do nothing. */
  readonly minZoneMessages: number;
}

export type StrategyName = "none" | "truncate" | "summarize" | "hybrid" | "native";

export type Comparison = "gt" | "gte";

export type Trigger =
  | { readonly type: "absolute"; readonly tokens: number; readonly comparison: Comparison }
  | { readonly type: "ratio"; readonly ratio: number; readonly comparison: Comparison }
  /** Fires when less than the reserve is left; a reserve below the floor is raised to it, floor 0 switches that off. */
  | {
      readonly type: "reserve";
      readonly reserveTokens: number;
      readonly floorTokens: number;
      /** How much of the reserve the floor added; 0 where it raised nothing. Written when settings are settled. */
      readonly raisedByTokens: number;
      readonly comparison: Comparison;
    }
  /** System + messages + the reply's maximum, whatever `count` says. */
  | { readonly type: "budgetSum"; readonly tokens: number; readonly comparison: Comparison }
  /** Above a price cliff, or when the prompt cache has gone cold anyway and there is more than this to rewrite. */
  | { readonly type: "economic"; readonly cliffTokens: number; readonly coldTokens: number }
  | { readonly type: "never" };

export type CheckPoint = "afterUser" | "afterToolResults" | "beforeModelCall" | "afterTurn" | "onOverflow" | "manual";

export type Target =
  | { readonly type: "none" }
  | { readonly type: "tokens"; readonly tokens: number }
  | { readonly type: "ratioOfWindow"; readonly ratio: number }
  | { readonly type: "ratioOfThreshold"; readonly ratio: number };

export interface ProtectSettings {
  /** System messages are never compacted; pinned ones never are, in any profile. */
  readonly system: boolean;
  readonly firstUser: boolean;
  /** Keep the newest real user message, even where the tail begins after it. */
  readonly latestRequest: boolean;
  /** Tail by messages and by tokens; with both, the larger area wins. */
  readonly tailMessages: number;
  readonly tailTokens: number;
  /** Results of these tools go through compaction as they are; `*` at the end matches any suffix. */
  readonly toolsVerbatim: readonly string[];
  /** Keep all tool outputs in full: no pruning. */
  readonly toolOutputs: boolean;
}

export interface PruneSettings {
  readonly enabled: boolean;
  /** `request`: only what is sent. `stored`: the view itself, originals archived first. */
  readonly scope: "request" | "stored";
  /** Results longer than this are cut once, when they arrive; 0 for never. */
  readonly capOnArrivalChars: number;
  /** Whether the tail that compaction keeps is left alone here too; Nous prunes inside it. */
  readonly sparesTail: boolean;
  /** The newest tool-result messages that are never pruned. */
  readonly keepLast: number;
  readonly softTrim: SoftTrim | undefined;
  /** Metadata stub: tool, arguments, size, first line, how to get it back. */
  readonly stub: { readonly afterResults: number; readonly minChars: number } | undefined;
  /** Cleared when older than this many tool-result messages, newest = 1; 0 for never. */
  readonly clearAfter: number;
  /** Drop whole tool turns, keeping this many of the newest; 0 for never. */
  readonly dropTurnsKeep: number;
  /** Overrides per tool name; `*` at the end matches any suffix. */
  readonly tools: Readonly<Record<string, "never" | "trim" | "stub" | "clear">>;
  /** Start pruning above this share of the window, prune until below the other: in between the prefix is left alone. */
  readonly highWaterRatio: number;
  readonly lowWaterRatio: number;
  /** Prune without being asked only where that costs less than the cached prefix that has to be written again. */
  readonly mustPay: boolean;
}

export interface SoftTrim {
  readonly overChars: number;
  readonly headChars: number;
  readonly tailChars: number;
}

export interface SummarySettings {
  readonly mode: "single" | "update" | "staged";
  readonly promptPack: PromptPackName;
  readonly transcript: TranscriptStyle;
  /** `inherit` or a model id. */
  readonly model: string;
  readonly maxOutputTokens: number;
  readonly temperature: number;
  readonly timeoutMs: number;
  /** Share of the target that the summary may take, and its bounds. */
  readonly budget: { readonly ratioOfTarget: number; readonly minTokens: number; readonly maxTokens: number };
  readonly input: SummaryInputSettings;
  readonly staged: StagedSettings;
}

/** `labelled`: `[User]: …`, `[Result of read_file]: …`. `nous`: `**User:** …` and `**Assistant:** …` only. */
export type TranscriptStyle = "labelled" | "nous";

export type PromptPackName = "narrative" | "checkpoint" | "safeguard" | "minimal";

export interface SummaryInputSettings {
  /** Tool results in the summarizer's input: this much of the head and of the tail; 0 and 0 for all. */
  readonly resultHeadChars: number;
  readonly resultTailChars: number;
  /** Tool inputs; 0 for all. */
  readonly toolInputChars: number;
  /** The whole input, cut from the middle; 0 for no limit. */
  readonly maxChars: number;
}

export interface StagedSettings {
  /** Chunk size as a share of the summarizer's window and its lower bound. */
  readonly baseChunkRatio: number;
  readonly minChunkRatio: number;
  readonly parts: number;
  /** Below this many messages there is nothing to split. */
  readonly minMessagesForSplit: number;
  readonly concurrency: number;
  /** Safeguard: history may take this share of the window before the oldest chunks are summarised apart. */
  readonly maxHistoryShare: number;
}

export interface RenderSettings {
  readonly renderer: "merge-first-user" | "pair" | "flagged-message" | "system" | "entry";
  readonly opening: string;
  readonly closing: string;
  /** Whether the summary says that what it replaced can be read with the `recall` tool. */
  readonly mentionsRecall: boolean;
  readonly acknowledgement: { readonly text: string; readonly when: "needed" | "always" | "never" };
}

export interface FailureSettings {
  readonly ladder: readonly FailureStep[];
  /** Text of the `annotate` step; `{count}` stands for the number of messages. */
  readonly annotation: string;
}

export type FailureStep = "staged-partial" | "annotate" | "truncate" | "keep-and-trim" | "extractive" | "throw";

export interface OverflowSettings {
  readonly maxAttempts: number;
  readonly finalStep: "truncate-tools" | "none";
  readonly onFailure: "error" | "reset-allowed";
}

export interface MemoryFlushSettings {
  readonly enabled: boolean;
  readonly softThresholdTokens: number;
  readonly prompt: string;
  readonly systemPrompt: string;
}
