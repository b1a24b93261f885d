/** Settings that nobody would think of, drawn from the schema itself: a key that it gains is tried without a word here. */

import type { Schema } from "../src/core/settings/schema.ts";
import type { SettingsInput } from "../src/core/settings/settings.ts";
import { settingsSchema } from "../src/core/settings/settings-schema.ts";
import type { Random } from "../src/testing/random.ts";

const GROUPS_MAX = 4;
const KEY_CHANCE = 0.35;
const OFF_CHANCE = 0.3;
const ITEMS_MAX = 3;
const COUNT_MAX = 12;
/** Generated conversations have hundreds of tokens or a few thousand. */
const WINDOWS = [300, 800, 2_000, 8_000] as const;
const SIZES = [4, 40, 400, 4_000, 40_000] as const;
const TEXTS = ["x", "[Mark]\n", "Understood.", ""] as const;
const TOOLS = ["search", "read*", "*"] as const;
const STEPS = 100;

/** Each key by itself is within its range; whether they go together is for the settings to say. */
export function randomSettings(random: Random): SettingsInput {
  const groups = Object.entries<Schema>(settingsSchema.keys);
  const drawn = Array.from({ length: 1 + random.below(GROUPS_MAX) }, () => groups[random.below(groups.length)] ?? []);
  const settings = Object.fromEntries(
    drawn.flatMap(([key, schema]) =>
      key === undefined || schema === undefined ? [] : [[key, draw(key, schema, random)]],
    ),
  );
  if (random.chance(0.7)) settings.windowTokens = random.pick(WINDOWS);
  // Drawn by the schema, so it has the shape that the schema describes.
  return settings as SettingsInput;
}

function draw(path: string, schema: Schema, random: Random): unknown {
  switch (schema.type) {
    case "boolean":
      return random.chance(0.5);
    case "number":
      return numberFor(path, schema, random);
    case "text":
      return random.pick(TEXTS);
    case "choice":
      return pickOf(Object.keys(schema.values), random);
    case "list":
      return Array.from({ length: Math.max(schema.minItems ?? 0, random.below(ITEMS_MAX)) }, () =>
        draw(path, schema.of, random),
      );
    case "record":
      return { [random.pick(TOOLS)]: draw(path, schema.of, random) };
    case "object":
      if (schema.mayBeOff && random.chance(OFF_CHANCE)) return false;
      return drawKeys(path, schema.keys, random, () => random.chance(KEY_CHANCE));
    case "variants": {
      const type = pickOf(Object.keys(schema.variants), random) ?? "";
      return { type, ...drawKeys(path, schema.variants[type]?.keys ?? {}, random, () => true) };
    }
    default:
      return schema satisfies never;
  }
}

function drawKeys(
  path: string,
  keys: Readonly<Record<string, Schema>>,
  random: Random,
  isDrawn: () => boolean,
): Record<string, unknown> {
  const entries = Object.entries(keys).filter(() => isDrawn());
  return Object.fromEntries(entries.map(([key, schema]) => [key, draw(`${path}.${key}`, schema, random)]));
}

function numberFor(path: string, schema: Extract<Schema, { type: "number" }>, random: Random): number {
  const least = schema.min ?? schema.above ?? 0;
  const most = schema.max ?? schema.below ?? (/tokens|chars/i.test(path) ? random.pick(SIZES) : COUNT_MAX);
  if (schema.whole) return least + random.below(Math.max(1, Math.min(most, SIZES[4]) - least + 1));
  return least + ((most - least) * random.below(STEPS)) / STEPS;
}

function pickOf(names: readonly string[], random: Random): string | undefined {
  return names[random.below(names.length)];
}
