/**
 * The number of the newest migration that a SQLite store has. Read from the file itself, and only read; undefined for stores without
 * a schema, and for servers, whose schema is checked when they are opened.
 */

import { placeOf } from "./store-option.ts";

export function schemaVersionOf(url: string): number | undefined {
  const file = url.startsWith("sqlite:") ? placeOf(url) : undefined;
  // Loaded by the store already, so that older Node versions do not announce here that it is experimental.
  const sqlite = file === undefined ? undefined : process.getBuiltinModule("node:sqlite");
  if (file === undefined || sqlite === undefined) return undefined;
  const database = new sqlite.DatabaseSync(file, { readOnly: true });
  try {
    const row = database.prepare("SELECT max(number) AS newest FROM schema_migrations").get();
    return typeof row?.newest === "number" ? row.newest : undefined;
  } finally {
    database.close();
  }
}
