/**
 * Lays checked partial settings over complete ones. Objects are merged key by key; lists and variants replace what was there.
 * The result shares no mutable part with what was passed in.
 */

import type { Schema, VariantsSchema } from "../core/settings/schema.ts";

type Merge = (base: unknown, over: unknown, schema: Schema) => unknown;

/** `over` must have passed the schema. A key that is undefined says nothing; `false` switches an optional object off. */
export const mergeSettings: Merge = merging(undefined);

/** Both are partial settings, and so is what comes out: what is switched off still has to say so to whatever it is laid over. */
export const mergePartial: Merge = merging(false);

/** `off` stands for an optional object that is switched off. */
function merging(off: false | undefined): Merge {
  const merge: Merge = (base, over, schema) => {
    switch (schema.type) {
      case "object":
        return over === false ? off : mergeKeys(base, over, (key) => schema.keys[key]);
      case "record":
        return mergeKeys(base, over, () => schema.of);
      case "list":
        return entriesOfList(over).map((item) => merge(undefined, item, schema.of));
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
  };
  const mergeKeys = (base: unknown, over: unknown, schemaOf: (key: string) => Schema | undefined): unknown => {
    const merged = new Map(entriesOf(base));
    for (const [key, value] of entriesOf(over)) {
      const schema = schemaOf(key);
      if (value !== undefined && schema !== undefined) merged.set(key, merge(merged.get(key), value, schema));
    }
    return Object.fromEntries(merged);
  };
  return merge;
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
