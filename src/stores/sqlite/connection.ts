/** One connection to a SQLite file: prepared statements, rows as plain objects, and what its errors mean. Knows no table of ours. */

import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { CompactionError } from "../../core/errors.ts";
import type { Row } from "../sql/cells.ts";

export interface Connection {
  get(sql: string, ...values: readonly SqlValue[]): Row | undefined;
  all(sql: string, ...values: readonly SqlValue[]): readonly Row[];
  /** How many rows it inserted, changed or deleted by itself; what triggers and cascades did is not counted. */
  run(sql: string, ...values: readonly SqlValue[]): number;
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

/** Turns what SQLite threw into a CompactionError; a CompactionError passes unchanged. */
export function asCompactionError(error: unknown, file: string): CompactionError {
  if (error instanceof CompactionError) return error;
  const [what, remedy] = REASONS[sqliteCode(error) ?? -1] ?? [
    `could not be read or written (${textOf(error)})`,
    "the cause says more",
  ];
  const message = `The database ${file} ${what}. Nothing was changed; ${remedy}.`;
  return new CompactionError("storage", message, { cause: error, retryable: isBusy(error) });
}

/** Another connection has the lock: the call can be tried again. */
export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === BUSY || code === LOCKED;
}

const BUSY = 5;
const LOCKED = 6;

/** By primary result code. */
const REASONS: Readonly<Record<number, readonly [what: string, remedy: string]>> = {
  3: ["may not be accessed", "check the permissions of the file and its folder"],
  [BUSY]: ["is locked: another process is writing to it", "try again"],
  [LOCKED]: ["is locked: another process is writing to it", "try again"],
  8: ["cannot be written to: it is read-only", "make the file and its folder writable, or use another file"],
  10: ["could not be read or written: the disk failed", "check the disk"],
  11: ["is damaged", "restore it from a backup"],
  13: ["cannot grow: the disk is full", "free some space and try again"],
  14: ["cannot be opened", "check that the path is a file, and the permissions of the file and its folder"],
  18: ["cannot hold a row this large", "make the message smaller"],
  26: ["is not a SQLite database", "use another file"],
};

/** The low byte is the primary code, the rest says more. */
function sqliteCode(error: unknown): number | undefined {
  const code = error instanceof Error && "errcode" in error ? error.errcode : undefined;
  return typeof code === "number" ? code & 0xff : undefined;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
