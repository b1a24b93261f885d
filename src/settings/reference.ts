/** Every key of the settings as a row, read from the schema, for the reference page and a command. Reads only. */

import { isPlainObject } from "../core/json.ts";

import { allowedText, rangeText, type Schema, type VariantsSchema } from "../core/settings/schema.ts";
import type { Settings } from "../core/settings/settings.ts";
import { settingsSchema } from "../core/settings/settings-schema.ts";

export interface ReferenceRow {
  /** Dotted path. */
  readonly key: string;
  readonly type: string;
  /** The value in the given settings, as JSON; `false` for a group that is switched off. */
  readonly value: string;
  /** The allowed range or choices, each with its meaning; empty when the type is enough. */
  readonly allowed: readonly string[];
  readonly about: string;
}

export function settingsReference(settings: Settings): readonly ReferenceRow[] {
  return rowsOf("", settings, settingsSchema);
}

function rowsOf(key: string, value: unknown, schema: Schema): readonly ReferenceRow[] {
  if (schema.type !== "object") return [rowOf(key, value, schema)];
  const own = schema.mayBeOff ? [rowOf(key, value ?? false, schema)] : [];
  const inner = Object.entries(schema.keys).flatMap(([name, keySchema]) =>
    rowsOf(key === "" ? name : `${key}.${name}`, member(value, name), keySchema),
  );
  return [...own, ...inner];
}

function rowOf(key: string, value: unknown, schema: Schema): ReferenceRow {
  const isWhole = schema.type === "object" && typeof value === "object";
  return {
    key,
    type: typeText(schema),
    value: value === undefined || isWhole ? "" : JSON.stringify(value),
    allowed: allowedOf(schema),
    about: schema.about,
  };
}

function member(value: unknown, name: string): unknown {
  return isPlainObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function typeText(schema: Schema): string {
  switch (schema.type) {
    case "number":
      return schema.whole ? "whole number" : "number";
    case "list":
      return `list of ${schema.of.type === "variants" ? "object" : typeText(schema.of)}`;
    case "record":
      return "object, any key";
    case "object":
      return schema.mayBeOff ? "object or false" : "object";
    case "variants":
      return "object with type";
    case "boolean":
    case "text":
    case "choice":
      return schema.type;
    default:
      return schema satisfies never;
  }
}

function allowedOf(schema: Schema): readonly string[] {
  switch (schema.type) {
    case "number":
      return rangeText(schema) === "" ? [] : [rangeText(schema)];
    case "choice":
      return Object.entries(schema.values).map(([value, about]) => `\`${value}\`: ${about}`);
    case "text":
      return schema.filled ? ["not blank"] : [];
    case "list":
    case "record":
      return allowedOf(schema.of);
    case "variants":
      return variantLines(schema);
    case "boolean":
    case "object":
      return [];
    default:
      return schema satisfies never;
  }
}

function variantLines({ variants }: VariantsSchema): readonly string[] {
  return Object.entries(variants).map(([type, { about, keys, defaults = {} }]) => {
    const fields = Object.entries(keys).map(([key, schema]) => {
      const standard = Object.hasOwn(defaults, key) ? ` (else ${String(defaults[key])})` : "";
      return `\`${key}\` ${allowedText(schema)}${standard}`;
    });
    return `\`${type}\`: ${about}${fields.length === 0 ? "" : ` ${fields.join("; ")}`}`;
  });
}
