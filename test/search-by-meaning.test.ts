import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { Embed } from "../src/core/search/embedding.ts";
import type { FullStore } from "../src/core/store/store-upkeep.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { recallTool } from "../src/recall-tool.ts";
import { openSession } from "../src/session.ts";
import { jsonlStore } from "../src/stores/jsonl.ts";
import { memoryStore } from "../src/stores/memory.ts";
import { postgresStore } from "../src/stores/postgres.ts";
import { sqliteStore } from "../src/stores/sqlite.ts";
import { append, compact, refuses, user } from "../src/testing/store/world.ts";
import { postgresWorld } from "./postgres-world.ts";

/** Words that mean the same, a dimension each. */
const MEANINGS = ["car automobile vehicle", "dog puppy hound", "pay invoice bill", "ship harbour boat"];

/** Everything that was embedded, call by call. */
let calls: (readonly string[])[] = [];
beforeEach(() => {
  calls = [];
});

const embed: Embed = async (texts) => {
  calls.push(texts);
  return texts.map((text) => vectorOf(text));
};

function vectorOf(text: string): readonly number[] {
  const words = text.toLowerCase().match(/[a-z]+/g) ?? [];
  return MEANINGS.map((meaning) => words.filter((word) => meaning.split(" ").includes(word)).length);
}

const TEXTS = [
  "the car is red",
  "a puppy barked",
  "nothing of it",
  "my vehicle was sold",
  "the invoice of the boat",
  "…",
];

const directory = mkdtempSync(join(tmpdir(), "palimpsest-meaning-"));
const world = await postgresWorld();
afterAll(async () => {
  rmSync(directory, { recursive: true });
  if (typeof world !== "string") await world.end();
});

let places = 0;
/** Each gives a way to open one new place again and again. */
const STORES: Readonly<Record<string, () => (embed?: Embed) => FullStore>> = {
  memory: () => {
    const given: { embed: Embed } = { embed };
    const store = memoryStore({ embed: (texts, options) => given.embed(texts, options) });
    return (other = embed) => {
      given.embed = other;
      return store;
    };
  },
  jsonl: () => {
    const place = join(directory, `${++places}`);
    return (other = embed) => jsonlStore({ directory: place, sync: "never", embed: other });
  },
  sqlite: () => {
    const file = join(directory, `${++places}.db`);
    return (other = embed) => sqliteStore({ file, embed: other });
  },
  ...(typeof world !== "string" && {
    postgres: () => {
      const place = { client: world.newPool(), schema: world.newSchema() };
      return (other = embed) => postgresStore({ ...place, embed: other });
    },
  }),
};

async function filled(open: (embed?: Embed) => FullStore): Promise<FullStore> {
  const store = open();
  await store.create({ id: "a", format: "anthropic-messages", base: {} });
  await append(store, "a", TEXTS.map(user));
  return store;
}

async function found(store: FullStore, query: string, scope: "all" | "archive" = "all"): Promise<string> {
  return (await store.search("a", query, 9, scope)).map(({ messageId }) => messageId).join(" ");
}

