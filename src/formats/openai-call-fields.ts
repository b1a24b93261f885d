/**
 * The fields of a call that both OpenAI formats share: its name, and its arguments, a JSON string that need not be valid JSON.
 * What was not changed keeps its exact text, because models write JSON with spacing and key order of their own.
 */

import { isArray, isObject, isTooDeep, type JsonObject, type JsonValue, stringOf } from "../core/json.ts";

/** The parsed value, or the string as it is when it does not parse or nests too deeply. Some servers send an object at once. */
export function decodeArguments(json: JsonValue | undefined): JsonValue {
  if (json === undefined || json === null) return {};
  if (typeof json !== "string") return json;
  if (isTooDeep(json)) return json;
  try {
    // JSON text holds JSON values and nothing else.
    return JSON.parse(json) as JsonValue;
  } catch {
    return json;
  }
}

/** `holder` is the object that held `arguments` before. */
export function encodeArguments(input: JsonValue, holder: JsonObject | undefined): JsonValue | undefined {
  const isSame = holder !== undefined && isSameJson(decodeArguments(holder.arguments), input);
  return isSame ? holder.arguments : asText(input);
}

/** What a free-text tool is given. */
export function decodeFreeText(json: JsonValue | undefined): JsonValue {
  return json ?? "";
}

/** `holder` is the object that held `input` before. */
export function encodeFreeText(input: JsonValue, holder: JsonObject | undefined): JsonValue | undefined {
  const isSame = holder !== undefined && isSameJson(decodeFreeText(holder.input), input);
  return isSame ? holder.input : asText(input);
}

export function decodeName(holder: JsonObject): string {
  return stringOf(holder.name) ?? "";
}

export function encodeName(name: string, holder: JsonObject | undefined): JsonValue | undefined {
  return holder !== undefined && decodeName(holder) === name ? holder.name : name;
}

function asText(input: JsonValue): string {
  return typeof input === "string" ? input : JSON.stringify(input);
}

function isSameJson(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true;
  const areObjects = isObject(a) && isObject(b);
  const areArrays = isArray(a) && isArray(b);
  return (areObjects || areArrays) && JSON.stringify(a) === JSON.stringify(b);
}
