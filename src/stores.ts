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

/** Loaded when asked for, so that nobody pays for what they do not use. */
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

async function openServer(address: string, { schemaUse }: OpenOptions): Promise<FullStore> {
  return (await import("./stores/postgres/open-url.ts")).openPostgres(address, schemaUse);
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
