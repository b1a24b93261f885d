/** The public names of `palimpsest`. Formats, readers and the exact tokenizer have subpaths of their own. */

export { type Converted, convert } from "./convert.ts";
export type { Loss } from "./core/adopt.ts";
export { type Calibration, createCalibration } from "./core/calibration.ts";
export {
  autoCompactTokens,
  type CharsPerTokenOptions,
  charsPerToken,
  microAgentTokens,
  nousTokens,
  openclawTokens,
} from "./core/chars-per-token.ts";
export type { CutMode } from "./core/cut-points.ts";
export { CompactionError, type ErrorCode } from "./core/errors.ts";
export type { FormatRules } from "./core/format-rules.ts";
export type { JsonArray, JsonObject, JsonValue } from "./core/json.ts";
export type { LearnedWindow } from "./core/learned-windows.ts";
export { type CutOptions, createLedger, type Ledger, type LedgerOptions, type Observation } from "./core/ledger.ts";
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
export type { Pairing } from "./core/pairing.ts";
export type { CountTokens, Format, Overflow, ToolDefinition, Usage, ValidateOptions, Violation } from "./core/ports.ts";
export { createRecognition, type Recognition } from "./core/recognition.ts";
export { type Repair, type Repaired, repair } from "./core/repair.ts";
export { type Round, type Structure, structureOf, type Turn } from "./core/structure.ts";
export {
  type ConversationTokens,
  countConversation,
  type EstimateOptions,
  estimateTokens,
  messageCounter,
  type TokenCounter,
} from "./core/tokens.ts";
export { formatNamed, formatNames, isFormatName } from "./formats.ts";
