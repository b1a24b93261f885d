/**
 * Reads and writes of one store over one connection. A read sees one state of the database; a write is one transaction that takes
 * the lock first, and a failure takes all of it back. While other processes hold the lock it tries again, for a bounded time,
 * without blocking the thread for long. Whatever leaves it is a CompactionError.
 */

import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { CompactionError } from "../../core/errors.ts";
import { throwIfAborted, type Waiting } from "../../core/store/store.ts";
import { makePrivateDirectory, makePrivateFile } from "../private-files.ts";
import { storeClosed } from "../refusals.ts";
import { refuseMigration, type SchemaUse } from "../sql/migrations.ts";
import {
  asCompactionError,
  type Connection,
  type ConnectionOptions,
  isBusy,
  openConnection,
  type Seams,
} from "./connection.ts";
import { migrate, schemaOf } from "./migrations.ts";

export interface Database {
  read<T>(work: (connection: Connection) => T): Promise<T>;
  /** A signal ends the waiting for others, and not the work. */
  write<T>(work: (connection: Connection) => T, waiting?: Waiting): Promise<T>;
  /** Empties the write-ahead log, so that it holds no deleted bytes; while another process reads it, a later checkpoint does. */
  forget(): void;
  close(): void;
}

export interface DatabaseOptions {
  /** Absolute, or `:memory:`. */
  readonly file: string;
  readonly durability: "full" | "normal";
  readonly busyTimeoutMs: number;
  readonly readOnly?: boolean;
  readonly schemaUse?: SchemaUse;
  readonly nowIso: () => string;
}

export const MEMORY_FILE = ":memory:";

export function openDatabase(options: DatabaseOptions, seams: Seams): Database {
  let connection: Connection | undefined;
  let isClosed = false;
  const drop = (): void => {
    const dropped = connection;
    connection = undefined;
    dropped?.close();
  };
  const attempt = <T>(begin: string, work: (connection: Connection) => T): T => {
    if (isClosed) throw storeClosed();
    connection ??= connect(options, seams);
    return inTransaction(connection, { begin, work, drop });
  };
  const patiently = async <T>(
    begin: string,
    work: (connection: Connection) => T,
    waiting: Waiting = {},
  ): Promise<T> => {
    const deadlineMs = performance.now() + options.busyTimeoutMs;
    for (let waitMs = 1; ; waitMs = Math.min(WAIT_MS_MAX, waitMs * 2)) {
      throwIfAborted(waiting);
      try {
        return attempt(begin, work);
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadlineMs) throw asCompactionError(error, options.file);
      }
      // Waiting processes should not all try again at the same instant.
      await pause(waitMs * (0.5 + Math.random()), waiting);
    }
  };
  return {
    read: (work) => patiently("BEGIN", work),
    write: async (work, waiting) => {
      if (options.readOnly) throw readOnlyRefusal(options.file);
      return patiently("BEGIN IMMEDIATE", work, waiting);
    },
    forget: () => {
      try {
        connection?.get("PRAGMA wal_checkpoint(TRUNCATE)");
      } catch {
        // The rows are deleted; the next checkpoint, or closing the file, empties the log.
      }
    },
    close: () => {
      isClosed = true;
      try {
        drop();
      } catch (error) {
        throw asCompactionError(error, options.file);
      }
    },
  };
}

const WAIT_MS_MAX = 32;

async function pause(waitMs: number, { signal }: Waiting): Promise<void> {
  // An abort is thrown before the next attempt.
  await delay(waitMs, undefined, signal === undefined ? {} : { signal }).catch(() => {});
}

/** How long SQLite itself waits for a lock; it blocks the thread meanwhile. */
const LOCK_WAIT_MS = 10;

/** How long the write-ahead log grows, because later checkpoints copy fewer pages; 4,000 pages of 4 KiB cost 16 MiB on disk. */
const CHECKPOINT_PAGES = 4_000;

function inTransaction<T>(
  connection: Connection,
  { begin, work, drop }: { begin: string; work: (connection: Connection) => T; drop: () => void },
): T {
  try {
    connection.run(begin);
    const result = work(connection);
    connection.run("COMMIT");
    return result;
  } catch (error) {
    takeBack(connection, drop);
    throw error;
  }
}

function takeBack(connection: Connection, drop: () => void): void {
  // Some failures, such as a full disk, have rolled everything back already.
  if (!connection.isTransaction) return;
  try {
    connection.run("ROLLBACK");
  } catch {
    // Closing the connection rolls its transaction back; the failure that led here is the one that is thrown.
    drop();
  }
}

function connect(options: DatabaseOptions, seams: Seams): Connection {
  const { file, durability } = options;
  if (options.readOnly) return connectReadOnly({ file, lockWaitMs: LOCK_WAIT_MS }, seams);
  const schemaUse = file === MEMORY_FILE ? "make" : (options.schemaUse ?? "make");
  // Opening would create the file.
  if (schemaUse !== "make" && !existsSync(file)) refuseMigration(schemaUse, { place: file, ...NOTHING });
  if (file !== MEMORY_FILE) {
    makePrivateDirectory(dirname(file));
    // SQLite would let everybody read it, and gives the files beside it the same mode.
    makePrivateFile(file);
  }
  const connection = openConnection({ file, lockWaitMs: LOCK_WAIT_MS }, seams);
  try {
    seams.onConnect?.(connection);
    // Checked before anything is written, so that the file of another program stays unchanged.
    const schema = schemaOf(connection);
    refuseMigration(schemaUse, { place: file, ...schema });
    // Not FAST, which leaves whole pages of deleted bodies in the file. Always, because every rewritten row leaves a copy too.
    connection.run("PRAGMA secure_delete = ON");
    connection.run("PRAGMA journal_mode = WAL");
    connection.run(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    connection.run(`PRAGMA synchronous = ${durability === "full" ? "FULL" : "NORMAL"}`);
    if (!schema.isUpToDate) {
      const work = (): void => migrate(connection, options.nowIso());
      inTransaction(connection, { begin: "BEGIN IMMEDIATE", work, drop: () => {} });
    }
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

const NOTHING = { isThere: false, isUpToDate: false };

function connectReadOnly(options: ConnectionOptions, seams: Seams): Connection {
  try {
    return checked(options, "read-only", seams);
  } catch (error) {
    // What the log holds would be missed without it.
    if (error instanceof CompactionError || logBytes(options.file) > 0) throw error;
    return checked(options, "immutable", seams);
  }
}

function readOnlyRefusal(file: string): CompactionError {
  const message = `The database ${file} is only read, and this has to write to it; a search first brings its index up to date. Nothing was changed; make the file and its folder writable.`;
  return new CompactionError("storage", message);
}

function checked(options: ConnectionOptions, access: "read-only" | "immutable", seams: Seams): Connection {
  const connection = openConnection({ ...options, access }, seams);
  try {
    seams.onConnect?.(connection);
    refuseMigration("keep", { place: options.file, ...schemaOf(connection) });
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function logBytes(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}

const PAGE_ROWS = 500;

/** `load` gets the last item of the page before, undefined for the first; a page shorter than it asked for is the last. */
export async function* pages<T>(
  database: Database,
  load: (connection: Connection, after: T | undefined, limit: number) => readonly T[],
): AsyncGenerator<T> {
  let after: T | undefined;
  while (true) {
    const page = await database.read((connection) => load(connection, after, PAGE_ROWS));
    yield* page;
    if (page.length < PAGE_ROWS) return;
    after = page.at(-1);
  }
}
