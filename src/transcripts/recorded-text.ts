/** Small questions that several readers ask of recorded content. Reads only. */

import { isArray, isObject, type JsonValue, stringOf } from "../core/json.ts";

/** Values in order of first appearance, without the absent ones. */
export function distinct(values: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(values.filter((value) => value !== undefined))];
}

/** The text of a list of blocks or parts, joined by newlines. */
export function textOf(blocks: readonly JsonValue[]): string {
  return blocks.flatMap((block) => (isObject(block) ? (stringOf(block.text) ?? []) : [])).join("\n");
}

/** Content that is a string or a list of text parts. */
export function plainText(content: JsonValue | undefined): string {
  if (typeof content === "string") return content;
  return isArray(content) ? textOf(content) : "";
}
