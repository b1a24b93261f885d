/**
 * Lays checked partial settings over complete ones. Objects are merged key by key; lists and variants replace what was there.
 * The result shares no mutable part with what was passed in.
 */

import type { Schema, VariantsSchema } from "../core/settings/schema.ts";

/** `over` must have passed the schema. A key that is undefined says nothing; `false` switches an optional object off. */
export function mergeSettings(base: unknown, over: unknown, schema: Schema): unknown {
  return merge(base, over, { schema, off: undefined });
}

/** Both are partial settings, and so is what comes out: what is switched off still has to say so to whatever it is laid over. */
export function mergePartial(base: unknown, over: unknown, schema: Schema): unknown {
  return merge(base, over, { schema, off: false });
}

interface How<Of extends Schema | undefined = Schema> {
  readonly schema: Of;
  /** What stands for an optional object that is switched off. */
  readonly off: false | undefined;
}

function merge(base: unknown, over: unknown, { schema, off }: How): unknown {
  switch (schema.type) {
    case "object":
      if (over === false) return off;
      return mergeKeys(base, over, (key) => ({ schema: schema.keys[key], off }));
    case "record":
      return mergeKeys(base, over, () => ({ schema: schema.of, off }));
    case "list":
      return entriesOfList(over).map((item) => merge(undefined, item, { schema: schema.of, off }));
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

function mergeKeys(base: unknown, over: unknown, howOf: (key: string) => How<Schema | undefined>): unknown {
  const merged = new Map(entriesOf(base));
  for (const [key, value] of entriesOf(over)) {
    const { schema, off } = howOf(key);
    if (value !== undefined && schema !== undefined) merged.set(key, merge(merged.get(key), value, { schema, off }));
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
