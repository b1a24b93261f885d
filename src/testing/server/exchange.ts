/**
 * One call to a model, from the decoded body to what is to be sent back: read it as the provider does, count it, look it up in the prompt
 * cache, refuse what is over the window, have the test's reply, write it in the provider's form. Opens no socket.
 */

import { isObject, type JsonObject } from "../../core/json.ts";
import type { Conversation } from "../../core/message.ts";
import type { TokenCounter } from "../../core/tokens/tokens.ts";
import { messagesApi } from "./anthropic/messages-api.ts";
import { geminiApi } from "./gemini-api.ts";
import { chatApi } from "./openai/chat-api.ts";
import { responsesApi } from "./openai/responses-api.ts";
import { endsWithTrigger } from "./openai/responses-input.ts";
import { type CacheUse, type PromptCache, tokensOf, type Unit, unitsOf } from "./prompt-cache.ts";
import {
  type AnswerUsage,
  isRefusal,
  type ModelRequest,
  type ProviderApi,
  type ProviderCall,
  type Reading,
  type Refusal,
  type ScriptedReply,
  type ServedFormat,
  type ServerMemory,
  type WrittenAnswer,
} from "./provider-api.ts";

export const PROVIDER_APIS: Readonly<Record<ServedFormat, ProviderApi>> = {
  "anthropic-messages": messagesApi,
  "openai-chat": chatApi,
  "openai-responses": responsesApi,
  gemini: geminiApi,
};

/** How the server shows that the window is full: by its status, as an error inside a stream that began well, or not at all. */
export type OverflowMode = "status" | "stream" | "truncate";

export interface Exchange {
  readonly memory: ServerMemory;
  readonly cache: PromptCache;
  /** Undefined for a model that the server does not have. */
  windowOf(model: string): number | undefined;
  /** Of this request alone, given its size. */
  windowNow?(inputTokens: number): number;
  readonly overflow: OverflowMode;
  reply(request: ModelRequest): Promise<ScriptedReply>;
  summarize(request: ModelRequest): string;
  readonly index: number;
  readonly signal: AbortSignal;
}

export type Outcome =
  | { readonly type: "answered"; readonly answer: WrittenAnswer }
  | { readonly type: "refused"; readonly refusal: Refusal; readonly inStream: boolean };

export async function answerCall(call: ProviderCall, exchange: Exchange): Promise<Outcome> {
  const { memory, cache } = exchange;
  const api = PROVIDER_APIS[call.format];
  const modelTokens = exchange.windowOf(call.model);
  if (modelTokens === undefined) return refused(api.unknownModel(call.model));
  const reading = api.read(call, memory);
  if (isRefusal(reading)) return refused(reading);
  const counter = memory.counterOf(call);
  const units = withEndMarked(unitsOf(reading.conversation, counter, reading.cacheSeed), reading);
  const inputTokens = tokensOf(units);
  if (call.kind === "count") return answered(count(api, reading, { inputTokens, counter }));
  const windowTokens = exchange.windowNow?.(inputTokens) ?? modelTokens;
  const overflow = api.overflow(call, inputTokens, windowTokens);
  if (overflow !== undefined && exchange.overflow !== "truncate") {
    return refused(overflow, exchange.overflow === "stream" && call.isStream);
  }
  const policy = api.cachePolicy(call.model);
  const use = cache.use(`${call.format} ${call.model} ${reading.cacheKey ?? ""}`, units, policy);
  const input = { ...usageOf(inputTokens, use), ...(!policy.reportsWrites && { cacheWriteTokens: 0 }) };
  if (overflow !== undefined) {
    const shortened = truncated(reading, counter, windowTokens);
    return reply(call, exchange, { reading: shortened.reading, input: usageOf(shortened.tokens) });
  }
  const compacts = call.kind === "compact" || inputTokens >= (reading.compactAtTokens ?? Number.POSITIVE_INFINITY);
  return compacts ? compact(call, exchange, { reading, input }) : reply(call, exchange, { reading, input });
}

function refused(refusal: Refusal, inStream = false): Outcome {
  return { type: "refused", refusal, inStream };
}

function answered(answer: WrittenAnswer): Outcome {
  return { type: "answered", answer };
}

/** A mark beside the conversation stands for one on its end. */
function withEndMarked(units: readonly Unit[], { marksEnd }: Reading): readonly Unit[] {
  if (marksEnd !== true) return units;
  return units.map((unit, index) => (index === units.length - 1 ? { ...unit, mark: unit.mark ?? "short" } : unit));
}

interface Counted {
  readonly inputTokens: number;
  readonly counter: TokenCounter;
}

function count(api: ProviderApi, { unedited }: Reading, { inputTokens, counter }: Counted): WrittenAnswer {
  const before = unedited === undefined ? undefined : tokensOf(unitsOf(unedited, counter));
  return { whole: api.writeCount(inputTokens, before), events: [] };
}

