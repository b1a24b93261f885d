/**
 * Statements and transactions over a client, with bounded retries where they are safe: a read whose connection was lost, and a
 * transaction that Postgres took back in favour of another. A write whose answer was lost is never sent again. No wait for a lock is
 * endless, and no transaction of a worker that fell silent keeps its locks: the server itself ends both.
 */

import { hash } from "node:crypto";
import { EventEmitter } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { throwIfAborted, type Waiting } from "../../core/store/store.ts";
import { storeClosed } from "../refusals.ts";
import type { Row } from "../sql/cells.ts";
import {
  isConnectionLost,
  isLockTimeout,
  isLostRace,
  isNeverSent,
  type PostgresClient,
  type PostgresConnection,
  type PostgresStatement,
  type PostgresValue,
  storageFailure,
} from "./client.ts";

export interface Database {
  /** Quoted, to stand before a table's name. */
  readonly schema: string;
  /** One statement that changes nothing. */
  readonly read: Query;
  /** One statement that is a transaction of its own. A signal ends it while it waits for a lock, and not later. */
  write(doing: string, statement: WriteStatement, waiting?: Waiting): Promise<readonly Row[]>;
  /** The body's first statement must change nothing: it may be sent before `BEGIN` is answered. The signal as above. */
  transaction<T>(
    doing: string,
    body: (transaction: Transaction) => Promise<T>,
    options?: TransactionOptions,
  ): Promise<T>;
  close(): void;
}

export interface Transaction {
  readonly query: Query;
  /** Sent one behind the other without waiting, where the client can do that; what they found, in order. */
  pipeline(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]>;
  script(text: string): Promise<void>;
}

/** A statement with long lists among its values is planned anew each time: a kept plan compares every row with every element. */
type Planning = "prepared" | "planned";

export type Statement = readonly [text: string, values: readonly PostgresValue[], planning?: Planning];

type Query = (text: string, values: readonly PostgresValue[], planning?: Planning) => Promise<readonly Row[]>;

/** The text with a condition that has to stand beside those of the row that may be locked: it bounds the wait, and is always true. */
export type WriteStatement = readonly [textOf: (lockBound: string) => string, values: readonly PostgresValue[]];

interface TransactionOptions extends Waiting {
  readonly begin?: string;
}

interface DatabaseOptions {
  readonly client: PostgresClient;
  readonly schema: string;
  readonly isPrepared: boolean;
  /** How long a lock is waited for in all. */
  readonly busyTimeoutMs: number;
}

export function openDatabase({ client, schema, isPrepared, busyTimeoutMs }: DatabaseOptions): Database {
  const statementOf = statements(isPrepared);
  let isClosed = false;
  const connection = (): PostgresClient => {
    if (isClosed) throw storeClosed();
    return client;
  };
  if (!hasListener(client)) tolerateErrors(client);
  return {
    schema,
    read: (...statement) =>
      attempt({ doing: "read", isAgain: isReadAgain }, async () =>
        rowsOf(await connection().query(statementOf(...statement))),
      ),
    write: (doing, [textOf, values], waiting = {}) => {
      const locks = lockWaits(busyTimeoutMs, waiting);
      const statement = statementOf(textOf(lockBound(locks.waitMs)), values);
      return attempt({ doing, isAgain: isWriteAgain, waiting, lockWaits: locks.count }, async (onUnsure) => {
        onUnsure();
        return rowsOf(await connection().query(statement));
      });
    },
    transaction: (doing, body, { begin = BEGIN, ...waiting } = {}) => {
      const locks = lockWaits(busyTimeoutMs, waiting);
      const bounded = `${begin}; ${transactionBounds(locks.waitMs)}`;
      return attempt({ doing, isAgain: isWriteAgain, waiting, lockWaits: locks.count }, async (onUnsure) =>
        transact(await connection().connect(), { begin: bounded, statementOf, body, onUnsure }),
      );
    },
    close: () => {
      isClosed = true;
    },
  };
}

/** Stated, because under another default level a statement would not see what was committed while it waited for a lock. */
const BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED";

const TRIES_MAX = 4;
const RETRY_DELAY_MS = 25;

function isReadAgain(error: unknown): boolean {
  return isConnectionLost(error) || isWriteAgain(error);
}

function isWriteAgain(error: unknown): boolean {
  return isLostRace(error) || isNeverSent(error);
}

interface Attempt {
  readonly doing: string;
  readonly isAgain: (error: unknown) => boolean;
  readonly waiting?: Waiting;
  /** How often a lock may be waited for. */
  readonly lockWaits?: number;
}

async function attempt<T>(
  { doing, isAgain, waiting = {}, lockWaits: waitsMax = 1 }: Attempt,
  action: (onUnsure: () => void) => Promise<T>,
): Promise<T> {
  for (let [tries, waits] = [1, 1]; ; ) {
    throwIfAborted(waiting);
    let isUnsure = false;
    const onUnsure = (): void => {
      isUnsure = true;
    };
    try {
      return await action(onUnsure);
    } catch (error) {
      if (isLockTimeout(error) && waits++ < waitsMax) continue;
      if (tries === TRIES_MAX || !isAgain(error)) throw storageFailure(doing, error, isUnsure);
      await delay(RETRY_DELAY_MS * 2 ** tries++);
    }
  }
}

