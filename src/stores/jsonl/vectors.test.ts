import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { append, compact, user } from "../../testing/store/world.ts";
import { jsonlStore } from "../jsonl.ts";
import { addVectors, readVectors, removeVectors } from "./vectors.ts";

const directory = mkdtempSync(join(tmpdir(), "palimpsest-vectors-"));
afterAll(() => rmSync(directory, { recursive: true }));

const vectorsOf = (...sequences: readonly number[]) =>
  sequences.map((sequence) => ({ sequence, vector: Int8Array.from([sequence, -sequence]) }));

test("what is added is read again, the newest of a message, and only by its own session", () => {
  const path = join(directory, "a.jsonl");
  expect(readVectors(path, "first")).toEqual(new Map());
  addVectors(path, "first", vectorsOf(1, 2));
  addVectors(path, "first", [{ sequence: 2, vector: Int8Array.from([7, 7]) }, ...vectorsOf(3)]);
  const found = readVectors(path, "first");
  expect([...found].map(([sequence, vector]) => [sequence, ...vector])).toEqual([
    [1, 1, -1],
    [2, 7, 7],
    [3, 3, -3],
  ]);
  expect(readVectors(path, "second")).toEqual(new Map());
  addVectors(path, "second", vectorsOf(9));
  expect([...readVectors(path, "second").keys()]).toEqual([9]);
  removeVectors(path);
  expect(existsSync(`${path}.vectors`)).toBe(false);
});

test("a line that was cut off does not count, and takes none with it", () => {
  const path = join(directory, "b.jsonl");
  addVectors(path, "x", vectorsOf(1));
  appendFileSync(`${path}.vectors`, '{"sequence":2,"vec');
  addVectors(path, "x", vectorsOf(3));
  expect([...readVectors(path, "x").keys()]).toEqual([1, 3]);
});

test("a purge takes the vectors of its messages from the disk, a deletion all", async () => {
  const store = jsonlStore({
    directory: join(directory, "store"),
    sync: "never",
    embed: async (texts) => texts.map((text) => [text.length, 1]),
  });
  await store.create({ id: "a", format: "anthropic-messages", base: {} });
  await append(store, "a", ["one", "three", "seventeen"].map(user));
  await store.search("a", "three", 3);
  const file = join(directory, "store", "a.jsonl.vectors");
  const numbers = () =>
    [...readFileSync(file, "utf8").matchAll(/"sequence":(\d+)/g)].map(([, number]) => Number(number));
  expect(numbers()).toEqual([1, 2, 3]);
  await compact(store, "a", { archive: [0, 1], summary: "gone" });
  await store.purge("a", new Date(Date.now() + 60_000));
  expect(numbers()).toEqual([3]);
  await store.delete("a");
  expect(readdirSync(join(directory, "store"))).toEqual([]);
});
