/** What a process leaves that is killed while it writes a file anew: told, and gone when the session is written anew or deleted. */

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { FullStore } from "../../core/store/store-upkeep.ts";
import { begin, compact, isSound, listOf } from "../../testing/store/world.ts";
import { jsonlStore } from "../jsonl.ts";
import { thisProcess } from "./lock.ts";

const ID = "0b8f1c1e-3f0c-4a57-9d44-6a5f5f1d7a11";
/** One of the session, one of its lease, and one of another session whose id is as tricky as can be. */
const MINE = [`a.jsonl.${ID}.tmp`, `a.jsonl.lease.${ID}.tmp`];
const OTHERS = [`a.jsonl.b.tmp.jsonl.${ID}.tmp`, `aa.jsonl.${ID}.tmp`, "notes.tmp"];

async function setUp(): Promise<{ directory: string; store: FullStore }> {
  const directory = mkdtempSync(join(tmpdir(), "palimpsest-left-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const store = jsonlStore({ directory, sync: "never" });
  await begin(store, "a", 4);
  await compact(store, "a", { archive: [0], summary: "s" });
  for (const name of [...MINE, ...OTHERS]) writeFileSync(join(directory, name), "SECRET");
  return { directory, store };
}

const WAYS: Readonly<Record<string, (store: FullStore, directory: string) => Promise<unknown>>> = {
  delete: (store) => store.delete("a"),
  purge: (store) => store.purge("a", new Date(Date.now() + 1_000)),
  create: (store, directory) => {
    rmSync(join(directory, "a.jsonl"));
    return begin(store, "a", 1);
  },
  fork: async (store, directory) => {
    await begin(store, "c", 1);
    rmSync(join(directory, "a.jsonl"));
    await store.fork("c", "a");
  },
};

test.each(Object.keys(WAYS))("%s removes what was left of the session, and nothing of others", async (way) => {
  const { directory, store } = await setUp();
  await WAYS[way]?.(store, directory);
  const left = readdirSync(directory).filter((name) => name.endsWith(".tmp"));
  expect(left.sort()).toEqual([...OTHERS].sort());
  const held = readdirSync(directory).filter((name) => readFileSync(join(directory, name), "utf8").includes("SECRET"));
  expect(held.sort()).toEqual(left.sort());
});

test("it is told, of one session or of all; what was to become a lease holds nothing, and is not", async () => {
  const { directory, store } = await setUp();
  const told = async (sessionId?: string) =>
    (await listOf(store.examine(sessionId))).map(({ sessionId: id, rule, message }) => {
      return `${rule} ${id} ${readdirSync(directory).find((name) => message.includes(join(directory, `${name} `)))}`;
    });
  const mine = `left-over a ${MINE[0]}`;
  expect(await told("a")).toEqual([mine]);
  const others = OTHERS.filter((name) => name.includes(".jsonl.")).map((name) => `left-over  ${name}`);
  expect((await told()).sort()).toEqual([mine, ...others].sort());
});

test("what somebody may be just writing is not", async () => {
  const { directory, store } = await setUp();
  for (const name of OTHERS) rmSync(join(directory, name));
  const lock = join(directory, "a.jsonl.lock");
  writeFileSync(lock, JSON.stringify({ ...thisProcess(), token: "t" }));
  await isSound(store);
  writeFileSync(lock, JSON.stringify({ ...thisProcess(), pid: 2 ** 22 + 1, token: "t" }));
  expect((await listOf(store.examine())).map(({ rule }) => rule)).toEqual(["left-over"]);
  expect(existsSync(join(directory, MINE[0] ?? ""))).toBe(true);
});
