/** Loads `node:sqlite` when it is first needed. Older Node versions announce that it is experimental; that one warning is not shown, every other is. */

import type { DatabaseSync } from "node:sqlite";
import { CompactionError } from "../../core/errors.ts";

export type Driver = typeof DatabaseSync;

export function loadDriver(): Driver {
  const emitWarning = process.emitWarning;
  process.emitWarning = (...warning: unknown[]) => {
    if (!isSqliteNotice(warning)) Reflect.apply(emitWarning, process, warning);
  };
  try {
    const module = process.getBuiltinModule("node:sqlite");
    if (module === undefined) throw new CompactionError("missing-dependency", MISSING);
    return module.DatabaseSync;
  } finally {
    process.emitWarning = emitWarning;
  }
}

const MISSING = "This Node has no node:sqlite. Nothing was changed; use Node 22.18 or newer, or another store.";

function isSqliteNotice([text, type]: readonly unknown[]): boolean {
  return type === "ExperimentalWarning" && String(text).includes("SQLite");
}
