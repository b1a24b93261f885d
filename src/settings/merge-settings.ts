/**
 * Lays checked partial settings over complete ones. Objects are merged key by key; lists and variants replace what was there.
 * The result shares no mutable part with what was passed in.
 */

import type { Schema, VariantsSchema } from "../core/settings/schema.ts";

/** `over` must have passed the schema. A key that is undefined says nothing; `false` switches an optional object off. */
export function mergeSettings(base: unknown, over: unknown, schema: Schema): unknown {
  switch (schema.type) {
    case "object":
      if (over === false) return undefined;
      return mergeKeys(base, over, (key) => schema.keys[key]);
    case "record":
      return mergeKeys(base, over, () => schema.of);
    case "list":
      return entriesOfList(over).map((item) => mergeSettings(undefined, item, schema.of));
    case "variants":
      return completeVariant(over, schema);
    case "boolean":
    case "number":
    case "text":
    case "choice":
      return over;
    default:
      return schema satisfies never;
  }
}

function mergeKeys(base: unknown, over: unknown, schemaOf: (key: string) => Schema | undefined): unknown {
  const merged = new Map(entriesOf(base));
  for (const [key, value] of entriesOf(over)) {
    const schema = schemaOf(key);
    if (value !== undefined && schema !== undefined) merged.set(key, mergeSettings(merged.get(key), value, schema));
  }
  return Object.fromEntries(merged);
}

function completeVariant(over: unknown, schema: VariantsSchema): unknown {
  const given = Object.fromEntries(entriesOf(over).filter(([, value]) => value !== undefined));
  const defaults = schema.variants[String(given.type)]?.defaults ?? {};
  return { ...defaults, ...given };
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

function entriesOfList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
