/** Laying changed fields over a wire object while everything else, key order included, stays as it was. Never mutates. */

import type { JsonObject, JsonValue } from "../core/json.ts";

/** Fields that are `undefined` are removed. The object itself comes back when nothing differs. */
export function overlay(wire: JsonObject | undefined, fields: JsonObject): JsonObject {
  if (wire === undefined) return withoutUndefined(fields);
  const differs = Object.keys(fields).some((key) => wire[key] !== fields[key]);
  return differs ? withoutUndefined({ ...wire, ...fields }) : wire;
}

function withoutUndefined(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

/** The same list when every element is the same, so that an unchanged list is recognised by identity. */
export function sameOr<T extends JsonValue>(before: readonly T[] | undefined, after: readonly T[]): readonly T[] {
  if (before === undefined || before.length !== after.length) return after;
  return before.every((element, index) => element === after[index]) ? before : after;
}
