/**
 * Finds and removes fields that an answer may have and a request may not: values that an SDK's helpers parsed (`parsed`,
 * `parsed_arguments`), and the other fields of a whole answer that was put into a list. Providers refuse them. Pure.
 */

import type { FormatRules } from "./format-rules.ts";
import { isArray, isObject, type JsonObject, type JsonValue } from "./json.ts";
import type { Message, Part } from "./message.ts";

/** Where such fields stand in a message, e.g. `content.0.parsed`. */
export function answerFieldPaths({ wire }: Message, rules: FormatRules): readonly string[] {
  return findFields(wire?.json, rules).flatMap(({ path, fields }) => fields.map((field) => `${path}${field}`));
}

/** The message without them; the same one where it has none. */
export function withoutAnswerFields(message: Message, rules: FormatRules): Message {
  const { wire } = message;
  const found = findFields(wire?.json, rules);
  if (wire === undefined || found.length === 0) return message;
  const cleaned = cleanedObjects(wire.json, new Map(found.map(({ holder, fields }) => [holder, fields])));
  const clean = (part: Part): Part => {
    const own = part.wire === undefined ? undefined : cleaned.get(part.wire);
    return own === undefined ? part : { ...part, wire: own };
  };
  const parts = message.parts.map(clean);
  const before = wire.parts === message.parts ? parts : wire.parts.map(clean);
  return { ...message, parts, wire: { ...wire, json: cleaned.get(wire.json) ?? wire.json, parts: before } };
}

interface Found {
  readonly holder: JsonObject;
  /** Of the holder, with a dot at its end. */
  readonly path: string;
  readonly fields: readonly string[];
}

/** Lists in a message whose elements helpers write into. */
const LISTS = ["content", "tool_calls"] as const;

function findFields(json: JsonValue | undefined, rules: FormatRules): readonly Found[] {
  const found: Found[] = [];
  if (!isObject(json) || (rules.answerFields.length === 0 && rules.answerType === undefined)) return found;
  const add = (holder: JsonObject, path: string, fields: readonly string[]): void => {
    if (fields.length > 0) found.push({ holder, path, fields });
  };
  add(json, "", isWholeAnswer(json, rules) ? Object.keys(json).filter((key) => !SAID.has(key)) : namedIn(json, rules));
  for (const list of LISTS) {
    const elements = json[list];
    if (!isArray(elements)) continue;
    elements.forEach((element, at) => {
      if (!isObject(element)) return;
      add(element, `${list}.${at}.`, namedIn(element, rules));
      // Chat keeps what is called one level below.
      if (isObject(element.function))
        add(element.function, `${list}.${at}.function.`, namedIn(element.function, rules));
    });
  }
  return found;
}

/** The fields of a whole answer that belong to the conversation. */
const SAID: ReadonlySet<string> = new Set(["role", "content"]);

/** Only an answer says how it ended. */
function isWholeAnswer({ type, stop_reason: ended }: JsonObject, { answerType }: FormatRules): boolean {
  return answerType !== undefined && type === answerType && ended !== undefined;
}

/** Nearly every object has none, and nothing is made for it. */
function namedIn(json: JsonObject, { answerFields }: FormatRules): readonly string[] {
  const isNamed = (field: string): boolean => Object.hasOwn(json, field);
  return answerFields.some(isNamed) ? answerFields.filter(isNamed) : NONE;
}

const NONE: readonly string[] = [];

/** Old objects to cleaned ones, for objects that hold such fields and for those around them. */
function cleanedObjects(
  json: JsonValue,
  fieldsOf: ReadonlyMap<JsonObject, readonly string[]>,
): ReadonlyMap<JsonValue, JsonObject> {
  const cleaned = new Map<JsonValue, JsonObject>();
  const clean = (value: JsonValue | undefined): JsonValue | undefined => {
    if (isArray(value)) return value.map((element) => clean(element) ?? element);
    if (!isObject(value)) return value;
    const refused = fieldsOf.get(value) ?? [];
    const kept = Object.entries(value).filter(([key]) => !refused.includes(key));
    const whole = Object.fromEntries(kept.map(([key, inner]) => [key, CLEANED.has(key) ? clean(inner) : inner]));
    cleaned.set(value, whole);
    return whole;
  };
  clean(json);
  return cleaned;
}

const CLEANED: ReadonlySet<string> = new Set([...LISTS, "function"]);
