/** Every store that this machine can run, new and empty, for tests that must hold for all of them. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FullStore } from "../src/core/store/store-upkeep.ts";
import { jsonlStore } from "../src/stores/jsonl.ts";
import { memoryStore } from "../src/stores/memory.ts";
import { postgresStore } from "../src/stores/postgres.ts";
import { sqliteStore } from "../src/stores/sqlite.ts";
import type { OpenedStore } from "../src/testing/store-contract.ts";
import { postgresWorld } from "./postgres-world.ts";

export interface StoreUnderTest {
  readonly name: string;
  /** Or why this machine cannot run it. */
  open(): Promise<OpenedStore | string>;
}

export const storesUnderTest: readonly StoreUnderTest[] = [
  { name: "memory", open: openMemory },
  { name: "jsonl", open: () => openIn((directory) => jsonlStore({ directory, sync: "never" })) },
  { name: "sqlite", open: () => openIn((directory) => sqliteStore({ file: join(directory, "sessions.db") })) },
  { name: "postgres", open: openPostgres },
];

async function openPostgres(): Promise<OpenedStore | string> {
  const world = await postgresWorld();
  if (typeof world === "string") return world;
  const schema = world.newSchema();
  const open = async (): Promise<FullStore> => postgresStore({ client: world.newPool(), schema });
  return { store: await open(), reopen: open, dispose: () => world.end() };
}

async function openMemory(): Promise<OpenedStore> {
  const store = memoryStore();
  return { store, reopen: async () => store, dispose: () => store.close() };
}

/** In a directory of its own, which goes with it. */
async function openIn(make: (directory: string) => FullStore | Promise<FullStore>): Promise<OpenedStore> {
  const directory = await mkdtemp(join(tmpdir(), "palimpsest-"));
  const opened: FullStore[] = [];
  const open = async (): Promise<FullStore> => {
    const store = await make(directory);
    opened.push(store);
    return store;
  };
  return {
    store: await open(),
    reopen: open,
    dispose: async () => {
      for (const store of opened) await store.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
