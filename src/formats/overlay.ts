/** Writes changes over the wire form they came from: everything else, key order included, stays as it was. Never mutates. */

import { isArray, type JsonObject, type JsonValue } from "../core/json.ts";
import type { Part } from "../core/message.ts";

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

/** Content as blocks, or as a string where it is one text and was no list of blocks before. */
export function encodeContent(
  parts: readonly Part[],
  before: JsonValue | undefined,
  encodeBlock: (part: Part) => readonly JsonObject[],
): JsonValue {
  const [first] = parts;
  const isPlain = parts.length === 1 && first?.type === "text" && first.wire === undefined;
  if (isPlain && !isArray(before)) return first.text;
  const blocks = parts.flatMap(encodeBlock);
  return isArray(before) ? sameOr(before, blocks) : blocks;
}
