/** The shapes that `JSON.parse` can return, and the checks on them that every border needs. Reads only. */

import { CompactionError } from "./errors.ts";
import type { Message, Part } from "./message.ts";

export type JsonValue = string | number | boolean | null | JsonArray | JsonObject;
export type JsonArray = readonly JsonValue[];
export type JsonObject = { readonly [key: string]: JsonValue | undefined };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isArray(value: unknown): value is JsonArray {
  return Array.isArray(value);
}

export function stringOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Undefined for a text that is no JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    // JSON text holds JSON values and nothing else.
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** A copy with its own objects and lists; texts are immutable and shared. */
export function copyJson<Value extends JsonValue>(value: Value): Value {
  // The same shape as the argument, which the compiler cannot see through the recursion.
  return copyOf(value) as Value;
}

function copyOf(value: JsonValue): JsonValue {
  if (isArray(value)) return value.map(copyOf);
  if (!isObject(value)) return value;
  const copy: Record<string, JsonValue> = {};
  for (const [key, inner] of Object.entries(value)) if (inner !== undefined) setOwn(copy, key, copyOf(inner));
  return copy;
}

/** A tool's arguments may have the field `__proto__`: assigning it would set the copy's prototype and lose the field. */
function setOwn(copy: Record<string, JsonValue>, key: string, value: JsonValue): void {
  if (key !== "__proto__") copy[key] = value;
  else Object.defineProperty(copy, key, { value, enumerable: true, configurable: true, writable: true });
}

/** The nesting that recursive walks and `JSON.stringify` can handle. */
export const JSON_DEPTH_MAX = 512;

/** Whether a JSON text nests deeper than that. Skips strings natively, never recurses. */
export function isTooDeep(json: string): boolean {
  if (json.length <= JSON_DEPTH_MAX) return false;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === 0x22) {
      const end = endOfString(json, at);
      if (end === -1) return false;
      at = end;
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > JSON_DEPTH_MAX) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}

/** Offset of the closing quote, -1 when there is none. Searches natively, so long strings cost little. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes += 1;
    if (backslashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return -1;
}

/** Whether a value nests deeper than `levels`. Stops there, so cycles end too; allocates nothing, because it runs on all new input. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  for (const key in value) {
    // Any object may be asked for its own key.
    const inner = (value as Record<string, unknown>)[key];
    if (typeof inner === "object" && isDeeperThan(inner, levels - 1)) return true;
  }
  return false;
}

export function refuseDeepMessage({ id, parts }: Message): void {
  if (holdsDeep(parts)) throw tooDeep(`Message ${id}`);
}

export function refuseDeepPrompt(system: readonly Part[], tools: JsonValue | undefined): void {
  if (holdsDeep(system)) throw tooDeep("The system prompt");
  if (isDeeperThan(tools, JSON_DEPTH_MAX)) throw tooDeep("tools");
}

/** Checks only the fields that we walk; others may nest to any depth. */
function holdsDeep(parts: readonly Part[], levels: number = JSON_DEPTH_MAX): boolean {
  for (const part of parts) {
    if (part.type === "tool-call" && isDeeperThan(part.input, levels)) return true;
    if (part.type === "opaque" && isDeeperThan(part.wire, levels)) return true;
    if (part.type === "tool-result" && (levels === 0 || holdsDeep(part.content, levels - 1))) return true;
  }
  return false;
}

function tooDeep(what: string): CompactionError {
  const message = `${what} nests deeper than ${JSON_DEPTH_MAX} levels, which no conversation does. Nothing was changed.`;
  return new CompactionError("invalid-request", message);
}

export function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}

/** Plain data only: a Map or a Date has no keys and would pass for an empty object. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** The levels that a store may add around a value, so that readers with the limit `JSON_DEPTH_MAX` can still read it. */
export const WRAPPING_DEPTH_MAX = 32;

const STORED_DEPTH_MAX = JSON_DEPTH_MAX - WRAPPING_DEPTH_MAX;

const SHOWN_KINDS: Readonly<Record<string, string>> = { object: "an object", undefined: "undefined" };

export function jsonText(value: unknown): string {
  if (isDeeperThan(value, STORED_DEPTH_MAX)) {
    throw refusal(`it nests deeper than ${STORED_DEPTH_MAX} levels, or holds itself`);
  }
  const text = stringified(value);
  if (text === undefined) throw refusal(`it is ${SHOWN_KINDS[typeof value] ?? `a ${typeof value}`}`);
  return text;
}

/** A frozen copy. */
export function ownCopy<Value>(value: Value): Value {
  // JSON keeps the shape of any value that it can hold, and other values were refused.
  return deepFreeze(JSON.parse(jsonText(value)) as Value);
}

/** Undefined for a value that JSON cannot express. */
function stringified(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw refusal(cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function refusal(reason: string, cause?: unknown): CompactionError {
  const message = `A value cannot be stored, because it is no JSON: ${reason}. Nothing was changed.`;
  return new CompactionError("invalid-request", message, { cause });
}

/** The fields that have a value: an optional field of a record is left out and never undefined. */
export function present<Fields extends object>(fields: Fields): Present<Fields> {
  // Exactly the undefined ones are left out.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<Fields>;
}

type Present<Fields> = { readonly [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };
