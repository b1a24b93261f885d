/** What calls and results hold as plain fields and records, whatever they were wrapped in. Bounded in depth and number. */

import { isArray, isObject, type JsonObject, type JsonValue } from "../../core/json.ts";

/** One value with the name it stood under. */
export interface Field {
  /** With its parent's name where the name alone says nothing: `user.login`. */
  readonly key: string;
  readonly value: string;
}

/** An object of a list, or a result's only object. */
export interface DataRecord {
  /** Its own title or name; empty where it has none. */
  readonly label: string;
  readonly fields: readonly Field[];
}

const FIELDS_MAX = 60;
const RECORDS_MAX = 400;
const DEPTH_MAX = 10;

/** Names that mean something only with their parent's. */
const GENERIC: ReadonlySet<string> = new Set(
  "id name key login type value text content plain_text title number url state status start end count".split(" "),
);
/** What only passes arguments or results on: it names nothing. */
export const PACKING =
  /^(?:params|parameters|arguments|args|input|inputs|request|body|payload|data|result|results|response|structuredContent)$/i;
/** An operator of a query language: the name above it says what it works on. */
const OPERATOR = /^\$/;
/** In order of how well they name a thing. */
const LABELS: readonly string[] =
  "title name subject full_name display_name label filename path login email plain_text message summary content text".split(
    " ",
  );

export function fieldsOf(value: JsonValue, fieldsMax: number = FIELDS_MAX): readonly Field[] {
  const fields: Field[] = [];
  const walk = (inner: JsonValue | undefined, key: string, parent: string, depth: number): void => {
    if (fields.length >= fieldsMax || depth > DEPTH_MAX || inner === undefined || inner === null) return;
    if (isArray(inner)) for (const item of inner.slice(0, fieldsMax)) walk(item, key, parent, depth + 1);
    else if (isObject(inner)) {
      for (const [name, member] of Object.entries(inner)) {
        if (OPERATOR.test(name) && key !== "" && !OPERATOR.test(key)) walk(member, `${key} ${name}`, parent, depth + 1);
        else walk(member, name, PACKING.test(key) || key.includes("$") ? parent : key, depth + 1);
      }
    } else {
      const name = OPERATOR.test(key) ? key.slice(1) : key;
      fields.push({ key: parent !== "" && GENERIC.has(name) ? `${parent}.${name}` : name, value: String(inner) });
    }
  };
  walk(value, "", "", 0);
  return fields;
}

/** Every object in a list, and the outermost object, as a record with its own fields; what lies in inner lists is a record of its own. */
export function recordsOf(value: JsonValue): readonly DataRecord[] {
  const records: DataRecord[] = [];
  const walk = (inner: JsonValue | undefined, isRecord: boolean, depth: number): void => {
    if (records.length >= RECORDS_MAX || depth > DEPTH_MAX) return;
    if (isArray(inner)) for (const item of inner) walk(item, true, depth + 1);
    else if (isObject(inner)) {
      if (isRecord) records.push({ label: labelOf(inner), fields: fieldsOf(withoutLists(inner)) });
      for (const member of Object.values(inner)) walk(member, false, depth + 1);
    }
  };
  walk(value, !isArray(value), 0);
  return records;
}

/** Lists of objects are records of their own. */
export function withoutLists(value: JsonObject, depth = 0): JsonObject {
  const own: Record<string, JsonValue> = {};
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined || key === "__proto__") continue;
    if (isArray(member)) {
      const plain = member.filter((item) => !isObject(item) && !isArray(item));
      if (plain.length > 0) own[key] = plain;
    } else own[key] = isObject(member) && depth < DEPTH_MAX ? withoutLists(member, depth + 1) : member;
  }
  return own;
}

const LABEL_CHARS_MAX = 80;

/** Its title, name or the like, from the nearest level that has one. */
export function labelOf(record: JsonObject): string {
  for (const key of LABELS) {
    const said = textUnder(record[key], 0);
    if (said !== "" && said.length <= LABEL_CHARS_MAX) return said;
  }
  for (const member of Object.values(record)) {
    if (!isObject(member)) continue;
    for (const key of LABELS.slice(0, 5)) {
      const said = textUnder(member[key], 0);
      if (said !== "" && said.length <= LABEL_CHARS_MAX) return said;
    }
  }
  return "";
}

/** The first text in a value: titles are lists of pieces in some systems. */
function textUnder(value: JsonValue | undefined, depth: number): string {
  if (typeof value === "string") return value.trim();
  if (depth > 3) return "";
  if (isArray(value)) return textUnder(value[0], depth + 1);
  if (!isObject(value)) return "";
  for (const key of ["plain_text", "title", "content", "text", "name"]) {
    const said = textUnder(value[key], depth + 1);
    if (said !== "") return said;
  }
  return "";
}

const IDENTIFYING = /(?:id|number|code|key|date|sku|symbol)$/i;
const MEASURE = /^(?:price|cost|amount|total|value|score|balance|quantity)$/i;
const NAME_CHARS_MAX = 40;

/** What tells a record from others: its label, else the first field that identifies it, else its first short text. */
export function nameOf(record: JsonValue, depth = 0): string {
  if (typeof record === "string") return record.length < LABEL_CHARS_MAX ? record : "";
  if (isArray(record) && depth < 2)
    return record
      .slice(0, 3)
      .flatMap((item) => nameOf(item, depth + 1) || [])
      .join(" + ");
  if (!isObject(record) || isArray(record)) return "";
  const fields = shortFields(record);
  const named = fields.find(([key]) => IDENTIFYING.test(key)) ?? fields.find(([, value]) => /\p{L}/u.test(value));
  return labelOf(record) || (named?.[1] ?? "");
}

/** What it costs or measures, behind its name. */
export function measureOf(record: JsonValue): string {
  const measure = isObject(record) ? shortFields(record).find(([key]) => MEASURE.test(key)) : undefined;
  return measure === undefined ? "" : ` (${measure.join(" ")})`;
}

function shortFields(record: JsonObject): readonly (readonly [string, string])[] {
  return Object.entries(record).flatMap(([key, value]) =>
    (typeof value === "string" || typeof value === "number") && String(value).length <= NAME_CHARS_MAX
      ? [[key, String(value)] as const]
      : [],
  );
}
