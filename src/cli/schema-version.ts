/**
 * The number of the newest migration that a SQLite store has. Read from the file itself, and only read; undefined for stores without
 * a schema, and for servers, whose schema is checked when they are opened.
 */

import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { placeOf } from "./store-option.ts";

export function schemaVersionOf(url: string): number | undefined {
  const file = url.startsWith("sqlite:") ? placeOf(url) : undefined;
  // Loaded by the store already, so that older Node versions do not announce here that it is experimental.
  const sqlite = file === undefined ? undefined : process.getBuiltinModule("node:sqlite");
  if (file === undefined || sqlite === undefined) return undefined;
  try {
    return newestIn(new sqlite.DatabaseSync(file, { readOnly: true }));
  } catch {
    // In a folder where nothing can be made; whether its log may be passed over the store has checked already.
    return newestIn(new sqlite.DatabaseSync(new URL(`${pathToFileURL(file).href}?immutable=1`), { readOnly: true }));
  }
}

function newestIn(database: DatabaseSync): number | undefined {
  try {
    const row = database.prepare("SELECT max(number) AS newest FROM schema_migrations").get();
    return typeof row?.newest === "number" ? row.newest : undefined;
  } finally {
    database.close();
  }
}
