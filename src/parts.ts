/** `palimpsest/parts`: the building blocks, for people who write plug-ins or use one part alone. No name of it is in `index.ts`. */

export type { CompactionRecord, Fallback } from "./compactor/report.ts";
export type { KeepRecentInput, Tail } from "./compactor/retention.ts";
export type { NativeAnswer, ViewCall, ViewKeeper, ViewPass } from "./compactor.ts";
export type { Checkpoint, Decision, ToolFailure } from "./core/checkpoint/checkpoint.ts";
export { parseCheckpoint, renderCheckpoint } from "./core/checkpoint/checkpoint.ts";
export type { SettingsSummarizer, Summary, SummaryInput, SummaryResult } from "./core/checkpoint/summary.ts";
export type { Loss } from "./core/convert/adopt.ts";
export type { FormatRules } from "./core/format-rules.ts";
export type {
  AfterCompaction,
  AfterCompactionEvent,
  BeforeCompactionEvent,
  ConversationCompacting,
  HookAliases,
  SessionBeforeCompact,
} from "./core/hooks/hook-aliases.ts";
export type { HookEventOf } from "./core/hooks/hook-events.ts";
export type { HookHandlers, HookName, OnHook } from "./core/hooks/hooks.ts";
export type { LogFields } from "./core/hooks/log-lines.ts";
export type { JsonArray, JsonObject, JsonValue } from "./core/json.ts";
export type { LearnedWindows } from "./core/learned.ts";
export type {
  Conversation,
  FormatName,
  MediaPart,
  Message,
  OpaquePart,
  Part,
  ReasoningPart,
  Role,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "./core/message.ts";
export type { Obstacle, Plan, Protection, Step } from "./core/plan/plan.ts";
export type { OwnStrategy, StrategyInput, StrategyStep } from "./core/plan/plan-input.ts";
export { type SummaryReader, trimTurnContexts } from "./core/plan/summary-marks.ts";
export { raiseToFloor } from "./core/plan/trigger.ts";
export type { CountTokens, Overflow, ToolDefinition, Usage, ValidateOptions, Violation } from "./core/ports.ts";
export { type Repair, type Repaired, repair } from "./core/repair/repair.ts";
export type { Embed } from "./core/search/embedding.ts";
export type { Trigger } from "./core/settings/settings.ts";
export type { Counters } from "./core/store/counters.ts";
export type { SearchScope, SessionState, SessionUpdate } from "./core/store/store.ts";
export type { EventEdits, FullStore, SessionSummary, StoredEdit, StoreUpkeep } from "./core/store/store-upkeep.ts";
export type { Pairing } from "./core/structure/pairing.ts";
export type { CutMode } from "./core/structure/structure.ts";
export { type Round, type Structure, structureOf, type Turn } from "./core/structure/structure.ts";
export {
  autoCompactTokens,
  type CharsPerTokenOptions,
  charsPerToken,
  microAgentTokens,
  nousTokens,
  openclawTokens,
} from "./core/tokens/chars-per-token.ts";
export {
  type ConversationTokens,
  countConversation,
  type EstimateOptions,
  estimateTokens,
  messageCounter,
  type TokenCounter,
} from "./core/tokens/tokens.ts";
export { type Converted, convert, formatNamed, formatNames, isFormatName } from "./formats.ts";
export type { Waiting } from "./session/session-port.ts";
export { resolveSettings, type SettingsLayers, type SettingsWarning, settingsWarnings } from "./settings.ts";
export { type HistoryTextOptions, historyText } from "./summarizers/serialize.ts";
