/** The public names of `palimpsest`. Formats, readers, adapters and the exact tokenizer have subpaths of their own. */

export type { Prices } from "./compactor/cost.ts";
export type { OverflowReport } from "./compactor/overflow.ts";
export type { CompactionRecord, Fallback, Report } from "./compactor/report.ts";
export type { KeepRecent, KeepRecentInput, ScoreMessage, Tail } from "./compactor/retention.ts";
export {
  type CallOptions,
  type Compacted,
  type Compactor,
  type CompactorOptions,
  createCompactor,
  type NativeAnswer,
  type NativeCompaction,
  type ViewCall,
  type ViewPass,
} from "./compactor.ts";
export { type Converted, convert } from "./convert.ts";
export type { Checkpoint, Decision, ToolFailure } from "./core/checkpoint/checkpoint.ts";
export { parseCheckpoint, renderCheckpoint } from "./core/checkpoint/checkpoint-text.ts";
export type {
  SettingsSummarizer,
  Summarizer,
  Summary,
  SummaryInput,
  SummaryResult,
} from "./core/checkpoint/summary.ts";
export type { Loss } from "./core/convert/adopt.ts";
export { CompactionError, type ErrorCode } from "./core/errors.ts";
export type { FormatRules } from "./core/format-rules.ts";
export type {
  AfterCompaction,
  AfterCompactionEvent,
  BeforeCompactionEvent,
  ConversationCompacting,
  HookAliases,
  SessionBeforeCompact,
} from "./core/hooks/hook-aliases.ts";
export type { HookContext, HookEvent, HookEventOf } from "./core/hooks/hook-events.ts";
export type {
  Gate,
  GateEvent,
  HookHandlers,
  HookName,
  Hooks,
  Notify,
  OnHook,
  Proposal,
  Provide,
  ProvidedCompaction,
} from "./core/hooks/hooks.ts";
export type { LogFields, Logger } from "./core/hooks/log-lines.ts";
export type { JsonArray, JsonObject, JsonValue } from "./core/json.ts";
export { type Calibration, createCalibration } from "./core/ledger/calibration.ts";
export type { LearnedWindow, LearnedWindows } from "./core/ledger/learned-windows.ts";
export {
  type CutOptions,
  createLedger,
  type Ledger,
  type LedgerOptions,
  type Observation,
} from "./core/ledger/ledger.ts";
export { createRecognition, type Recognition } from "./core/ledger/recognition.ts";
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
export type { NothingToDo, Obstacle, Plan, Protection, Reason, Step } from "./core/plan/plan.ts";
export type { OwnStrategy, StrategyInput, StrategyStep } from "./core/plan/plan-input.ts";
export { type SummaryReader, trimTurnContexts } from "./core/plan/summary-marks.ts";
export { raiseToFloor } from "./core/plan/trigger.ts";
export type { CountTokens, Format, Overflow, ToolDefinition, Usage, ValidateOptions, Violation } from "./core/ports.ts";
export { type Repair, type Repaired, repair } from "./core/repair/repair.ts";
export type { Settings, Trigger } from "./core/settings/settings.ts";
export type { SettingsInput } from "./core/settings/settings-input.ts";
export type { CompactionEvent } from "./core/store/compaction-event.ts";
export type { Counters } from "./core/store/counters.ts";
export type { Hit, SearchScope, SessionState, SessionUpdate, Store, StoredMessage } from "./core/store/store.ts";
export type { EventEdits, FullStore, SessionSummary, StoredEdit, StoreUpkeep } from "./core/store/store-upkeep.ts";
export type { CutMode } from "./core/structure/cut-points.ts";
export type { Pairing } from "./core/structure/pairing.ts";
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
export { formatNamed, formatNames, isFormatName } from "./formats.ts";
export { type ProfileName, profileNamed, profileNames } from "./profiles/profiles.ts";
export { type RecallOptions, type RecallTool, recallTool } from "./recall-tool.ts";
export type { SessionPass } from "./session/compact-view.ts";
export type { Exported } from "./session/export-session.ts";
export type { AppendOptions, RewindPoint, Session, SessionRequest, Waiting } from "./session/session-port.ts";
export type { SessionStats } from "./session/session-stats.ts";
export type { Appendable } from "./session/wire-input.ts";
export { openSession, type SessionOptions } from "./session.ts";
export { resolveSettings, type SettingsLayers, type SettingsWarning, settingsWarnings } from "./settings.ts";
export { openStore } from "./stores.ts";
export type { Complete, Completion, CompletionRequest } from "./summarizers/ask.ts";
export { extractive } from "./summarizers/extractive.ts";
export { guarded } from "./summarizers/guard.ts";
export { llm } from "./summarizers/llm.ts";
export type { LlmOptions } from "./summarizers/llm-options.ts";
export { type HistoryTextOptions, historyText } from "./summarizers/serialize.ts";
export type { TelemetryParts } from "./telemetry.ts";
