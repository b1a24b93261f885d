/**
 * Copies values for a store as JSON, or refuses them with `invalid-request`. The caller's value is neither changed nor
 * frozen, and its later changes do not reach the copy.
 */

import { CompactionError } from "../errors.ts";
import { deepFreeze, isDeeperThan, JSON_DEPTH_MAX } from "../json.ts";

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
