/** Stores by address: `memory:`, `jsonl:DIR`, `sqlite:FILE`, `postgres://…`. What an address does not say has its default. */

import { CompactionError } from "./core/errors.ts";
import type { FullStore } from "./core/store/store-upkeep.ts";
import type { SchemaUse } from "./stores/sql/migrations.ts";

export interface OpenOptions {
  /** The embedded database is opened without ever writing to it. */
  readonly readOnly?: boolean;
  /** Of a database: whether its tables are made, only brought up to date, or left as they are. `make` by default. */
  readonly schemaUse?: SchemaUse;
}

type Open = (address: string, options: OpenOptions) => Promise<FullStore>;

/** Each store is loaded when it is first asked for. */
const OPENERS: Readonly<Record<string, Open>> = {
  memory: async () => (await import("./stores/memory.ts")).memoryStore(),
  jsonl: async (address) => {
    const directory = pathIn(address, "jsonl:DIR");
    return (await import("./stores/jsonl.ts")).jsonlStore({ directory });
  },
  sqlite: async (address, { readOnly = false, schemaUse = "make" }) => {
    const file = pathIn(address, "sqlite:FILE");
    return (await import("./stores/sqlite.ts")).sqliteStore({ file, readOnly, schemaUse });
  },
  postgres: openServer,
  postgresql: openServer,
};

/** @example const store = await openStore("sqlite:./sessions.db"); */
export async function openStore(url: string, options: OpenOptions = {}): Promise<FullStore> {
  const scheme = /^([a-z]+):/.exec(url)?.[1] ?? "";
  const open = Object.hasOwn(OPENERS, scheme) ? OPENERS[scheme] : undefined;
  if (open === undefined) {
    const known = "memory:, jsonl:DIR, sqlite:FILE or postgres://…";
    // The address itself is not repeated: a mistyped one may hold a password.
    throw new CompactionError("invalid-settings", `This is not the address of a store. Known are ${known}.`);
  }
  return open(url, options);
}

/** Over a pool of `pg` that the store makes and ends. `?schema=NAME` names the schema; the rest is for `pg`. */
async function openServer(address: string, { schemaUse = "make" }: OpenOptions): Promise<FullStore> {
  if (!URL.canParse(address)) {
    // Not repeated, because it may hold a password.
    throw new CompactionError(
      "invalid-settings",
      "This is not an address of Postgres: write postgres://USER@HOST/DATABASE.",
    );
  }
  const url = new URL(address);
  const schema = url.searchParams.get("schema") ?? undefined;
  const shown = url.href;
  url.searchParams.delete("schema");
  const [{ postgresStore }, { openPool }] = [
    await import("./stores/postgres.ts"),
    await import("./stores/postgres/client.ts"),
  ];
  const pool = await openPool(url.href);
  const store = postgresStore({ client: pool, url: shown, schemaUse, ...(schema !== undefined && { schema }) });
  let ended: Promise<void> | undefined;
  return {
    ...store,
    close: async () => {
      await store.close();
      ended ??= pool.end();
      await ended;
    },
  };
}

function pathIn(address: string, form: string): string {
  const rest = address.slice(address.indexOf(":") + 1);
  // Would otherwise name a file in the root of the disk.
  if (/^\/\/(?!\/)/.test(rest)) {
    const absolute = form.replace(":", ":///ABSOLUTE/");
    throw new CompactionError(
      "invalid-settings",
      `Two slashes name a host, which is not meant here: write ${form} or ${absolute}.`,
    );
  }
  const path = rest.replace(/^\/\/(?=\/)/, "");
  if (path === "") throw new CompactionError("invalid-settings", `A path is missing: write ${form}.`);
  return path;
}
