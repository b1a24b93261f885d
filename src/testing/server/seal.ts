/**
 * Values that only the server can make and that it knows again: signatures and ciphertext. They carry what they stand for and a digest
 * of it, so the server has to remember none of them. No cryptography: whoever reads this file can forge one.
 */

import { createHash } from "node:crypto";
import { isArray, isObject, type JsonObject } from "../../core/json.ts";

export type SealKind = "thinking" | "summary" | "reasoning" | "thought";

export function seal(kind: SealKind, data: JsonObject): string {
  return Buffer.from(JSON.stringify([kind, data, digestOf(kind, JSON.stringify(data))])).toString("base64");
}

/** What was sealed; undefined for what this server did not make. */
export function unseal(kind: SealKind, text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined;
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(text, "base64").toString("utf8"));
  } catch {
    return undefined; // It is somebody else's.
  }
  if (!isArray(json)) return undefined;
  const [found, data, digest] = json;
  if (found !== kind || !isObject(data) || digest !== digestOf(kind, JSON.stringify(data))) return undefined;
  return data;
}

/** Short, so that what carries it does not count as hidden text. */
const DIGEST_CHARS = 16;

export function digestOf(...texts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(text).update("\0");
  return hash.digest("base64url").slice(0, DIGEST_CHARS);
}
