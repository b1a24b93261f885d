/**
 * Sessions in Postgres, for any number of workers over one database. The client is the caller's: a `Pool` of `pg`, or anything of
 * its shape. Tables stand in one schema, made and kept up to date on first use unless `schemaUse` forbids it. Never changes or deletes a message's row but to
 * purge it; every error that leaves is a CompactionError.
 */

import { randomUUID } from "node:crypto";
import type { Embed } from "../core/search/embedding.ts";
import type { FullStore } from "../core/store/store-upkeep.ts";
import type { TrafficStore } from "../core/store/traffic.ts";
import type { PostgresClient } from "./postgres/client.ts";
import { BUSY_TIMEOUT_MS, openDatabase } from "./postgres/database.ts";
import { quotedSchema } from "./postgres/sql-text.ts";
import { createPostgresStore } from "./postgres/store.ts";
import { checkBusyTimeout } from "./refusals.ts";
import { checkSchemaUse, type SchemaUse } from "./sql/migrations.ts";

export type { PostgresClient, PostgresConnection, PostgresStatement, PostgresValue } from "./postgres/client.ts";
export { fromPostgresJs, type PostgresJs } from "./postgres/client.ts";

export interface PostgresStoreOptions {
  /** Stays the caller's: closing the store does not end it. */
  readonly client: PostgresClient;
  /** The schema of the tables; `palimpsest` by default. */
  readonly schema?: string;
  /** `make` by default; `update` refuses a schema that is not there, `keep` one that is not up to date, too. */
  readonly schemaUse?: SchemaUse;
  /** How long to wait for a lock while other workers write to the session; 10 seconds by default. */
  readonly busyTimeoutMs?: number;
  /** False where a proxy between cannot keep prepared statements. */
  readonly isPrepared?: boolean;
  /** How the store names itself; only host, port, user, database and schema of it are shown. */
  readonly url?: string;
  /** Finds by meaning too; vectors are kept in the store. Without it, by words alone. */
  readonly embed?: Embed;
  readonly newId?: () => string;
}

/**
 * @example
 * const store = postgresStore({ client: new Pool({ connectionString: process.env.DATABASE_URL }) });
 */
export function postgresStore(options: PostgresStoreOptions): FullStore & TrafficStore {
  const { client, schema = "palimpsest", schemaUse = "make", isPrepared = true, newId = randomUUID } = options;
  const { busyTimeoutMs = BUSY_TIMEOUT_MS, embed } = options;
  checkBusyTimeout(busyTimeoutMs);
  checkSchemaUse(schemaUse);
  const database = openDatabase({ client, schema: quotedSchema(schema), isPrepared, busyTimeoutMs });
  const url = shownUrl(options.url ?? `postgres:${schema}`);
  return createPostgresStore(database, { use: schemaUse, place: url, newId, embed });
}

/** Other parameters of the query may be secrets, such as `sslpassword`, and are not shown. */
const SHOWN_PARAMETERS = ["host", "port", "user", "database", "schema"];

function shownUrl(url: string): string {
  if (!URL.canParse(url)) return "postgres:";
  const shown = new URL(url);
  const given = [...shown.searchParams];
  shown.password = "";
  shown.hash = "";
  shown.search = "";
  for (const [name, value] of given) if (SHOWN_PARAMETERS.includes(name)) shown.searchParams.append(name, value);
  return shown.href;
}
