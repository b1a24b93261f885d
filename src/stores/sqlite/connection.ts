/**
 * One connection to a SQLite file: statements prepared once, rows as plain objects, transactions by hand. Synchronous, like SQLite
 * itself. Knows no table of ours.
 */

import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { CompactionError } from "../../core/errors.ts";
import type { Row } from "../sql/cells.ts";

export interface Connection {
  get(sql: string, ...values: readonly SqlValue[]): Row | undefined;
  all(sql: string, ...values: readonly SqlValue[]): readonly Row[];
  /** How many rows it inserted, changed or deleted by itself; what triggers and cascades did is not counted. */
  run(sql: string, ...values: readonly SqlValue[]): number;
  /** Several statements without values. */
  script(sql: string): void;
  readonly isTransaction: boolean;
  close(): void;
}

type SqlValue = string | number | boolean | null | Uint8Array;

/** For tests: what happens before a statement is carried out, and to a connection that was just opened. */
export interface Seams {
  readonly onStatement?: (sql: string) => void;
  readonly onConnect?: (connection: Connection) => void;
}

export interface ConnectionOptions {
  readonly file: string;
  /** How long SQLite itself waits for a lock. It blocks the thread, so longer waiting is done elsewhere. */
  readonly lockWaitMs: number;
  /** `immutable` also reads where the files beside a write-ahead log cannot be made; nobody may write meanwhile. */
  readonly access?: "read-write" | "read-only" | "immutable";
}

export function openConnection(options: ConnectionOptions, { onStatement }: Seams): Connection {
  const { file, lockWaitMs, access = "read-write" } = options;
  const Driver = loadDriver();
  const place = access === "immutable" ? new URL(`${pathToFileURL(file).href}?immutable=1`) : file;
  const readOnly = access !== "read-write";
  const driver: DatabaseSync = new Driver(place, { timeout: lockWaitMs, enableForeignKeyConstraints: true, readOnly });
  const statements = new Map<string, StatementSync>();
  const prepared = (sql: string): StatementSync => {
    onStatement?.(sql);
    const known = statements.get(sql);
    if (known !== undefined) return known;
    const statement = driver.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  return {
    get: (sql, ...values) => prepared(sql).get(...values.map(bindable)),
    all: (sql, ...values) => prepared(sql).all(...values.map(bindable)),
    run: (sql, ...values) => Number(prepared(sql).run(...values.map(bindable)).changes),
    script: (sql) => {
      onStatement?.(sql);
      driver.exec(sql);
    },
    get isTransaction() {
      return driver.isTransaction;
    },
    close: () => {
      statements.clear();
      driver.close();
    },
  };
}

/** SQLite has no booleans. */
function bindable(value: SqlValue): SQLInputValue {
  return typeof value === "boolean" ? Number(value) : value;
}

type Driver = typeof DatabaseSync;

function loadDriver(): Driver {
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
