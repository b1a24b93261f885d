/** Stores by address: `memory:`, `jsonl:DIR`, `sqlite:FILE`, `postgres://…`. What an address does not say has its default. */

import { CompactionError } from "./core/errors.ts";
import type { Store } from "./core/store/store.ts";

type Open = (address: string) => Promise<Store>;

/** Loaded when asked for, so that nobody pays for what they do not use. */
const OPENERS: Readonly<Record<string, Open>> = {
  memory: async () => (await import("./stores/memory.ts")).memoryStore(),
  jsonl: async (address) => {
    const directory = pathIn(address, "jsonl:DIR");
    return (await import("./stores/jsonl.ts")).jsonlStore({ directory });
  },
  sqlite: async (address) => {
    const file = pathIn(address, "sqlite:FILE");
    return (await import("./stores/sqlite.ts")).sqliteStore({ file });
  },
  postgres: async (address) => (await import("./stores/postgres/open-url.ts")).openPostgres(address),
  postgresql: async (address) => (await import("./stores/postgres/open-url.ts")).openPostgres(address),
};

export async function openStore(url: string): Promise<Store> {
  const scheme = /^([a-z]+):/.exec(url)?.[1] ?? "";
  const open = Object.hasOwn(OPENERS, scheme) ? OPENERS[scheme] : undefined;
  if (open === undefined) {
    const known = "memory:, jsonl:DIR, sqlite:FILE or postgres://…";
    // The address itself is not repeated: a mistyped one may hold a password.
    throw new CompactionError("invalid-options", `This is not the address of a store. Known are ${known}.`);
  }
  return open(url);
}

function pathIn(address: string, form: string): string {
  const path = address.slice(address.indexOf(":") + 1).replace(/^\/\/(?=\/)/, "");
  if (path === "") throw new CompactionError("invalid-options", `A path is missing: write ${form}.`);
  return path;
}
