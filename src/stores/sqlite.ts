/** The embedded store: sessions in one SQLite file, for any number of processes on one machine. What was acknowledged is on disk. */

import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { CompactionError } from "../core/errors.ts";
import type { Embed } from "../core/search/embedding.ts";
import type { FullStore } from "../core/store/store-upkeep.ts";
import type { TrafficStore } from "../core/store/traffic.ts";
import { checkBusyTimeout } from "./refusals.ts";
import { checkSchemaUse, type SchemaUse } from "./sql/migrations.ts";
import { MEMORY_FILE } from "./sqlite/database.ts";
import { createSqliteStore } from "./sqlite/store.ts";

export interface SqliteStoreOptions {
  /** Where the sessions are; the folder is made if need be. `:memory:` keeps them nowhere. */
  readonly file: string;
  /** `full` survives a power cut; `normal` survives a crash of the process and is faster. Full by default. */
  readonly durability?: "full" | "normal";
  /** How long to wait while other processes write; 5 seconds by default. */
  readonly busyTimeoutMs?: number;
  /** Never writes to the file and never makes one, and so reads from a read-only folder too. False by default. */
  readonly readOnly?: boolean;
  /** `make` by default; `update` refuses a file that is not there or is empty, `keep` one that is not up to date, too. */
  readonly schemaUse?: SchemaUse;
  readonly now?: () => Date;
  /** Finds by meaning too; vectors are kept in the store. Without it, by words alone. */
  readonly embed?: Embed;
  /** Ids of compaction events: never the same twice. */
  readonly newId?: () => string;
}

/** @example const store = sqliteStore({ file: "./.palimpsest/sessions.db" }); */
export function sqliteStore(options: SqliteStoreOptions): FullStore & TrafficStore {
  const {
    file,
    durability = "full",
    busyTimeoutMs = BUSY_TIMEOUT_MS,
    readOnly = false,
    schemaUse = "make",
    now = () => new Date(),
    newId = randomUUID,
    embed,
  } = options;
  if (typeof file !== "string" || file === "" || file.includes("\0")) throw invalid("file must be the path of a file");
  if (durability !== "full" && durability !== "normal") throw invalid('durability must be "full" or "normal"');
  checkBusyTimeout(busyTimeoutMs);
  checkSchemaUse(schemaUse);
  // Made absolute, so that a later change of the working directory does not change the file, and no path is taken for a URI.
  const path = file === MEMORY_FILE ? file : resolve(file);
  const url = `sqlite:${file}`;
  return createSqliteStore({ url, file: path, durability, busyTimeoutMs, readOnly, schemaUse, now, newId, embed });
}

const BUSY_TIMEOUT_MS = 5_000;

function invalid(problem: string): CompactionError {
  return new CompactionError("invalid-settings", `${problem}. Nothing was opened.`);
}
