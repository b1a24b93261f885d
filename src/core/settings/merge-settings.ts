/** Lays checked partial settings over complete ones: objects key by key; lists and variants are replaced. Shares nothing with its arguments. */

import type { Schema, VariantsSchema } from "./schema.ts";

/** `over` must have passed the schema. An undefined key is ignored; `false` switches an optional object off. */
export function mergeSettings(base: unknown, over: unknown, schema: Schema): unknown {
  return merge(base, over, { schema, off: undefined });
}

/** Both are partial settings, and so is the result: `false` stays in it, to switch off an object in the next layer. */
export function mergePartial(base: unknown, over: unknown, schema: Schema): unknown {
  return merge(base, over, { schema, off: false });
}

interface MergeOptions {
  readonly schema: Schema;
  /** The value that an optional object gets when it is switched off. */
  readonly off: false | undefined;
}

function merge(base: unknown, over: unknown, { schema, off }: MergeOptions): unknown {
  switch (schema.type) {
    case "object":
    case "record": {
      if (over === false) return off;
      const merged = new Map(entriesOf(base));
      for (const [key, value] of entriesOf(over)) {
        const inner = schema.type === "record" ? schema.of : schema.keys[key];
        if (value === undefined || inner === undefined) continue;
        merged.set(key, merge(merged.get(key), value, { schema: inner, off }));
      }
      return Object.fromEntries(merged);
    }
    case "list":
      return (Array.isArray(over) ? over : []).map((item) => merge(undefined, item, { schema: schema.of, off }));
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

function completeVariant(over: unknown, schema: VariantsSchema): unknown {
  const given = Object.fromEntries(entriesOf(over).filter(([, value]) => value !== undefined));
  // The given keys are spread twice, so that they come first.
  return { ...given, ...schema.variants[String(given.type)]?.defaults, ...given };
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}
