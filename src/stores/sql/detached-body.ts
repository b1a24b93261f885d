/** A message body as it is stored: JSON without its binary content, and the bytes under their sha256. Put together it is the very same JSON. */

import { hash } from "node:crypto";
import { CompactionError } from "../../core/errors.ts";
import { isArray, isObject, type JsonValue, jsonText } from "../../core/json.ts";
import { type Attachment, type JsonPath, withoutStrings, withStrings } from "../../core/store/attachments.ts";
import { parsedJson } from "./cells.ts";

export interface DetachedBody {
  /** JSON, with an empty string wherever a reference stands for the data. */
  readonly body: string;
  /** JSON of the references; null where there are none. */
  readonly attachments: string | null;
  /** Each content once. */
  readonly blobs: readonly AttachmentBytes[];
}

export interface AttachmentBytes {
  readonly hash: string;
  readonly bytes: Uint8Array;
}

export function detachBody(body: JsonValue, attachments: readonly Attachment[]): DetachedBody {
  if (attachments.length === 0) return { body: jsonText(body), attachments: null, blobs: [] };
  const blobs = new Map<string, AttachmentBytes>();
  const references: Reference[] = [];
  for (const { path, prefix, data } of attachments) {
    const bytes = Buffer.from(data, "base64");
    if (stringAt(body, path) !== prefix + data || bytes.toString("base64") !== data) continue;
    const digest = hash("sha256", bytes);
    blobs.set(digest, { hash: digest, bytes });
    references.push({ path, prefix, hash: digest });
  }
  if (references.length === 0) return { body: jsonText(body), attachments: null, blobs: [] };
  const without = jsonText(withoutStrings(body, references));
  return { body: without, attachments: JSON.stringify(references), blobs: [...blobs.values()] };
}

/** `bytes` must know every hash that `hashesIn` names. */
export function attachBody(
  body: string,
  attachments: string | null,
  bytes: ReadonlyMap<string, Uint8Array>,
): JsonValue {
  const parsed = parsedJson(body, "body");
  if (attachments === null) return parsed;
  const places = referencesIn(attachments).map(({ path, prefix, hash: digest }) => {
    const found = bytes.get(digest);
    if (found === undefined) {
      const message = `The attachment ${digest} of a stored message is missing. Nothing was changed; examine the store.`;
      throw new CompactionError("storage", message);
    }
    const buffer = Buffer.from(found.buffer, found.byteOffset, found.byteLength);
    return { path, value: prefix + buffer.toString("base64") };
  });
  return withStrings(parsed, places);
}

/** The contents that these stored references need, each once. */
export function hashesIn(attachments: Iterable<string | null>): readonly string[] {
  const hashes = new Set<string>();
  for (const text of attachments) {
    if (text === null) continue;
    for (const { hash: digest } of referencesIn(text)) hashes.add(digest);
  }
  return [...hashes];
}

interface Reference {
  readonly path: JsonPath;
  readonly prefix: string;
  readonly hash: string;
}

function referencesIn(attachments: string): readonly Reference[] {
  const parsed = parsedJson(attachments, "attachments");
  if (!isArray(parsed)) return [];
  return parsed.flatMap((reference): readonly Reference[] => {
    if (!isObject(reference)) return [];
    const { path, prefix, hash: digest } = reference;
    if (!isArray(path) || typeof prefix !== "string" || typeof digest !== "string") return [];
    return [{ path: path.filter(isStep), prefix, hash: digest }];
  });
}

function isStep(step: JsonValue): step is string | number {
  return typeof step === "string" || typeof step === "number";
}

function stringAt(body: JsonValue, path: JsonPath): string | undefined {
  let value: JsonValue | undefined = body;
  for (const step of path) {
    if (isArray(value) && typeof step === "number") value = value[step];
    else if (isObject(value) && typeof step === "string" && Object.hasOwn(value, step)) value = value[step];
    else return undefined;
  }
  return typeof value === "string" ? value : undefined;
}
