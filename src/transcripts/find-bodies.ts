/**
 * Finds request bodies and message lists inside a JSON value, however a recorder wrapped them: the nearest level that
 * holds any wins. Hands out the parsed objects themselves, untouched.
 */

import { isArray, isObject, type JsonArray, type JsonObject, type JsonValue } from "../core/json.ts";
import { isMessageList, listOf } from "./detect-format.ts";

export interface FoundBody {
  readonly body: JsonObject | JsonArray;
  /** Keys and indexes that lead to it. */
  readonly path: readonly string[];
  /** Objects around it, innermost first, the body itself included where it is one. */
  readonly around: readonly JsonObject[];
}

/** Deep enough for log, entries, entry, request, body, text; no deeper, so that tool output is not searched for prompts. */
const WRAPPING_MAX = 6;

export function findBodies(root: JsonValue): readonly FoundBody[] {
  let level: readonly Place[] = [{ value: root, path: [], around: [] }];
  for (let depth = 0; depth <= WRAPPING_MAX && level.length > 0; depth += 1) {
    const found = level.flatMap(bodyAt);
    if (found.length > 0) return found;
    level = level.flatMap(placesWithin);
  }
  return [];
}

interface Place {
  readonly value: JsonValue;
  readonly path: readonly string[];
  readonly around: readonly JsonObject[];
}

function bodyAt({ value, path, around }: Place): readonly FoundBody[] {
  if (isMessageList(value)) return [{ body: value, path, around }];
  if (isObject(value) && listOf(value) !== undefined) return [{ body: value, path, around: [value, ...around] }];
  return [];
}

function placesWithin({ value, path, around }: Place): readonly Place[] {
  if (isArray(value)) return value.flatMap((item, index) => placeOf(item, [...path, String(index)], around));
  if (!isObject(value)) return [];
  const inside = [value, ...around];
  return Object.entries(value).flatMap(([key, item]) => placeOf(unwrapText(key, item), [...path, key], inside));
}

function placeOf(
  value: JsonValue | undefined,
  path: readonly string[],
  around: readonly JsonObject[],
): readonly Place[] {
  return typeof value === "object" && value !== null ? [{ value, path, around }] : [];
}

/** HTTP archives keep bodies as text. */
const TEXT_BODY_KEYS: ReadonlySet<string> = new Set(["body", "text", "requestBody", "request_body"]);

export function unwrapText(key: string, value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value !== "string" || !TEXT_BODY_KEYS.has(key) || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value) as JsonValue; // JSON.parse returns nothing but JSON values
  } catch {
    return value; // text that merely looks like JSON stays text
  }
}
