/**
 * How many tokens a message costs. A `TokenCounter` is one walk over a message's parts around one way to count text, so the
 * default estimate, an exact tokenizer and a caller's own function all agree on what is counted and what is not.
 *
 * Base64 is never counted as text: media are counted by the provider's rule, ciphertext by its size. Nothing here calls a model;
 * the ledger calibrates.
 *
 * Rounding. Some counters round each message, one rounds only the grand total. So a counter measures a message in
 * a size that adds up, and turns a sum of sizes into tokens at the end: `tokens(size(a) + size(b))` is the total of a list.
 * A ledger keeps one running sum of sizes and stays O(1) per message under every rounding rule.
 */

import { formatRules } from "../format-rules.ts";
import { isArray, isObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Conversation, FormatName, MediaPart, Message, Part, ReasoningPart } from "../message.ts";
import type { CountTokens } from "../ports.ts";
import { textFactor } from "./counted.ts";
import { estimateText } from "./estimate-text.ts";
import { type CountMedia, mediaTokens } from "./media-tokens.ts";

/** Tokens of a text; may be fractional, since the whole is rounded once. */
export type CountText = (text: string) => number;
/** Tokens of a JSON value as it would stand in a request; may be fractional. */
export type CountJson = (value: JsonValue) => number;

export interface TokenCounter {
  readonly name: string;
  /** One message in the counter's own unit; sizes add up. */
  readonly size: (message: Message) => number;
  readonly tokens: (size: number) => number;
  /** One message: `tokens(size(message))`. */
  readonly count: CountTokens;
  /** A list: `tokens` of the sum of its sizes. */
  readonly total: (messages: readonly Message[]) => number;
  /** Parts outside a message, e.g. a system prompt. No overhead for a message. */
  readonly countParts: (parts: readonly Part[]) => number;
  /** A bare text, e.g. a summary to be. */
  readonly countText: (text: string) => number;
  /** A bare JSON value. */
  readonly countJson: (value: JsonValue) => number;
  /** Tool definitions as they came, with what each provider adds around them. */
  readonly countTools: (tools: JsonValue | undefined) => number;
  /** Factor by which a decision on a chunk size allows for underestimates; 1 for none. Never part of a total. */
  readonly safetyMargin: number;
}

export interface CounterOptions extends Partial<Overhead> {
  readonly name: string;
  readonly countText: CountText;
  /** Default: `countText` of the JSON text, escapes included. */
  readonly countJson?: CountJson;
  /** The provider whose media rules and overhead apply. Default: Anthropic's media rules, the dearest for a screenshot, and the least overhead. */
  readonly format?: FormatName;
  /** Media rules and the cost of hidden text differ per model. */
  readonly model?: string;
  /** Detail of media that state none themselves: Gemini's `mediaResolution` for a whole request. */
  readonly mediaDetail?: string;
  readonly countMedia?: CountMedia;
  readonly safetyMargin?: number;
}

/** What a provider adds around the text. */
export interface Overhead {
  readonly perMessageTokens: number;
  readonly perCallTokens: number;
  readonly perResultTokens: number;
  /** For each tool definition, beyond its JSON. */
  readonly perToolTokens: number;
  /** Once, if there are any tools. */
  readonly toolsPreambleTokens: number;
}

export type EstimateOptions = Omit<CounterOptions, "name" | "countText" | "countJson">;

/**
 * The default: no dependency, linear time, within a few per cent of the o200k count (a sixth in rare languages, docs/tokens.md). For a
 * model whose tokenizer is known to count more, the estimate is that much higher.
 */
export function estimateTokens(options: EstimateOptions = {}): TokenCounter {
  const factor = textFactor(options.model);
  const countText = factor === 1 ? estimateText : (text: string): number => estimateText(text) * factor;
  return messageCounter({ ...options, name: "estimate", countText });
}