type StatementOf = (...statement: Statement) => PostgresStatement;

interface Work<T> {
  readonly begin: string;
  readonly statementOf: StatementOf;
  readonly body: (transaction: Transaction) => Promise<T>;
  /** Called before the commit is sent: from then on, a lost connection leaves the outcome unknown. */
  readonly onUnsure: () => void;
}

async function transact<T>(
  connection: PostgresConnection,
  { begin, statementOf, body, onUnsure }: Work<T>,
): Promise<T> {
  const forgetErrors = tolerateErrors(connection);
  let isBroken = true;
  try {
    const begun = settle(connection.query({ text: begin }));
    if (connection.pipeline !== true) throwFirst([await begun]);
    const query: Query = async (...statement) => {
      const found = settle(connection.query(statementOf(...statement)));
      throwFirst([await begun, await found]);
      return rowsOf(resultOf(await found));
    };
    const result = await body(transactionOf(connection, query));
    onUnsure();
    await connection.query({ text: "COMMIT" });
    isBroken = false;
    return result;
  } catch (error) {
    isBroken = isConnectionLost(error) || !(await isRolledBack(connection));
    throw error;
  } finally {
    forgetErrors();
    connection.release(isBroken);
  }
}

function transactionOf(connection: PostgresConnection, query: Query): Transaction {
  return {
    query,
    pipeline: async (statements) => {
      if (connection.pipeline !== true) return oneByOne(statements, query);
      const found = await Promise.all(statements.map((statement) => settle(query(...statement))));
      throwFirst(found);
      return found.map(resultOf);
    },
    script: async (text) => {
      await connection.query({ text });
    },
  };
}

async function oneByOne(statements: readonly Statement[], query: Query): Promise<readonly (readonly Row[])[]> {
  const found: (readonly Row[])[] = [];
  for (const statement of statements) found.push(await query(...statement));
  return found;
}

async function isRolledBack(connection: PostgresConnection): Promise<boolean> {
  const outcome = await settle(connection.query({ text: "ROLLBACK" }));
  return outcome.status === "fulfilled";
}

async function settle<T>(promise: Promise<T>): Promise<PromiseSettledResult<T>> {
  const [outcome] = await Promise.allSettled([promise]);
  return outcome;
}

/** The first failure is the reason; statements sent after it only report that the transaction had failed already. */
function throwFirst(outcomes: readonly PromiseSettledResult<unknown>[]): void {
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}

function resultOf<T>(outcome: PromiseSettledResult<T>): T {
  if (outcome.status === "rejected") throw outcome.reason;
  return outcome.value;
}

function rowsOf({ rows }: { readonly rows: readonly unknown[] }): readonly Row[] {
  // A client gives each row as an object by column, or it is no client of Postgres; every cell is checked where it is read.
  return rows as readonly Row[];
}

/** A text's name is made from it, so stores of several schemas and versions can share a connection. */
function statements(isPrepared: boolean): StatementOf {
  const names = new Map<string, string>();
  return (text, values, planning = "prepared") => {
    if (!isPrepared || planning === "planned") return { text, values: [...values] };
    const name = names.get(text) ?? `palimpsest_${hash("sha256", text).slice(0, 24)}`;
    names.set(text, name);
    return { name, text, values: [...values] };
  };
}

/** A frozen worker keeps the session's row locked, and every append waits. Nothing of ours pauses this long inside a transaction. */
const IDLE_MS_MAX = 5_000;

/** Longer than an idle transaction may live, so that a wait for one succeeds. */
export const BUSY_TIMEOUT_MS = 10_000;

/** How soon an abort ends a wait. The server cannot be notified, so an abortable wait is cut into slices. */
const SLICE_MS = 200;

interface LockWaits {
  readonly waitMs: number;
  readonly count: number;
}

/** A wait without a signal is not cut, so that it keeps its place in the queue. */
function lockWaits(busyTimeoutMs: number, { signal }: Waiting): LockWaits {
  // To the server 0 is for ever.
  const waitMs = Math.max(1, Math.ceil(signal === undefined ? busyTimeoutMs : Math.min(busyTimeoutMs, SLICE_MS)));
  return { waitMs, count: Math.max(1, Math.ceil(busyTimeoutMs / waitMs)) };
}

/** A condition that is looked at once, before the first row is: the row's lock is waited for under it. */
function lockBound(waitMs: number): string {
  return `(SELECT set_config('lock_timeout', '${waitMs}', true)) IS NOT NULL`;
}

/** To be sent with `BEGIN`. */
function transactionBounds(waitMs: number): string {
  return `SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS_MAX}; SET LOCAL lock_timeout = ${waitMs}`;
}

function tolerateErrors(emitter: object): () => void {
  if (!(emitter instanceof EventEmitter)) return () => {};
  const ignore = (): void => {};
  emitter.on("error", ignore);
  return () => {
    emitter.off("error", ignore);
  };
}

function hasListener(emitter: object): boolean {
  return emitter instanceof EventEmitter && emitter.listenerCount("error") > 0;
}
