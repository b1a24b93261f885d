/** What a call that changes something was given beyond what it is about, so that two changes of one thing are told apart. Reads arguments only. */

import { isArray, isObject, type JsonValue } from "../../../core/json.ts";

const KEYS_MAX = 12;
const VALUE_CHARS_MAX = 40;

/** Short values, and short lists of them, by their names. */
export function givenIn(input: JsonValue | undefined): ReadonlyMap<string, string> {
  return shortValues(input, (value) => (isArray(value) ? value.map(plainText).join(" ") : plainText(value)));
}

/** Of these only words and numbers: what something was set to. */
export function settingsIn(input: JsonValue | undefined): ReadonlyMap<string, string> {
  return shortValues(input, (value) =>
    typeof value === "string" || typeof value === "number" ? String(value).trim() : UNTOLD,
  );
}

function shortValues(
  input: JsonValue | undefined,
  textOf: (value: JsonValue | undefined) => string,
): ReadonlyMap<string, string> {
  const given = new Map<string, string>();
  if (input === undefined || !isObject(input)) return given;
  for (const [key, value] of Object.entries(input).slice(0, KEYS_MAX)) {
    const text = textOf(value);
    if (text.trim() !== "" && text.length <= VALUE_CHARS_MAX && !text.includes("\n")) given.set(key, text.trim());
  }
  return given;
}

/** Of a list within a list nothing is short enough to tell. */
function plainText(value: JsonValue | undefined): string {
  if (typeof value === "object" || value === undefined) return value === null ? "null" : UNTOLD;
  return String(value);
}

const UNTOLD = "\n";

/** Those of a call that another on the same thing was not given, or given otherwise. */
export function differing(
  input: JsonValue | undefined,
  other: JsonValue | undefined,
): readonly (readonly [string, string])[] {
  const before = givenIn(other);
  return [...givenIn(input)].filter(([key, value]) => before.get(key) !== value);
}

/** Where a path or a command is given, that says which one it is. */
const TELLING_KEYS: readonly string[] = ["command", "cmd", "file_path", "path", "url"];

export function isToldByArguments(input: JsonValue | undefined): boolean {
  return input !== undefined && isObject(input) && TELLING_KEYS.every((key) => input[key] === undefined);
}
