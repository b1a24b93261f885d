/**
 * A connection that only reads, also from a folder where nothing can be made. SQLite wants files of its own beside a database with a
 * write-ahead log; where they cannot be made and the log is empty, the file is read as one that nobody changes.
 */

import { statSync } from "node:fs";
import { CompactionError } from "../../core/errors.ts";
import { refuseMigration } from "../sql/migrations.ts";
import { type Database, type DatabaseOptions, openDatabase, type Seams } from "./database.ts";
import { schemaOf } from "./migrate.ts";

export function connectReadOnly(options: DatabaseOptions, seams: Seams): Database {
  try {
    return checked(options, "read-only", seams);
  } catch (error) {
    // What the log holds would be missed without it.
    if (error instanceof CompactionError || logBytes(options.file) > 0) throw error;
    return checked(options, "immutable", seams);
  }
}

export const WRITE_NEEDED = "this has to write to it; a search first brings its index up to date";

export function readOnlyRefusal(file: string, why: string): CompactionError {
  const message = `The database ${file} is only read, and ${why}. Nothing was changed; make the file and its folder writable.`;
  return new CompactionError("storage", message);
}

function checked(options: DatabaseOptions, access: "read-only" | "immutable", seams: Seams): Database {
  const database = openDatabase({ ...options, access }, seams);
  try {
    seams.onConnect?.(database);
    refuseMigration("keep", { place: options.file, ...schemaOf(database) });
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function logBytes(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}