/** A counter around any way to count text, such as the exact tokenizer of `palimpsest/tokens/exact`. */
export function messageCounter(options: CounterOptions): TokenCounter {
  const walk = resolveWalk(options);
  const size = (message: Message): number => Math.round(walk.perMessageTokens + partsTokens(message.parts, walk));
  return {
    name: options.name,
    size,
    tokens: (sum) => sum,
    count: size,
    total: (messages) => sumOf(messages, size),
    countParts: (parts) => Math.round(partsTokens(parts, walk)),
    countText: rememberLast((text) => Math.round(walk.countText(text))),
    countJson: (value) => Math.round(walk.countJson(value)),
    countTools: (tools) => Math.round(toolsTokens(tools, walk)),
    safetyMargin: options.safetyMargin ?? 1,
  };
}

/** Counting a shorter text takes no longer than comparing it. */
const REMEMBERED_CHARS_MIN = 1_000;

/** Remembers the last long text: several reports ask for the size of the same summary, one after the other. */
function rememberLast(count: CountText): CountText {
  let last = "";
  let lastTokens = 0;
  return (text) => {
    if (text.length < REMEMBERED_CHARS_MIN) return count(text);
    if (text !== last) {
      lastTokens = count(text);
      last = text;
    }
    return lastTokens;
  };
}

export interface ConversationTokens {
  readonly systemTokens: number;
  readonly toolsTokens: number;
  readonly messagesTokens: number;
  readonly totalTokens: number;
}

/** Everything a request sends: system prompt, tool definitions, messages. */
export function countConversation(conversation: Conversation, counter: TokenCounter): ConversationTokens {
  const systemTokens = counter.countParts(conversation.system);
  const toolsTokens = counter.countTools(conversation.tools);
  const messagesTokens = counter.total(conversation.messages);
  return { systemTokens, toolsTokens, messagesTokens, totalTokens: systemTokens + toolsTokens + messagesTokens };
}

export function sumOf<Item>(items: readonly Item[], sizeOf: (item: Item) => number): number {
  let sum = 0;
  for (const item of items) sum += sizeOf(item);
  return sum;
}

interface Walk extends Overhead {
  readonly countText: CountText;
  readonly countJson: CountJson;
  readonly countMedia: CountMedia;
  /** Tokens of the text that ciphertext of a length hides. */
  readonly countCipher: (lengthChars: number) => number;
}

function resolveWalk(options: CounterOptions): Walk {
  const { countText, format, model, mediaDetail } = options;
  const factor = textFactor(model);
  return {
    ...formatRules(format ?? "openai-chat").overhead,
    ...options,
    countJson: options.countJson ?? ((value) => countText(JSON.stringify(value))),
    countMedia: options.countMedia ?? mediaTokens(format ?? "anthropic-messages", model, mediaDetail),
    countCipher: (lengthChars) => cipherTokens(lengthChars) * factor,
  };
}

function partsTokens(parts: readonly Part[], walk: Walk): number {
  return sumOf(parts, (part) => partTokens(part, walk));
}

function partTokens(part: Part, walk: Walk): number {
  switch (part.type) {
    case "text":
      return walk.countText(part.text);
    case "reasoning":
      return reasoningTokens(part, walk);
    case "media":
      return part.source.type === "text" ? walk.countText(part.source.text) : walk.countMedia(part);
    case "tool-call":
      return walk.perCallTokens + walk.countText(part.name) + inputTokens(part.input, walk);
    case "tool-result":
      return walk.perResultTokens + partsTokens(part.content, walk);
    case "opaque":
      return opaqueTokens(part.wire, walk);
    default:
      return part satisfies never;
  }
}

/** Free text input (and arguments that are no JSON) is sent as it is, without quotes. */
function inputTokens(input: JsonValue, walk: Walk): number {
  return typeof input === "string" ? walk.countText(input) : walk.countJson(input);
}

/** The model reads the reasoning itself: the ciphertext holds it in full, the text may only summarise it. */
function reasoningTokens(part: ReasoningPart, walk: Walk): number {
  const cipherLength = (part.encrypted ?? part.signature ?? "").length;
  return Math.max(walk.countText(part.text), walk.countCipher(cipherLength));
}

