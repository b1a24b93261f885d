/** Reading token counts that may be null, missing, or somewhere inside a response. Missing is 0, but never "known". */

import { isObject, type JsonObject, numberOf } from "../core/json.ts";

/** The first of `response[key]`, or the response itself when it is that object already. */
export function findUsage(response: unknown, key: string, marker: string): JsonObject | undefined {
  if (!isObject(response)) return undefined;
  const inner = response[key];
  if (isObject(inner)) return saysNumber(inner) ? inner : undefined;
  return numberOf(response[marker]) === undefined ? undefined : response;
}

export function countOf(usage: unknown, key: string): number {
  return isObject(usage) ? Math.max(0, numberOf(usage[key]) ?? 0) : 0;
}

/** An object without a single count reports nothing. */
export function saysNumber(usage: JsonObject): boolean {
  return Object.values(usage).some((value) => numberOf(value) !== undefined);
}
