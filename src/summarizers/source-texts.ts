/** The readable strings of a conversation: texts, results, arguments, names. Never reasoning or binary data. */

import type { SummaryInput } from "../core/checkpoint/summary.ts";
import { isArray, isObject, type JsonValue } from "../core/json.ts";
import type { Message, OpaquePart, Part } from "../core/message.ts";

/** Everything that a summary may use. */
export function groundOf({
  messages,
  turnPrefix,
  kept,
  cut = [],
  previous,
  instructions,
}: SummaryInput): readonly string[] {
  const others = [previous?.text, instructions].filter((text) => text !== undefined);
  return [...sourceTexts(messages), ...sourceTexts(turnPrefix), ...sourceTexts(kept), ...sourceTexts(cut), ...others];
}

export function sourceTexts(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ parts }) => parts.flatMap(textsOfPart));
}

function textsOfPart(part: Part): readonly string[] {
  switch (part.type) {
    case "text":
      return [part.text];
    case "tool-call":
      return [part.name, ...stringsIn(part.input)];
    case "tool-result":
      return part.content.flatMap(textsOfPart);
    case "media": {
      const { name, source } = part;
      const isShown = source.type === "url" && !source.url.startsWith("data:");
      return [name, source.type === "text" ? source.text : isShown ? source.url : undefined].filter(
        (text) => text !== undefined,
      );
    }
    case "opaque":
      return opaqueTexts(part);
    case "reasoning":
      return [];
    default:
      return part satisfies never;
  }
}

const JSON_DEPTH_MAX = 32;

/** Strings, numbers and keys, in order. */
function stringsIn(value: JsonValue | undefined, depth = 0): readonly string[] {
  if (typeof value === "string" || typeof value === "number") return [String(value)];
  if (depth > JSON_DEPTH_MAX) return [];
  if (isArray(value)) return value.flatMap((item) => stringsIn(item, depth + 1));
  return isObject(value) ? Object.entries(value).flatMap(([key, item]) => [key, ...stringsIn(item, depth + 1)]) : [];
}

/** Fields of opaque parts that hold words. */
const READABLE: ReadonlySet<string> = new Set(
  "title url uri source query queries code text content output stdout stderr logs error_code".split(" "),
);

/** Kinds that only the provider can read, whatever their fields are called. */
const CLOSED: ReadonlySet<string> = new Set(["compaction", "reasoning", "thinking", "redacted_thinking"]);

const DEPTH_MAX = 8;

/** Readable strings, in the order of the fields. */
export function opaqueTexts({ kind, wire }: OpaquePart): readonly string[] {
  return CLOSED.has(kind) ? [] : readableIn(wire, false, 0);
}

function readableIn(value: JsonValue | undefined, isReadable: boolean, depth: number): readonly string[] {
  if (typeof value === "string") return isReadable && value.trim() !== "" ? [value] : [];
  if (depth > DEPTH_MAX) return [];
  if (isArray(value)) return value.flatMap((item) => readableIn(item, isReadable, depth + 1));
  if (!isObject(value)) return [];
  // The same field holds a fetched page as text, and a fetched file as base64.
  const isTextSource = value.type === "text";
  return Object.entries(value).flatMap(([key, item]) =>
    readableIn(item, READABLE.has(key) || (isTextSource && key === "data"), depth + 1),
  );
}