function usageOf(inputTokens: number, use?: CacheUse): AnswerUsage {
  return {
    inputTokens,
    cacheReadTokens: use?.readTokens ?? 0,
    cacheWriteTokens: use?.writtenTokens ?? 0,
    cacheWriteLongTokens: use?.writtenLongTokens ?? 0,
    outputTokens: 0,
    reasoningTokens: 0,
  };
}

/** What some servers make of a list that is too long: its newest messages, and no word about the others. */
function truncated(reading: Reading, counter: TokenCounter, windowTokens: number) {
  let { messages } = reading.conversation;
  const tokensNow = (): number => tokensOf(unitsOf({ ...reading.conversation, messages }, counter));
  let tokens = tokensNow();
  while (tokens > windowTokens && messages.length > 1) {
    messages = messages.slice(Math.ceil(messages.length / 8));
    tokens = tokensNow();
  }
  const conversation: Conversation = { ...reading.conversation, messages };
  return { reading: { ...reading, conversation }, tokens: Math.min(tokens, windowTokens) };
}

interface Prompt {
  readonly reading: Reading;
  readonly input: AnswerUsage;
}

/** The provider's own compaction: the whole answer, or what an answer begins with. */
async function compact(call: ProviderCall, exchange: Exchange, { reading, input }: Prompt): Promise<Outcome> {
  const api = PROVIDER_APIS[call.format];
  const counter = exchange.memory.counterOf(call);
  const summary = exchange.summarize(requestOf(call, exchange, { reading, input }));
  const compaction = { summary, usage: { ...input, outputTokens: counter.countText(summary) } };
  if (call.kind === "compact" || reading.pausesAfterCompaction === true) {
    return answered(api.write({ call, reading, usage: input, compaction }, exchange.memory));
  }
  // The model then goes on with all of it.
  if (summary === "") return reply(call, exchange, { reading, input, compaction });
  const conversation = api.compacted(reading, summary);
  const next = { ...reading, conversation, summaries: [summary] };
  const tokens = tokensOf(unitsOf(conversation, counter));
  return reply(call, exchange, { reading: next, input: usageOf(tokens), compaction });
}

interface ReplyPrompt extends Prompt {
  readonly compaction?: { readonly summary: string; readonly usage: AnswerUsage };
}

async function reply(call: ProviderCall, exchange: Exchange, prompt: ReplyPrompt): Promise<Outcome> {
  const { reading, input, compaction } = prompt;
  const given = await exchange.reply(requestOf(call, exchange, prompt));
  const said: ScriptedReply = { ...given, stop: given.stop ?? (given.toolCalls?.length ? "tool-calls" : "end") };
  const usage = { ...input, ...outputOf(said, exchange.memory.counterOf(call)) };
  const written = { call, reading, reply: said, usage, ...(compaction !== undefined && { compaction }) };
  return answered(PROVIDER_APIS[call.format].write(written, exchange.memory));
}

function requestOf(call: ProviderCall, { index, signal }: Exchange, { reading, input }: Prompt): ModelRequest {
  const { conversation, summaries } = reading;
  return { ...call, conversation, summaries, inputTokens: input.inputTokens, index, signal };
}

function outputOf({ reasoning, text, toolCalls = [] }: ScriptedReply, counter: TokenCounter) {
  const reasoningTokens = counter.countText(reasoning ?? "");
  const calls = toolCalls.reduce((sum, { name, input }) => sum + counter.countText(name) + counter.countJson(input), 0);
  return { reasoningTokens, outputTokens: reasoningTokens + counter.countText(text ?? "") + calls };
}

/** Which API a path belongs to, whatever a gateway puts before it; undefined for what is none of them. */
export function routeOf(
  path: string,
): (Pick<ProviderCall, "format" | "kind"> & { readonly model?: string }) | undefined {
  const route = ROUTES.find(({ pattern }) => pattern.test(path));
  if (route === undefined) return undefined;
  const { pattern, format, kind } = route;
  const model = pattern.exec(path)?.groups?.model;
  return { format, kind, ...(model !== undefined && { model }) };
}

const ROUTES: readonly (Pick<ProviderCall, "format" | "kind"> & { readonly pattern: RegExp })[] = [
  { pattern: /\/messages$/, format: "anthropic-messages", kind: "answer" },
  { pattern: /\/messages\/count_tokens$/, format: "anthropic-messages", kind: "count" },
  { pattern: /\/chat\/completions$/, format: "openai-chat", kind: "answer" },
  { pattern: /\/responses$/, format: "openai-responses", kind: "answer" },
  { pattern: /\/responses\/compact$/, format: "openai-responses", kind: "compact" },
  { pattern: /\/responses\/input_tokens$/, format: "openai-responses", kind: "count" },
  { pattern: /\/models\/(?<model>[^/:]+):(?:g|streamG)enerateContent$/, format: "gemini", kind: "answer" },
  { pattern: /\/models\/(?<model>[^/:]+):countTokens$/, format: "gemini", kind: "count" },
];

/** Some compactions are asked for in the body of an ordinary request. */
export function asksForCompaction(format: ServedFormat, body: JsonObject): boolean {
  if (format === "anthropic-messages") return isObject(body.compaction);
  return format === "openai-responses" && endsWithTrigger(body);
}
