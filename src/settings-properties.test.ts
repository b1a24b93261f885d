import fc, { type Arbitrary } from "fast-check";
import { expect, test } from "vitest";
import { CompactionError } from "./core/errors.ts";
import type { NumberSchema, Schema } from "./core/settings/schema.ts";
import type { SettingsInput } from "./core/settings/settings.ts";
import { settingsSchema } from "./core/settings/settings-schema.ts";
import { profileNames } from "./profiles/profiles.ts";
import { resolveSettings, type SettingsLayers, settingsWarnings } from "./settings.ts";

const LARGE = 1_000_000;

/** Values that pass a schema, each key present or not. Generated from the schema itself, so a new key is covered at once. */
function valid(schema: Schema, path = ""): Arbitrary<unknown> {
  const own = CONSISTENT.get(path);
  if (own !== undefined) return own;
  switch (schema.type) {
    case "boolean":
      return fc.boolean();
    case "number":
      return validNumber(schema);
    case "text":
      return fc.string({ minLength: 1 }).map((value) => `x${value}`);
    case "choice":
      return fc.constantFrom(...Object.keys(schema.values));
    case "list":
      return fc.uniqueArray(valid(schema.of), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems, 5),
      });
    case "record":
      return fc.dictionary(fc.string(), valid(schema.of));
    case "object": {
      const keys = Object.entries(schema.keys).map(([key, inner]) => [
        key,
        valid(inner, path === "" ? key : `${path}.${key}`),
      ]);
      return fc.record(Object.fromEntries(keys), { requiredKeys: [] });
    }
    case "variants":
      return fc.oneof(
        ...Object.entries(schema.variants).map(([type, { keys }]) => {
          const fields = Object.entries(keys).map(([key, inner]) => [key, valid(inner)]);
          return fc.record({ type: fc.constant(type), ...Object.fromEntries(fields) });
        }),
      );
    default:
      return schema satisfies never;
  }
}

function validNumber({ whole, min = 0, above, max, below }: NumberSchema): Arbitrary<number> {
  if (whole) return fc.integer({ min, max: max ?? LARGE });
  const options = { min: above ?? min, max: max ?? below ?? LARGE, noNaN: true };
  return fc.double({
    ...options,
    minExcluded: above !== undefined,
    maxExcluded: max === undefined && below !== undefined,
  });
}

const whole = (min: number, max: number) => fc.integer({ min, max });
const share = (min: number, max: number) => fc.double({ min, max, noNaN: true });
const limit = { tokens: whole(61_000, 100_000), comparison: fc.constantFrom("gt", "gte") };

/** Keys that depend on each other, from ranges in which all combinations are valid. Windows are 100K to 150K. */
const CONSISTENT: ReadonlyMap<string, Arbitrary<unknown>> = new Map<string, Arbitrary<unknown>>([
  ["windowTokens", whole(100_000, 150_000)],
  ["maxOutputTokens", whole(1, 100_000)],
  ["maxMessages", fc.oneof(fc.constant(0), whole(40, 100))],
  [
    "compact.triggers",
    fc.array(
      fc.oneof(
        fc.record({ type: fc.constantFrom("absolute", "budgetSum"), ...limit }, { requiredKeys: ["type", "tokens"] }),
        fc.record({ type: fc.constant("ratio"), ratio: share(0.61, 1) }),
        // A reserve below its floor would be raised, and differ from the given one.
        fc
          .record({ type: fc.constant("reserve"), reserveTokens: whole(0, 39_000), floorTokens: whole(0, 39_000) })
          .map((trigger) => ({ ...trigger, floorTokens: Math.min(trigger.floorTokens, trigger.reserveTokens) })),
        fc.record({ type: fc.constant("economic"), cliffTokens: whole(0, LARGE), coldTokens: whole(1, LARGE) }),
        fc.constant({ type: "never" }),
      ),
      { maxLength: 5 },
    ),
  ],
  [
    "compact.target",
    fc.oneof(
      fc.constant({ type: "none" }),
      fc.record({ type: fc.constant("tokens"), tokens: whole(1, 59_000) }),
      fc.record({ type: fc.constantFrom("ratioOfWindow", "ratioOfThreshold"), ratio: share(0.01, 0.4) }),
    ),
  ],
  ["protect.firstUser", fc.constant(true)],
  ["protect.tailMessages", whole(0, 19)],
  ["protect.tailTokens", whole(0, 59_000)],
  ["prune.highWaterRatio", share(0.5, 1)],
  ["prune.lowWaterRatio", fc.constant(0)],
  [
    "prune.softTrim",
    fc.oneof(
      fc.constant(false),
      fc.record({ overChars: whole(4_001, LARGE), headChars: whole(0, 2_000), tailChars: whole(0, 2_000) }),
    ),
  ],
  ["prune.stub", fc.oneof(fc.constant(false), fc.record({ afterResults: whole(0, 99), minChars: whole(0, 999) }))],
  ["summary.budget.minTokens", whole(1, 3_000)],
  ["summary.budget.maxTokens", whole(3_000, 100_000)],
  ["summary.staged.baseChunkRatio", share(0.15, 1)],
  ["summary.staged.minChunkRatio", share(0.01, 0.15)],
  ["render.renderer", fc.constantFrom("pair", "flagged-message", "system", "entry")],
  [
    "render.acknowledgement",
    fc.record({ text: fc.constant("Yes."), when: fc.constantFrom("needed", "always", "never") }),
  ],
  [
    "failure.ladder",
    fc
      .uniqueArray(fc.constantFrom("staged-partial", "annotate", "truncate", "extractive", "throw"), { minLength: 1 })
      .map((ladder) => ladder.toSorted((a, b) => Number(a === "throw") - Number(b === "throw"))),
  ],
  ["memoryFlush.softThresholdTokens", whole(0, 50_000)],
]);

