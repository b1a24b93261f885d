/** A store by address, over a pool of `pg` that it makes and ends. `?schema=NAME` names the schema; the rest is for `pg`. */

import { CompactionError } from "../../core/errors.ts";
import type { FullStore } from "../../core/store/store-upkeep.ts";
import { postgresStore } from "../postgres.ts";
import type { SchemaUse } from "../sql/migrations.ts";

export async function openPostgres(address: string, schemaUse: SchemaUse = "make"): Promise<FullStore> {
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
  const { Pool } = (await loadClient()).default;
  // Idle connections keep no process alive, so that one that forgets to close the store still ends.
  const pool = new Pool({ connectionString: url.href, allowExitOnIdle: true });
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

async function loadClient() {
  try {
    return await import("pg");
  } catch (cause) {
    const message = "Postgres needs the package pg, which is not installed. Run: npm install pg";
    throw new CompactionError("missing-dependency", message, { cause });
  }
}
