/**
 * Lists as text that Postgres reads: a statement takes any number of rows in a few values, and a client needs to know no types.
 * A schema's name is the only thing that ever becomes part of a statement, quoted.
 */

import { CompactionError } from "../../core/errors.ts";

export function numberList(numbers: readonly number[]): string {
  return `{${numbers.join(",")}}`;
}

export function flagList(flags: readonly boolean[]): string {
  return `{${flags.map((flag) => (flag ? "t" : "f")).join(",")}}`;
}

export function textList(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, "\\$&")}"`).join(",")}}`;
}

/** JSON texts, as one. `json_array_elements` gives every element back as it was written, escapes and key order included. */
export function jsonList(jsonTexts: readonly (string | null)[]): string {
  return `[${jsonTexts.map((json) => json ?? "null").join(",")}]`;
}

const NAME_BYTES_MAX = 63;

export function quotedSchema(name: string): string {
  if (name === "" || name.includes("\0") || !name.isWellFormed() || Buffer.byteLength(name) > NAME_BYTES_MAX) {
    const message = `The schema's name must have 1 to ${NAME_BYTES_MAX} bytes and no NUL. Nothing was changed.`;
    throw new CompactionError("invalid-settings", message);
  }
  return `"${name.replaceAll('"', '""')}"`;
}