/** Every given leaf is in the result, unchanged. */
function expectWithin(given: unknown, settled: unknown): void {
  if (given === false) expect([false, undefined]).toContain(settled);
  else if (Array.isArray(given)) expect(settled).toMatchObject(given);
  else if (typeof given !== "object" || given === null) expect(settled).toBe(given);
  else {
    const settledEntries = new Map(Object.entries(settled as object));
    for (const [key, value] of Object.entries(given)) expectWithin(value, settledEntries.get(key));
  }
}

test("valid partial settings resolve, over every profile, and are what they were", () => {
  const windowed = fc.tuple(valid(settingsSchema), whole(100_000, 150_000)).map(
    // The generator follows the schema, so this is the schema's type.
    ([given, windowTokens]) => ({ ...(given as SettingsInput), windowTokens }),
  );
  fc.assert(
    fc.property(windowed, fc.constantFrom(...profileNames), (user, profile) => {
      const settings = resolveSettings({ profile, user });
      expectWithin(user, settings);
      expect(resolveSettings({ profile: settings })).toEqual(settings);
      expect(Array.isArray(settingsWarnings(settings))).toBe(true);
    }),
    { numRuns: 300 },
  );
});

function checkOnlyRefuses(layers: unknown): void {
  try {
    // Wrong layers are the point.
    resolveSettings(layers as SettingsLayers);
  } catch (error) {
    expect(error).toBeInstanceOf(CompactionError);
    // Narrowed by the line above.
    expect((error as CompactionError).code).toBe("invalid-settings");
    expect((error as CompactionError).message).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
  }
}

const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withMap: true,
  withSet: true,
  withNullPrototype: true,
  withSparseArray: true,
  withObjectString: true,
});

test("garbage is refused in one line and does nothing else", () => {
  fc.assert(fc.property(anything, checkOnlyRefuses), { numRuns: 200 });
  fc.assert(fc.property(fc.record({ user: anything, profile: anything }, { requiredKeys: [] }), checkOnlyRefuses), {
    numRuns: 200,
  });
});

test("garbage in the place of a value is refused too", () => {
  const leaves = leafPaths(settingsSchema, []);
  fc.assert(
    fc.property(
      fc.constantFrom(...leaves),
      anything,
      fc.constantFrom("user", "provider", "call"),
      (path, value, layer) => {
        checkOnlyRefuses({ [layer]: path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) });
      },
    ),
    { numRuns: 500 },
  );
});

function leafPaths(schema: Schema, path: readonly string[]): readonly (readonly string[])[] {
  if (schema.type !== "object") return [path];
  return Object.entries(schema.keys).flatMap(([key, inner]) => leafPaths(inner, [...path, key]));
}
