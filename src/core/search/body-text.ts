/**
 * What a person can read in a wire message of any format: text, reasoning, what tools were called with and what they answered. Never
 * ids, signatures, media types or binary data. A shape it does not know gives whatever strings it holds. Pure.
 */

import { isArray, isObject, type JsonObject, type JsonValue } from "../json.ts";

export function bodyText(body: JsonValue): string {
  const texts: string[] = [];
  collect(body, texts, "wire");
  return texts.join("\n");
}

/** Within what a tool was given or answered every key is the tool's own; elsewhere keys are the provider's. */
type Zone = "wire" | "tool";

const TOOL_KEYS: ReadonlySet<string> = new Set(["input", "arguments", "args", "response", "action"]);

/** Keys of the providers that hold no content. */
const SILENT_KEYS: ReadonlySet<string> = new Set([
  "type",
  "role",
  "id",
  "status",
  "phase",
  "detail",
  "format",
  "language",
  "citations",
  "annotations",
  "logprobs",
  "signature",
  "thoughtSignature",
  "encrypted_content",
  "encrypted_stdout",
  "cache_control",
  "cacheControl",
  "media_type",
  "mimeType",
  "mime_type",
  "caller",
]);

const ID_KEY = /(?:_id|Id|_ids|Ids)$/;

function collect(value: JsonValue | undefined, texts: string[], zone: Zone): void {
  if (typeof value === "string") {
    const readable = withoutData(value);
    if (readable.trim() !== "") texts.push(readable);
  } else if (typeof value === "number") {
    if (zone === "tool") texts.push(String(value));
  } else if (isArray(value)) {
    for (const element of value) collect(element, texts, zone);
  } else if (isObject(value)) {
    for (const [key, element] of Object.entries(value)) collectEntry(value, key, { element, texts, zone });
  }
}

function collectEntry(
  owner: JsonObject,
  key: string,
  { element, texts, zone }: { element: JsonValue | undefined; texts: string[]; zone: Zone },
): void {
  if (zone === "tool") collect(element, texts, zone);
  else if (TOOL_KEYS.has(key)) collect(argumentsIn(element), texts, "tool");
  else if (!isSilent(owner, key)) collect(element, texts, zone);
}

function isSilent(owner: JsonObject, key: string): boolean {
  if (SILENT_KEYS.has(key) || ID_KEY.test(key)) return true;
  // A picture that the model made.
  if (key === "result" && owner.type === "image_generation_call") return true;
  // A document's text stands under the same key as the bytes of an image.
  return key === "data" && owner.type !== "text";
}

/** Arguments that are JSON in a string are read as what they say, so that no escape becomes part of a word. */
function argumentsIn(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    // JSON.parse returns JSON.
    return JSON.parse(value) as JsonValue;
  } catch {
    return value;
  }
}

const DATA_URL = /data:[\w.+/;=-]{0,200};base64,[\w+/=-]*/g;

function withoutData(value: string): string {
  return value.includes(";base64,") ? value.replaceAll(DATA_URL, "") : value;
}
