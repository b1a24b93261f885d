/** Binary content in a wire message: its place, and the message without and with it, as the very same JSON. */

import { isArray, isObject, type JsonValue } from "../json.ts";
import type { OpaquePart, Part } from "../message.ts";

export type JsonPath = readonly (string | number)[];

export interface Attachment {
  /** Keys and indexes that lead from the message to a string. */
  readonly path: JsonPath;
  /** The text before the data in that string: empty, or the head of a data URL. */
  readonly prefix: string;
  /** Canonical base64. */
  readonly data: string;
}

/** Below this many characters a reference would hardly be shorter. */
const DATA_CHARACTERS_MIN = 1_024;

export function attachmentsIn(body: JsonValue, parts: readonly Part[]): readonly Attachment[] {
  const data = new Set(base64In(parts));
  if (data.size === 0) return [];
  return stringsIn(body).filter((each) => data.has(each.data));
}

/** Every string of a message, in the form of an attachment. */
export function stringsIn(value: JsonValue | undefined, path: JsonPath = []): readonly Attachment[] {
  if (typeof value === "string") {
    const comma = value.startsWith("data:") ? value.indexOf(",") : -1;
    return [{ path, prefix: value.slice(0, comma + 1), data: value.slice(comma + 1) }];
  }
  if (isArray(value)) return value.flatMap((element, index) => stringsIn(element, [...path, index]));
  return isObject(value) ? Object.entries(value).flatMap(([key, each]) => stringsIn(each, [...path, key])) : [];
}

/** The same message with these strings at those places. */
export function withStrings(
  body: JsonValue,
  places: readonly { readonly path: JsonPath; readonly value: string }[],
): JsonValue {
  return places.reduce((changed, { path, value }) => replaceAt(changed, path, value), body);
}

/** The same message with empty strings at those places. */
export function withoutStrings(body: JsonValue, places: readonly { readonly path: JsonPath }[]): JsonValue {
  return places.reduce((changed, { path }) => replaceAt(changed, path, ""), body);
}

function base64In(parts: readonly Part[]): readonly string[] {
  return parts.flatMap((part): readonly string[] => {
    if (part.type === "tool-result") return base64In(part.content);
    const data = part.type === "opaque" ? madeBy(part) : mediaOf(part);
    return data !== undefined && data.length >= DATA_CHARACTERS_MIN && isCanonical(data) ? [data] : [];
  });
}

function mediaOf(part: Part): string | undefined {
  return part.type === "media" && part.source.type === "base64" ? part.source.data : undefined;
}

/** The places of a model's own images and speech, by the kind of an otherwise opaque block. */
const MADE_MEDIA: ReadonlyMap<string, readonly string[]> = new Map([
  ["image_generation_call", ["result"]],
  ["audio", ["audio", "data"]],
]);

function madeBy({ kind, wire }: OpaquePart): string | undefined {
  let value: JsonValue | undefined = wire;
  const path = MADE_MEDIA.get(kind);
  for (const key of path ?? []) value = isObject(value) ? value[key] : undefined;
  return path !== undefined && typeof value === "string" ? value : undefined;
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Whether the bytes alone give the same text again: no line breaks, no URL alphabet, padded, no stray bits in the last group. */
function isCanonical(data: string): boolean {
  if (data.length % 4 !== 0 || !BASE64.test(data)) return false;
  if (data.endsWith("==")) return "AQgw".includes(data.at(-3) ?? "");
  return !data.endsWith("=") || "AEIMQUYcgkosw048".includes(data.at(-2) ?? "");
}

function replaceAt(value: JsonValue, path: JsonPath, replacement: string): JsonValue {
  const [key, ...rest] = path;
  if (key === undefined) return replacement;
  if (isArray(value) && typeof key === "number") {
    return value.map((element, index) => (index === key ? replaceAt(element, rest, replacement) : element));
  }
  if (!isObject(value)) return value;
  // Spreading keeps the order of the keys.
  return { ...value, [key]: replaceAt(value[key] ?? null, rest, replacement) };
}
