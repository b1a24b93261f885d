/**
 * The canonical conversation: exactly one `Message` per wire message or item. Each keeps its wire form, so that an
 * untouched message encodes to the very same JSON. Knows no provider; nothing here is ever mutated.
 */

import type { FormatName } from "./format-rules.ts";
import { isArray, isObject, type JsonObject, type JsonValue } from "./json.ts";

export type { FormatName };

/** The provider's role (`developer` is `system`, `model` is `assistant`); structure never decides by role alone. */
export type Role = "system" | "user" | "assistant" | "tool";

export interface Conversation {
  readonly format: FormatName;
  /** The system prompt outside the message list. Chat has none: its system messages are messages. */
  readonly system: readonly Part[];
  /** Tool definitions, unchanged. */
  readonly tools: JsonValue | undefined;
  readonly messages: readonly Message[];
  /** The decoded body; absent for a conversation made from scratch. */
  readonly wire?: ConversationWire;
}

/** The body (or bare list) of a conversation, and what was decoded from it, to detect changes since. */
export interface ConversationWire {
  readonly json: JsonValue;
  readonly system: readonly Part[];
  readonly messages: readonly Message[];
}

export interface Message {
  /** Unique within its conversation. */
  readonly id: string;
  readonly role: Role;
  readonly parts: readonly Part[];
  readonly pinned?: boolean;
  /** Absent on a message of our own. */
  readonly wire?: MessageWire;
}

/** The wire message, and the role and parts decoded from it: an edit replaces `parts` or `role`, never `wire`. */
export interface MessageWire {
  readonly json: JsonValue;
  readonly role: Role;
  readonly parts: readonly Part[];
}

export type Part = TextPart | MediaPart | ToolCallPart | ToolResultPart | ReasoningPart | OpaquePart;

/**
 * Every part may keep its wire block. An edit spreads the part and changes a field; encoding lays the canonical fields
 * over the block, so unknown fields (`cache_control`, `citations`, …) stay where they were.
 */
interface PartBase {
  readonly wire?: JsonObject;
}

export interface TextPart extends PartBase {
  readonly type: "text";
  readonly text: string;
  /** Gemini signs any part. */
  readonly signature?: string;
}

export interface MediaPart extends PartBase {
  readonly type: "media";
  readonly kind: "image" | "document" | "audio" | "video";
  readonly mediaType?: string;
  readonly source: MediaSource;
  /** A document's title or file name. */
  readonly name?: string;
}

export type MediaSource =
  | { readonly type: "base64"; readonly data: string }
  | { readonly type: "url"; readonly url: string }
  | { readonly type: "file"; readonly fileId: string }
  | { readonly type: "text"; readonly text: string };

export interface ToolCallPart extends PartBase {
  readonly type: "tool-call";
  /** Gemini's calls may have none: they pair by name and order. */
  readonly callId?: string;
  readonly name: string;
  /** Parsed arguments; the raw string when it is not valid JSON or the tool takes free text. */
  readonly input: JsonValue;
  readonly signature?: string;
  /** Run by the provider: its result is among the assistant's own parts, and the client returns none. */
  readonly server?: true;
}

export interface ToolResultPart extends PartBase {
  readonly type: "tool-result";
  readonly callId?: string;
  /** Present where the format repeats it (Gemini). */
  readonly name?: string;
  /** Text, media or opaque parts; never a call or a result. */
  readonly content: readonly Part[];
  readonly isError: boolean;
  readonly server?: true;
}

export interface ReasoningPart extends PartBase {
  readonly type: "reasoning";
  /** Readable reasoning or its summary; empty when the provider withholds it. */
  readonly text: string;
  readonly signature?: string;
  /** Redacted or encrypted reasoning that only the provider can read. */
  readonly encrypted?: string;
}

/** A part that we do not interpret: kept unchanged at its position. */
export interface OpaquePart extends PartBase {
  readonly type: "opaque";
  /** The wire's name for it. */
  readonly kind: string;
  readonly wire: JsonObject;
}

/** True when the message still says exactly what its wire form says. */
export function isUntouched(message: Message): message is Message & { readonly wire: MessageWire } {
  const { wire } = message;
  return wire !== undefined && wire.parts === message.parts && wire.role === message.role;
}

/** A system message without text that controls later messages by a field of its own (Anthropic's `output_config`). It is not blank. */
export function isControlMessage({ role, parts, wire }: Message): boolean {
  if (role !== "system" || wire === undefined) return false;
  const { json } = wire;
  if (typeof json !== "object" || json === null || Array.isArray(json)) return false;
  const isMute = parts.every((part) => part.type === "text" && part.text.trim() === "");
  return isMute && Object.keys(json).some((key) => !SAYING.has(key));
}

const SAYING: ReadonlySet<string> = new Set(["role", "content", "type", "name", "id"]);

export function text(value: string): TextPart {
  return { type: "text", text: value };
}

/** Characters of a message's texts and of the values of its calls' arguments, without their names. */
export function charsOf({ parts }: Message): number {
  const said = textsOf(parts).reduce((sum, text) => sum + text.length, 0);
  return parts.reduce((sum, part) => sum + (part.type === "tool-call" ? leafChars(part.input) : 0), said);
}

function leafChars(value: JsonValue | undefined): number {
  if (isArray(value)) return value.reduce((sum: number, item) => sum + leafChars(item), 0);
  if (isObject(value)) return Object.values(value).reduce((sum: number, item) => sum + leafChars(item), 0);
  return value === undefined || value === null ? 0 : String(value).length;
}

/** All readable text of a message, in order: texts, reasoning, and the texts inside tool results. */
export function textsOf(parts: readonly Part[]): readonly string[] {
  return parts.flatMap((part) => {
    if (part.type === "text" || part.type === "reasoning") return part.text === "" ? [] : [part.text];
    if (part.type === "tool-result") return textsOf(part.content);
    if (part.type === "media" && part.source.type === "text") return [part.source.text];
    return [];
  });
}
