/** `palimpsest`: what an application uses. The parts that this is built of are exported by `parts.ts`. */

export type { OverflowReport } from "./compactor/overflow.ts";
export type { Prices, Report } from "./compactor/report.ts";
export type { KeepRecent, ScoreMessage } from "./compactor/retention.ts";
export {
  type CallOptions,
  type Compacted,
  type Compactor,
  type CompactorOptions,
  createCompactor,
  type NativeCompaction,
} from "./compactor.ts";
export type { Summarizer } from "./core/checkpoint/summary.ts";
export { CompactionError, type ErrorCode } from "./core/errors.ts";
export type { HookContext, HookEvent } from "./core/hooks/hook-events.ts";
export type { Gate, GateEvent, Hooks, Notify, Proposal, Provide, ProvidedCompaction } from "./core/hooks/hooks.ts";
export type { Logger } from "./core/hooks/log-lines.ts";
export type { LearnedWindow } from "./core/learned.ts";
export type { NothingToDo, Reason } from "./core/plan/plan.ts";
export type { Format } from "./core/ports.ts";
export type { Settings, SettingsInput } from "./core/settings/settings.ts";
export type { CompactionEvent, Hit, Store, StoredMessage } from "./core/store/store.ts";
export { type ProfileName, profileNamed, profileNames } from "./profiles/profiles.ts";
export { type RecallOptions, type RecallTool, recallTool } from "./recall-tool.ts";
export type { SessionPass } from "./session/compact-view.ts";
export type { Exported } from "./session/export-session.ts";
export type { AppendOptions, RewindPoint, Session, SessionRequest, SessionStats } from "./session/session-port.ts";
export type { Appendable } from "./session/wire-input.ts";
export { openSession, type SessionOptions } from "./session.ts";
export { openStore } from "./stores.ts";
export type { Complete, Completion, CompletionRequest } from "./summarizers/ask.ts";
export { extractive } from "./summarizers/extractive.ts";
export { guarded } from "./summarizers/guard.ts";
export { llm } from "./summarizers/llm.ts";
export type { LlmOptions } from "./summarizers/llm-options.ts";
export type { TelemetryParts } from "./telemetry.ts";
