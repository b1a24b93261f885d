/**
 * What can be read of content that no format decodes: found pages, output of the provider's own tools, code that it ran. Only
 * fields that are known to be words; never ids, signatures, encrypted or binary data. Pure.
 */

import { isArray, isObject, type JsonValue } from "../core/json.ts";
import type { OpaquePart } from "../core/message.ts";

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
