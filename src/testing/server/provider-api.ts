/**
 * What the test server asks of each provider's API, and what passes between the two: the call, the reply, the usage, the refusal.
 * An API is data in and data out: it opens no socket.
 */

import type { IncomingHttpHeaders } from "node:http";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { Conversation, FormatName } from "../../core/message.ts";
import type { Violation } from "../../core/ports.ts";
import type { TokenCounter } from "../../core/tokens/tokens.ts";
import type { CachePolicy } from "./prompt-cache.ts";

/** A format that the test server answers in. */
export type ServedFormat = Extract<FormatName, "anthropic-messages" | "openai-chat" | "openai-responses" | "gemini">;

/** A request to one of the four APIs: an answer of the model, the provider's own compaction, or a token count. */
export interface ProviderCall {
  readonly format: ServedFormat;
  readonly kind: "answer" | "compact" | "count";
  readonly model: string;
  readonly isStream: boolean;
  /** True where Gemini's stream is asked for as one JSON array instead of events. */
  readonly isArray: boolean;
  readonly headers: IncomingHttpHeaders;
  /** As it was sent. */
  readonly body: JsonObject;
}

/** What the model is given to answer. */
export interface ModelRequest extends ProviderCall {
  /** What the model reads: without what the provider cleared, dropped or compacted, with stored items put in. */
  readonly conversation: Conversation;
  /** What the model reads in the provider's own compaction items, some of which only the provider can open. */
  readonly summaries: readonly string[];
  readonly inputTokens: number;
  /** How many answers the server has delivered before, so that a retry of a failed call gets the same number again. */
  readonly index: number;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
}

export interface ToolCall {
  readonly name: string;
  readonly input: JsonObject;
  /** Default: the next id of the server. */
  readonly id?: string;
}

/** What the model says; a text stands for `{ text }`. */
export interface ScriptedReply {
  readonly reasoning?: string;
  readonly text?: string;
  readonly toolCalls?: readonly ToolCall[];
  /** Default: `tool-calls` where there are calls, otherwise `end`. */
  readonly stop?: ScriptedStop;
}

export type ScriptedStop = "end" | "tool-calls" | "output-limit" | "window-full" | "refusal";

/** An HTTP error in no provider's form yet. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  /** OpenAI's `code`, Anthropic's `details.error_code`. */
  readonly code?: string;
  /** OpenAI's `param`. */
  readonly param?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What an API made of a call that it accepts. */
export interface Reading {
  readonly conversation: Conversation;
  readonly summaries: readonly string[];
  /** Tokens of the input from which on the provider compacts by itself. */
  readonly compactAtTokens?: number;
  /** Whether the answer ends behind that compaction. */
  readonly pausesAfterCompaction?: boolean;
  /** What the prompt cache tells apart besides system prompt, tools and messages. */
  readonly cacheSeed?: string;
  readonly cacheKey?: string;
  /** Whether the whole input is to be cached without a mark. */
  readonly marksEnd?: boolean;
  /** What the API itself wants to know again when it writes the answer. */
  readonly notes?: JsonObject;
  /** The request without the provider's editing, for a count that tells both. */
  readonly unedited?: Conversation;
}

export interface AnswerUsage {
  /** All of the input, cached parts included. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** The part of the written tokens that is kept for an hour. */
  readonly cacheWriteLongTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
}

/** What is to be written as an answer. */
export interface Answer {
  readonly call: ProviderCall;
  readonly reading: Reading;
  /** Absent where the call was for a compaction only. */
  readonly reply?: ScriptedReply;
  readonly usage: AnswerUsage;
  readonly compaction?: { readonly summary: string; readonly usage: AnswerUsage };
}

export interface WrittenAnswer {
  readonly whole: JsonObject;
  /** Of a stream; `name` is the line `event:` where the provider writes one. */
  readonly events: readonly StreamEvent[];
}

export interface StreamEvent {
  readonly name?: string;
  readonly data: JsonValue;
}

/** What lives as long as the server. */
export interface ServerMemory {
  /** `msg_1`, `msg_2`, … */
  nextId(prefix: string): string;
  counterOf(call: ProviderCall): TokenCounter;
  /** Seconds, as the providers state them. */
  nowSeconds(): number;
  /** Responses that were stored, each as the whole list of items that it ended with. */
  readonly storedResponses: Map<string, readonly JsonValue[]>;
  readonly storedItems: Map<string, JsonObject>;
  /** Which reasoning item each item of an answer came from. */
  readonly reasoningOf: Map<string, string>;
}

export interface ProviderApi {
  read(call: ProviderCall, memory: ServerMemory): Reading | Refusal;
  /** The conversation that the model reads behind a compaction of the provider's own. */
  compacted(reading: Reading, summary: string): Conversation;
  write(answer: Answer, memory: ServerMemory): WrittenAnswer;
  /** The answer to a call for a count. */
  writeCount(inputTokens: number, uneditedTokens: number | undefined): JsonObject;
  writeError(refusal: Refusal): JsonObject;
  /** An error in a stream that has begun, before any content. */
  errorEvents(refusal: Refusal, call: ProviderCall, memory: ServerMemory): readonly StreamEvent[];
  /** Undefined for what fits; some models want room for the answer too. */
  overflow(call: ProviderCall, inputTokens: number, windowTokens: number): Refusal | undefined;
  /** What it says when something goes wrong that has nothing to do with the conversation. */
  readonly failures: Readonly<Record<FailureName, Refusal>>;
  unknownModel(model: string): Refusal;
  readonly cachePolicy: (model: string) => CachePolicy;
  /** What the provider's stream ends with; undefined where it just ends. */
  readonly streamEnd?: string;
}

export type FailureName = "rate-limit" | "server-error" | "overloaded" | "body-too-large" | "invalid-json";

export function isRefusal(value: object): value is Refusal {
  return "status" in value && "message" in value;
}

/** A provider names the first thing that is wrong, and nothing else. */
export function refusalOf([violation]: readonly Violation[]): Refusal | undefined {
  if (violation === undefined) return undefined;
  const { rule, message, path } = violation;
  // Of some refusals Anthropic's code is all that is known.
  const code = /^compaction_\w+$/.test(message) ? message : undefined;
  return { status: rule === "item-not-found" ? 404 : 400, message, param: path, ...(code !== undefined && { code }) };
}

/** Pieces as a stream brings a text in; none cuts a character in two. */
export function textPieces(text: string): readonly string[] {
  return text.match(/.{1,40}/gsu) ?? [];
}
