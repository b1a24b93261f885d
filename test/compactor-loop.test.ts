import { expect, test } from "vitest";
import { type CompactorOptions, createCompactor } from "../src/compactor.ts";
import { CompactionError } from "../src/core/errors.ts";
import { isArray, isObject, type JsonArray, type JsonObject, type JsonValue } from "../src/core/json.ts";
import type { Format } from "../src/core/ports.ts";
import { formatNamed, formatNames } from "../src/formats.ts";
import { profileNames } from "../src/profiles/profiles.ts";
import { createRandom, type Random } from "../src/testing/random.ts";
import { generateBody } from "../src/testing/wire-bodies.ts";
import { randomSettings } from "./random-settings.ts";
import { sampleOf, seed } from "./sample.ts";

/** An agent's loop: a list that grows, and `fit` before every request. Whatever the settings, a provider's cache is worth something. */

const LOOPS = sampleOf(2_000, 40);
const KEYS = ["messages", "input", "contents"] as const;

interface Loop {
  readonly format: Format;
  readonly options: CompactorOptions;
  readonly body: JsonObject;
  readonly key: (typeof KEYS)[number];
  /** The host takes what it gets for its list, instead of sending all that it has. */
  readonly replaces: boolean;
  /** The host marks the end of its list for the provider's cache, as most do. */
  readonly marks: boolean;
}

function loopOf(number: number): Loop {
  const random = createRandom(number);
  const format = formatNamed(pick(formatNames, random));
  const body = generateBody(format.name, { seed: number, broken: false });
  const settings = random.chance(0.5) ? randomSettings(random) : { windowTokens: random.pick([300, 800]) };
  return {
    format,
    body,
    key: KEYS.find((key) => isArray(body[key])) ?? "messages",
    options: { ...settings, format, profile: pick(profileNames, random), telemetry: false },
    replaces: random.chance(0.5),
    marks: format.name === "anthropic-messages" && random.chance(0.5),
  };
}

function pick<Item>(items: readonly Item[], random: Random): Item {
  const item = items[random.below(items.length)];
  if (item === undefined) throw new Error("There is nothing to pick.");
  return item;
}

function listIn(body: JsonObject, key: Loop["key"]): JsonArray {
  // What a generated body has under its key is a list.
  return body[key] as JsonArray;
}

const MARK_KEY = "cache_control";

function withoutMarks(value: JsonValue): JsonValue {
  if (isArray(value)) return value.map(withoutMarks);
  if (!isObject(value)) return value;
  const { [MARK_KEY]: _, ...rest } = value;
  return Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, withoutMarks(item ?? null)]));
}

/** On the last block of the newest message, and nowhere else. */
function marked(list: JsonArray): JsonArray {
  const bare = withoutMarks(list) as JsonArray;
  const last = bare.at(-1);
  if (!isObject(last) || !isArray(last.content)) return bare;
  const block = last.content.at(-1);
  if (!isObject(block) || block.type === "thinking") return bare;
  const content = last.content.with(-1, { ...block, [MARK_KEY]: { type: "ephemeral" } });
  return bare.with(-1, { ...last, content });
}

interface Counts {
  requests: number;
  compactions: number;
}

async function run({ format, options, body, key, replaces, marks }: Loop, counts: Counts): Promise<void> {
  const compactor = createCompactor(options);
  const all = listIn(body, key);
  let own: JsonArray = [];
  let before: JsonArray | undefined;
  let used = 0;
  for (let end = 1; end <= all.length; end++) {
    const isReady = format.validate({ ...body, [key]: all.slice(0, end) }, { sending: true }).length === 0;
    if (!isReady) continue;
    const added = all.slice(used, end);
    used = end;
    own = [...own, ...added];
    const list = replaces ? own : all.slice(0, end);
    const sent = { ...body, [key]: structuredClone(marks ? marked(list) : list) };
    const { request, report } = await compactor.fit(sent);
    const got = listIn(request, key);
    expect(format.validate(request, { sending: true })).toEqual([]);
    if (before !== undefined && !report.compacted)
      expect(JSON.stringify(withoutMarks(got.slice(0, before.length))), "another prefix without a compaction").toBe(
        JSON.stringify(withoutMarks(before)),
      );
    before = got;
    if (replaces) own = structuredClone(got);
    counts.requests++;
    if (report.compacted) counts.compactions++;
  }
}

test("every request is valid, and its prefix changes with a compaction alone", async () => {
  const counts = { requests: 0, compactions: 0 };
  for (let offset = 0; offset < LOOPS; offset++) {
    const loop = loopOf(seed + offset);
    await run(loop, counts).catch((cause) => {
      if (cause instanceof CompactionError && cause.code === "invalid-settings") return;
      const { format, options, replaces, marks } = loop;
      const told = JSON.stringify({ ...options, format: format.name, replaces, marks });
      throw new Error(`seed ${seed + offset}: ${cause.message}\n${told}`, { cause });
    });
  }
  expect(counts.requests).toBeGreaterThan(LOOPS * 2);
  expect(counts.compactions).toBeGreaterThan(LOOPS / 4);
});
