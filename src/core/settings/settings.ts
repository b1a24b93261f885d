/** All settings of a compaction, as one settled object. `src/settings.ts` decides defaults, ranges and layers, once. */

import type { CutMode } from "../structure/structure.ts";

export interface Settings {
  /** The model's limit on a request. */
  readonly windowTokens: number;
  /** The room for a reply; part of `budgetSum` triggers and of the memory that must stay free. */
  readonly maxOutputTokens: number;
  /** The estimate that decides. */
  readonly estimator: EstimatorName;
  /** What the triggers count besides messages. */
  readonly count: { readonly system: boolean; readonly tools: boolean; readonly output: boolean };
  readonly compact: CompactSettings;
  readonly protect: ProtectSettings;
  readonly prune: PruneSettings;
  readonly summary: SummarySettings;
  readonly render: RenderSettings;
  readonly failure: FailureSettings;
  readonly overflow: OverflowSettings;
  readonly antiThrash: { readonly minFreedRatio: number; readonly maxPasses: number };
  /** Hard limit on messages in the view, with protections and whole pairs; 0 for none. */
  readonly maxMessages: number;
  /** `auto-off`: the limit replaces compaction, and is lifted where compaction is on. */
  readonly maxMessagesWhen: "always" | "auto-off";
  /** Tools whose results are the user's own words; `*` at the end matches any suffix. No other result counts as the user's. */
  readonly userTools: readonly string[];
  readonly memoryFlush: MemoryFlushSettings;
}

export type EstimatorName = "fitted" | "micro-agent" | "nous" | "openclaw" | "auto-compact";

export interface CompactSettings {
  /** Whether `fit` compacts by itself; `compact` always does. */
  readonly auto: boolean;
  readonly strategy: StrategyName;
  /** The first trigger that fires wins, and its type is the recorded reason. */
  readonly triggers: readonly Trigger[];
  readonly checkPoints: readonly CheckPoint[];
  readonly target: Target;
  /** `turn-start-or-split`: cuts at turn starts, and splits a single turn over the keep budget (balanced). */
  readonly cut: CutMode | "turn-start-or-split";
  /** Thinking that is bound to an edited prefix: removed from later messages, or left for the provider to drop. */
  readonly boundThinking: "strip" | "drop-block";
  /** Fewer messages than this in the zone: do nothing. */
  readonly minZoneMessages: number;
}

export type StrategyName = "none" | "truncate" | "summarize" | "hybrid" | "native";

export type Comparison = "gt" | "gte";

export type Trigger =
  | { readonly type: "absolute"; readonly tokens: number; readonly comparison: Comparison }
  | { readonly type: "ratio"; readonly ratio: number; readonly comparison: Comparison }
  /** Fires when less than the reserve is left; a reserve below the floor is raised to it, and a floor of 0 raises nothing. */
  | {
      readonly type: "reserve";
      readonly reserveTokens: number;
      readonly floorTokens: number;
      /** How much the floor added to the reserve; written when settings are settled. */
      readonly raisedByTokens: number;
      readonly comparison: Comparison;
    }
  /** System + messages + the reply's maximum, whatever `count` says. */
  | { readonly type: "budgetSum"; readonly tokens: number; readonly comparison: Comparison }
  /** Fires above a price cliff, or when the prompt cache is cold and more than this would be rewritten. */
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
  /** Results of these tools are never shortened; `*` at the end matches any suffix. */
  readonly toolsVerbatim: readonly string[];
  /** Keep all tool outputs in full: no pruning. */
  readonly toolOutputs: boolean;
}

