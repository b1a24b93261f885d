/**
 * Takes out of an opaque block what is not text to the model: ciphertext, data URLs, media bytes. What is left is
 * counted as text. Never mutates; copies structure, never strings.
 */

import { isArray, isObject, type JsonObject, type JsonValue, stringOf } from "../json.ts";
import type { MediaPart } from "../message.ts";
import type { CountMedia } from "./media-tokens.ts";

export interface WithoutBlobs {
  readonly rest: JsonValue;
  readonly blobTokens: number;
}

/** Tokens of the text that ciphertext of a length hides. */
export type CountCipher = (lengthChars: number) => number;

export interface CountBlobs {
  readonly countMedia: CountMedia;
  readonly countCipher: CountCipher;
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

export function withoutBlobs(value: JsonObject, count: CountBlobs): WithoutBlobs {
  let blobTokens = 0;
  const visit = (item: JsonValue, key: string, depth: number): JsonValue => {
    if (typeof item === "string") {
      const tokens = stringBlobTokens(item, key, count);
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
  return { rest: visit(value, "", 0), blobTokens };
}

/** Undefined when the string is text. */
function stringBlobTokens(value: string, key: string, { countMedia, countCipher }: CountBlobs): number | undefined {
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
  const family = stringOf(head[1]) ?? "";
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
