/** Finds and removes fields that an answer may have and a request may not, such as those that an SDK's helpers parsed. Pure. */

import type { FormatRules } from "./format-rules.ts";
import { isArray, isObject, type JsonObject, type JsonValue } from "./json.ts";
import type { Message, Part } from "./message.ts";

/** Paths of such fields in a message, e.g. `content.0.parsed`. */
export function answerFieldPaths({ wire }: Message, rules: FormatRules): readonly string[] {
  return findFields(wire?.json, rules).flatMap(({ path, fields }) => fields.map((field) => `${path}${field}`));
}

/** The message without them; the same object where it has none. */
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

interface FieldPlace {
  readonly holder: JsonObject;
  readonly path: string;
  readonly fields: readonly string[];
}

function findFields(json: JsonValue | undefined, rules: FormatRules): readonly FieldPlace[] {
  const found: FieldPlace[] = [];
  if (!isObject(json) || (rules.answerFields.length === 0 && rules.answerType === undefined)) return found;
  const fields = isWholeAnswer(json, rules) ? Object.keys(json).filter((key) => !SAID.has(key)) : namedIn(json, rules);
  if (fields.length > 0) found.push({ holder: json, path: "", fields });
  addFieldsOf(json.content, "content", { found, rules });
  addFieldsOf(json.tool_calls, "tool_calls", { found, rules });
  return found;
}

/** An SDK's helpers write into the elements of these lists; in Chat, into the object one level below. */
function addFieldsOf(
  list: JsonValue | undefined,
  name: string,
  { found, rules }: { readonly found: FieldPlace[]; readonly rules: FormatRules },
): void {
  if (!isArray(list)) return;
  list.forEach((element, at) => {
    if (!isObject(element)) return;
    const { function: called } = element;
    const own = namedIn(element, rules);
    if (own.length > 0) found.push({ holder: element, path: `${name}.${at}.`, fields: own });
    if (!isObject(called)) return;
    const inner = namedIn(called, rules);
    if (inner.length > 0) found.push({ holder: called, path: `${name}.${at}.function.`, fields: inner });
  });
}

/** The fields of a whole answer that belong to the conversation. */
const SAID: ReadonlySet<string> = new Set(["role", "content"]);

/** Only an answer says how it ended. */
function isWholeAnswer(json: JsonObject, { answerType }: FormatRules): boolean {
  return answerType !== undefined && json.type === answerType && json.stop_reason !== undefined;
}

function namedIn(json: JsonObject, { answerFields }: FormatRules): readonly string[] {
  for (const field of answerFields) {
    if (Object.hasOwn(json, field)) return answerFields.filter((other) => Object.hasOwn(json, other));
  }
  return NONE;
}

const NONE: readonly string[] = [];

/** Maps each object that holds such fields, and each object around it, to its cleaned copy. */
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

const CLEANED: ReadonlySet<string> = new Set(["content", "tool_calls", "function"]);