describe.each(Object.entries(STORES))("%s", (_, place) => {
  test("what means the same is found, what has the word too is first", async () => {
    const store = await filled(place());
    expect(await found(store, "automobile")).toBe("m4 m1");
    expect(await found(store, "vehicle")).toBe("m4 m1");
    expect(await found(store, "car")).toBe("m1 m4");
    expect(await found(store, "hound")).toBe("m2");
    const [hit] = await store.search("a", "hound", 1);
    expect(hit).toMatchObject({ snippet: "a puppy barked", role: "user", archivedBy: null });
  });

  test("a message is embedded once, when somebody searches; the query each time", async () => {
    const open = place();
    const store = await filled(open);
    expect(calls).toEqual([]);
    await found(store, "dog");
    await found(store, "ship");
    expect(calls).toEqual([["dog"], TEXTS, ["ship"]]);
    await append(store, "a", [user("a new hound")]);
    expect(await found(open(), "dog")).toBe("m7 m2");
    await store.fork("a", "b");
    expect((await store.search("b", "dog", 9)).map(({ messageId }) => messageId)).toEqual(["m7", "m2"]);
    expect(calls.slice(3)).toEqual([["dog"], ["a new hound"], ["dog"]]);
  });

  test("many messages are embedded in bounded calls", async () => {
    const store = await filled(place());
    await append(
      store,
      "a",
      Array.from({ length: 200 }, (_, index) => user(`${index} ${"long ".repeat(5_000)}`)),
    );
    await append(store, "a", [user("a hound")]);
    expect(await found(store, "puppy")).toBe("m2 m207");
    expect(calls.length).toBeGreaterThan(3);
    expect(Math.max(...calls.map(({ length }) => length))).toBeLessThanOrEqual(64);
    expect(Math.max(...calls.flat().map(({ length }) => length))).toBeLessThanOrEqual(8_000);
  });

  test("within the scope, and never what was taken back or purged", async () => {
    const store = await filled(place());
    await compact(store, "a", { archive: [0, 1], summary: "an automobile, a dog" });
    expect(await found(store, "vehicle", "archive")).toBe("m1");
    expect((await found(store, "hound")).split(" ").toSorted()).toEqual(["m2", "m7"]);
    await store.rollback("a", {});
    expect(await found(store, "hound")).toBe("m2");
    await compact(store, "a", { archive: [0, 1], summary: "gone" });
    await store.purge("a", new Date(Date.now() + 60_000));
    expect(await found(store, "hound")).toBe("");
    await store.delete("a");
    await filled(() => store);
    calls = [];
    expect(await found(store, "hound")).toBe("m2");
    expect(calls).toEqual([["hound"], TEXTS]);
  });

  test("with a model of another length all are embedded anew", async () => {
    const open = place();
    await found(await filled(open), "dog");
    const longer: Embed = async (texts, options) =>
      (await embed(texts, options)).map((vector) => [...Array.from(vector), 0]);
    calls = [];
    expect((await found(open(longer), "dog")).split(" ")[0]).toBe("m2");
    expect(calls).toEqual([["dog"], TEXTS]);
  });

  test("what the model fails with fails the search, and the next one goes on", async () => {
    const open = place();
    await filled(open);
    const cause = new Error("503");
    const failing: readonly Embed[] = [
      async () => Promise.reject(cause),
      async () => [],
      async (texts) => texts.map(() => [Number.NaN]),
      async (texts) => texts.map((text) => Array.from({ length: text.length }, () => 1)),
      ...[undefined, { length: 1 }, [undefined], [5], new Array(1)].map((answer) => async () => answer as never),
    ];
    for (const bad of failing) await refuses("model-failed", () => open(bad).search("a", "dog", 3));
    await expect(open(failing[0]).search("a", "dog", 3)).rejects.toMatchObject({ cause, retryable: true });
    const controller = new AbortController();
    const aborted: Embed = async (_, { signal }) => {
      controller.abort();
      signal?.throwIfAborted();
      return [];
    };
    await refuses("aborted", () => open(aborted).search("a", "dog", 3, "all", { signal: controller.signal }));
    const deaf: Embed = () => {
      deafened.abort();
      return new Promise(() => {});
    };
    const deafened = new AbortController();
    await refuses("aborted", () => open(deaf).search("a", "dog", 3, "all", { signal: deafened.signal }));
    expect(await found(open(), "dog")).toBe("m2");
  });
});

test("recall and its tool find by meaning", async () => {
  const store = memoryStore({ embed });
  const session = await openSession("a", { store, compactor: { format: anthropicMessages, telemetry: false } });
  for (const text of TEXTS) await session.append(text);
  expect((await session.recall("hound"))[0]?.messageId).toBe("m2");
  expect(await recallTool(session).run({ query: "hound" })).toContain("a puppy barked");
});
