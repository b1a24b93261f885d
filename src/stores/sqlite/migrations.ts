/** Applies all pending migrations in one transaction. Never touches a database of a newer version or of another program. */

import { CompactionError } from "../../core/errors.ts";
import { textIn } from "../sql/cells.ts";
import { appliedIn, type Migration, pendingMigrations, type SchemaState } from "../sql/migrations.ts";
import type { Connection } from "./connection.ts";
import { initial } from "./migrations/001-initial.ts";
import { identity } from "./migrations/002-identity.ts";
import { searchWords } from "./migrations/003-search-words.ts";
import { agents } from "./migrations/004-agents.ts";
import { traffic } from "./migrations/005-traffic.ts";
import { search } from "./migrations/006-search.ts";

const MIGRATIONS: readonly Migration[] = [initial, identity, searchWords, agents, traffic, search];

/** Only reads. */
export function schemaOf(connection: Connection): Omit<SchemaState, "place"> {
  const applied = appliedTo(connection);
  return { isThere: applied.length > 0, isUpToDate: pendingMigrations(MIGRATIONS, applied).length === 0 };
}

/** Within a transaction that holds the write lock. */
export function migrate(connection: Connection, appliedAt: string): void {
  for (const { number, name, sql } of pendingMigrations(MIGRATIONS, appliedTo(connection))) {
    if (number === 1) connection.script(MIGRATIONS_TABLE);
    connection.script(sql);
    connection.run(
      "INSERT INTO schema_migrations (number, name, applied_at) VALUES (?, ?, ?)",
      number,
      name,
      appliedAt,
    );
  }
}

const MIGRATIONS_TABLE =
  "CREATE TABLE schema_migrations (number INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT";

function appliedTo(connection: Connection): ReturnType<typeof appliedIn> {
  const tables = connection
    .all("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .map((row) => textIn(row, "name"));
  if (tables.includes("schema_migrations")) {
    return appliedIn(connection.all("SELECT number, name FROM schema_migrations"));
  }
  if (tables.length === 0) return [];
  const message =
    "The database belongs to another program: it has tables that are not ours. Nothing was changed; use another file.";
  throw new CompactionError("storage", message);
}