export interface PruneSettings {
  readonly enabled: boolean;
  /** `request`: shortens only what is sent. `stored`: shortens the view itself, after archiving the originals. */
  readonly scope: "request" | "stored";
  /** Results longer than this are cut once, when they arrive; 0 for never. */
  readonly capOnArrivalChars: number;
  /** Whether pruning leaves compaction's tail alone; Nous prunes inside it. */
  readonly sparesTail: boolean;
  /** This many of the newest tool-result messages are never pruned. */
  readonly keepLast: number;
  readonly softTrim: SoftTrim | undefined;
  /** Stub with metadata: tool, arguments, size, first line, and how to get the result back. */
  readonly stub: { readonly afterResults: number; readonly minChars: number } | undefined;
  /** Clears results older than this many tool-result messages, newest = 1; 0 for never. */
  readonly clearAfter: number;
  /** Drops whole tool turns, except this many of the newest; 0 for never. */
  readonly dropTurnsKeep: number;
  /** Overrides per tool name; `*` at the end matches any suffix. */
  readonly tools: Readonly<Record<string, "never" | "trim" | "stub" | "clear">>;
  /** Pruning starts above this share of the window and stops below the other; in between the prefix is left alone. */
  readonly highWaterRatio: number;
  readonly lowWaterRatio: number;
  /** Whether automatic pruning must cost less than writing the cached prefix again. */
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
  /** The summary's share of the target, and its bounds. */
  readonly budget: { readonly ratioOfTarget: number; readonly minTokens: number; readonly maxTokens: number };
  readonly input: SummaryInputSettings;
  readonly staged: StagedSettings;
}

/** `labelled`: `[User]: …`, `[Result of read_file]: …`. `nous`: `**User:** …` and `**Assistant:** …` only. */
export type TranscriptStyle = "labelled" | "nous";

export type PromptPackName = "narrative" | "checkpoint" | "handover" | "safeguard" | "minimal";

export interface SummaryInputSettings {
  /** Tool results in the summarizer's input: this much of the head and of the tail; 0 and 0 for the whole result. */
  readonly resultHeadChars: number;
  readonly resultTailChars: number;
  /** Tool inputs in the summarizer's input; 0 for the whole input. */
  readonly toolInputChars: number;
  /** The whole input, cut in the middle; 0 for no limit. */
  readonly maxChars: number;
}

export interface StagedSettings {
  /** Chunk size as a share of the summarizer's window, and its lower bound. */
  readonly baseChunkRatio: number;
  readonly minChunkRatio: number;
  readonly parts: number;
  /** Fewer messages than this are not split. */
  readonly minMessagesForSplit: number;
  readonly concurrency: number;
  /** The history's share of the window above which the oldest chunks are summarized separately. */
  readonly maxHistoryShare: number;
}

export interface RenderSettings {
  readonly renderer: "merge-first-user" | "pair" | "flagged-message" | "system" | "entry";
  readonly opening: string;
  readonly closing: string;
  /** Whether the summary says that the `recall` tool can read what it replaced. */
  readonly mentionsRecall: boolean;
  readonly acknowledgement: { readonly text: string; readonly when: "needed" | "always" | "never" };
}

export interface FailureSettings {
  readonly ladder: readonly FailureStep[];
  /** Text of the `annotate` step; `{count}` is replaced by the number of messages. */
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

export type SettingsInput = InputOf<Settings>;

/** A trigger without its optional keys. Default comparison: above for amounts, at or above for shares; default floor: none. */
export type TriggerInput = Trigger extends infer One ? (One extends Trigger ? WithDefaults<One> : never) : never;

type WithDefaults<One extends Trigger> = Omit<One, DefaultedKey> & Partial<Pick<One, Extract<DefaultedKey, keyof One>>>;
type DefaultedKey = "comparison" | "floorTokens" | "raisedByTokens";

type InputOf<Value> = Value extends readonly Trigger[]
  ? readonly TriggerInput[]
  : Value extends readonly unknown[] | { readonly type: string }
    ? Value
    : Value extends object
      ? { readonly [Key in keyof Value]?: InputOf<Value[Key]> | Off<Value[Key]> | undefined }
      : Value;

type Off<Value> = undefined extends Value ? false : never;
