/**
 * Values on their way into a store: as JSON holds them, or refused with `invalid-request`. What was given is neither changed nor
 * frozen, and nothing that is done to it later reaches what is kept.
 */

import { CompactionError } from "../errors.ts";
import { isDeeperThan, JSON_DEPTH_MAX } from "../json.ts";
import { deepFreeze } from "../settings/deep-freeze.ts";

/** What a store may wrap around a value, so that what it writes can still be read by whoever stops at `JSON_DEPTH_MAX`. */
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

/** A copy that nobody can change any more. */
export function ownCopy<Value>(value: Value): Value {
  // JSON keeps the shape of what JSON can hold, and nothing else gets here.
  return deepFreeze(JSON.parse(jsonText(value)) as Value);
}

/** Undefined for what JSON has no word for. */
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