function toolsTokens(tools: JsonValue | undefined, walk: Walk): number {
  if (tools === undefined || tools === null) return 0;
  const definitions = isArray(tools) ? tools.length : 1;
  if (definitions === 0) return 0;
  return walk.toolsPreambleTokens + definitions * walk.perToolTokens + walk.countJson(tools);
}

/**
 * Ciphertext is base64 of about as many bytes as the text it hides, plus an envelope: over 17 recorded Anthropic thinking
 * blocks the signature's length is 4/3 × (bytes of the thinking) + 230, within 10 characters. OpenAI's encrypted
 * reasoning is a token of the same make. Four bytes of hidden English make a token.
 */
const ENVELOPE_BYTES = 172;
const HIDDEN_BYTES_PER_TOKEN = 4;
/** Shorter strings are ids and words, whatever their alphabet. */
const BLOB_CHARS_MIN = 512;
const MAXIMUM_DEPTH = 64;
const CIPHER_KEYS = new Set(["encrypted_content", "signature", "thoughtSignature", "thought_signature"]);
const MAGIC: readonly (readonly [string, MediaPart["kind"]])[] = [
  ["iVBORw0KGgo", "image"],
  ["/9j/", "image"],
  ["R0lGOD", "image"],
  ["UklGR", "image"],
  ["JVBERi0", "document"],
];

/** Tokens hidden in base64 ciphertext of a length. */
export function cipherTokens(lengthChars: number): number {
  return Math.max(0, (lengthChars * 3) / 4 - ENVELOPE_BYTES) / HIDDEN_BYTES_PER_TOKEN;
}

/** Counts an opaque block: ciphertext, data URLs and media bytes by their own rules, the rest as JSON. Copies structure, never strings. */
function opaqueTokens(wire: JsonObject, walk: Walk): number {
  let blobTokens = 0;
  const visit = (item: JsonValue, key: string, depth: number): JsonValue => {
    if (typeof item === "string") {
      const tokens = stringBlobTokens(item, key, walk);
      if (tokens === undefined) return item;
      blobTokens += tokens;
      return "";
    }
    if (depth >= MAXIMUM_DEPTH) return item;
    if (isArray(item)) return item.map((element) => visit(element, key, depth + 1));
    if (!isObject(item)) return item;
    return Object.fromEntries(
      Object.entries(item).map(([name, field]) => [name, field === undefined ? null : visit(field, name, depth + 1)]),
    );
  };
  const rest = visit(wire, "", 0);
  return walk.countJson(rest) + blobTokens;
}

/** Undefined when the string is text. */
function stringBlobTokens(value: string, key: string, { countMedia, countCipher }: Walk): number | undefined {
  if (CIPHER_KEYS.has(key)) return countCipher(value.length);
  if (value.startsWith("data:")) return dataUrlTokens(value, countMedia);
  if (value.length < BLOB_CHARS_MIN || !looksBase64(value)) return undefined;
  const kind = MAGIC.find(([magic]) => value.startsWith(magic))?.[1];
  if (kind === undefined) return countCipher(value.length);
  return countMedia({ type: "media", kind, source: { type: "base64", data: value } });
}

function dataUrlTokens(url: string, countMedia: CountMedia): number | undefined {
  const head = /^data:([\w.+-]+)\/([\w.+-]+)[^,]{0,100};base64,/.exec(url.slice(0, 200));
  if (head === null) return undefined;
  const [, family = ""] = head;
  const kind = family === "image" || family === "audio" || family === "video" ? family : "document";
  const mediaType = `${family}/${head[2]}`;
  return countMedia({ type: "media", kind, mediaType, source: { type: "base64", data: url.slice(head[0].length) } });
}

/** Judged by its beginning, middle and end: prose has spaces, JSON has quotes, code has both. */
function looksBase64(value: string): boolean {
  const middle = value.length >> 1;
  return [value.slice(0, 128), value.slice(middle, middle + 128), value.slice(-128)].every((sample) =>
    /^[\w+/=-]+$/.test(sample),
  );
}
