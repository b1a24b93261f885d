/** Every string a conversation holds for a reader: texts, results, arguments, names. Never reasoning, never binary data. */

import type { SummaryInput } from "../core/checkpoint/summary.ts";
import { isArray, isObject, type JsonValue } from "../core/json.ts";
import type { Message, OpaquePart, Part } from "../core/message.ts";

/** What a summary may draw on. */
export function groundOf({ messages, turnPrefix, kept, previous, instructions }: SummaryInput): readonly string[] {
  const others = [previous?.text, instructions].filter((text) => text !== undefined);
  return [...sourceTexts(messages), ...sourceTexts(turnPrefix), ...sourceTexts(kept), ...others];
}

export function sourceTexts(messages: readonly Message[]): readonly string[] {
  const texts: string[] = [];
  for (const message of messages) for (const part of message.parts) addPart(part, texts);
  return texts;
}

const JSON_DEPTH_MAX = 32;

function addPart(part: Part, texts: string[]): void {
  switch (part.type) {
    case "text":
      texts.push(part.text);
      return;
    case "tool-call":
      texts.push(part.name);
      addJson(part.input, texts, 0);
      return;
    case "tool-result":
      for (const inner of part.content) addPart(inner, texts);
      return;
    case "media":
      if (part.name !== undefined) texts.push(part.name);
      if (part.source.type === "text") texts.push(part.source.text);
      if (part.source.type === "url" && !part.source.url.startsWith("data:")) texts.push(part.source.url);
      return;
    case "opaque":
      texts.push(...opaqueTexts(part));
      return;
    case "reasoning":
      return;
    default:
      part satisfies never;
  }
}

function addJson(value: JsonValue, texts: string[], depth: number): void {
  if (typeof value === "string") texts.push(value);
  else if (typeof value === "number") texts.push(String(value));
  else if (depth > JSON_DEPTH_MAX) return;
  else if (isArray(value)) for (const item of value) addJson(item, texts, depth + 1);
  else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      texts.push(key);
      if (item !== undefined) addJson(item, texts, depth + 1);
    }
  }
}

const READABLE: ReadonlySet<string> = new Set([
  "title",
  "url",
  "uri",
  "source",
  "query",
  "queries",
  "code",
  "text",
  "content",
  "output",
  "stdout",
  "stderr",
  "logs",
  "error_code",
]);

/** Kinds of which only the provider can read anything, whatever their fields are called. */
const CLOSED: ReadonlySet<string> = new Set(["compaction", "reasoning", "thinking", "redacted_thinking"]);

const DEPTH_MAX = 8;

/** One string after the other, in the order of the fields. */
export function opaqueTexts({ kind, wire }: OpaquePart): readonly string[] {
  const texts: string[] = [];
  if (!CLOSED.has(kind)) addTexts(wire, { isReadable: false, depth: 0 }, texts);
  return texts;
}

interface Place {
  /** Strings that stand here are words. */
  readonly isReadable: boolean;
  readonly depth: number;
}

function addTexts(value: JsonValue | undefined, { isReadable, depth }: Place, texts: string[]): void {
  if (typeof value === "string") {
    if (isReadable && value.trim() !== "") texts.push(value);
  } else if (depth > DEPTH_MAX) return;
  else if (isArray(value)) for (const item of value) addTexts(item, { isReadable, depth: depth + 1 }, texts);
  else if (isObject(value)) {
    // The same field holds a fetched page as text, and a fetched file as base64.
    const isTextSource = value.type === "text";
    for (const [key, item] of Object.entries(value)) {
      const isWords = READABLE.has(key) || (isTextSource && key === "data");
      addTexts(item, { isReadable: isWords, depth: depth + 1 }, texts);
    }
  }
}
