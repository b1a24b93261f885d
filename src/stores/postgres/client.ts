/**
 * The part of a Postgres client that the store uses. A `Pool` of `pg` fits as it is; so does whatever can run one statement with
 * values, and lend a connection. Values are strings, numbers, booleans and null only, and every JSON column is read and written
 * as text, so a client's own conversions never touch a message. Also what a client's errors mean; no connection string is ever shown.
 */

import { CompactionError } from "../../core/errors.ts";

export interface PostgresStatement {
  /** The same name always stands for the same text: a client may keep the statement prepared under it. */
  readonly name?: string;
  readonly text: string;
  readonly values?: PostgresValue[];
}

export type PostgresValue = string | number | boolean | null;

export interface PostgresQueryable {
  /** Without values the text may hold several statements. */
  query(statement: PostgresStatement): Promise<{ readonly rows: readonly unknown[] }>;
}

export interface PostgresConnection extends PostgresQueryable {
  /** True when statements may be sent without waiting for the answers to those before: `new Pool({ pipeline: true })`. */
  readonly pipeline?: boolean;
  /** With true, the connection is of no use any more and must not be lent again. */
  release(isBroken?: boolean): void;
}

export interface PostgresClient extends PostgresQueryable {
  connect(): Promise<PostgresConnection>;
}

/** A pool of `pg`, which is loaded here. Its idle connections keep no process alive. */
export async function openPool(connectionString: string): Promise<PostgresClient & { end(): Promise<void> }> {
  const { Pool } = (await loadClient()).default;
  return new Pool({ connectionString, allowExitOnIdle: true });
}

async function loadClient() {
  try {
    return await import("pg");
  } catch (cause) {
    const message = "Postgres needs the package pg, which is not installed. Run: npm install pg";
    throw new CompactionError("missing-dependency", message, { cause });
  }
}

/** The part of `postgres()` that is used. */
export interface PostgresJs extends PostgresJsQueryable {
  reserve(): Promise<PostgresJsReserved>;
}

interface PostgresJsQueryable {
  unsafe(
    text: string,
    values?: (string | number | boolean | null)[],
    options?: { prepare: boolean },
  ): Promise<unknown[]>;
}

interface PostgresJsReserved extends PostgresJsQueryable {
  release(): void;
}

/**
 * @example
 * const store = postgresStore({ client: fromPostgresJs(postgres(process.env.DATABASE_URL)) });
 */
export function fromPostgresJs(sql: PostgresJs): PostgresClient {
  return {
    ...queryable(sql),
    connect: async () => {
      const reserved = await sql.reserve();
      // It throws broken connections away by itself.
      return { ...queryable(reserved), pipeline: true, release: () => reserved.release() };
    },
  };
}

function queryable(sql: PostgresJsQueryable): PostgresQueryable {
  return {
    query: async ({ name, text, values }: PostgresStatement) => {
      const prepare = name !== undefined;
      const rows = values === undefined ? await sql.unsafe(text) : await sql.unsafe(text, [...values], { prepare });
      return { rows };
    },
  };
}

/** The five characters of SQLSTATE, or what Node and the clients use in their place. */
export function codeOf(error: unknown): string {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "";
}

/** Postgres rolled the transaction back in favour of another one: it can be tried again. */
export function isLostRace(error: unknown): boolean {
  return ["40001", "40P01"].includes(codeOf(error));
}

/** The wait for a lock timed out, and the transaction was rolled back. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === "55P03";
}

/** The connection is unusable, and whether the last statement took effect is unknown. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error);
  if (/^08/.test(code) || CONNECTION_CODES.has(code)) return true;
  return code === "" && error instanceof Error && CONNECTION_MESSAGE.test(error.message);
}

/** There was no connection, so the statement cannot have taken effect. */
export function isNeverSent(error: unknown): boolean {
  return ["57P03", "53300", "ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "CONNECT_TIMEOUT"].includes(codeOf(error));
}

/** `isUnsure` where a write may have taken effect although its answer was lost. */
export function storageFailure(doing: string, cause: unknown, isUnsure: boolean): CompactionError {
  if (cause instanceof CompactionError) return cause;
  const said = (cause instanceof Error && withoutPassword(cause.message)) || codeOf(cause) || "an unknown error";
  const isLost = isConnectionLost(cause);
  const state =
    isLost && isUnsure && !isNeverSent(cause)
      ? "Whether it took effect is not known: look at the session before you try again."
      : "Nothing was changed.";
  const message = `Postgres could not ${doing}: ${said}. ${state}${remedyOf(codeOf(cause))}`;
  return new CompactionError("storage", message, { cause, retryable: isLost || isPassing(cause) });
}

/** Temporary failures: races, lock timeouts, too many connections. */
function isPassing(error: unknown): boolean {
  return isLostRace(error) || isLockTimeout(error) || ["53300", "57014"].includes(codeOf(error));
}

function remedyOf(code: string): string {
  if (code === "55P03") return " Another worker holds the lock: try again.";
  if (code === "53100") return " Free some space on the server's disk.";
  if (code === "25006") return " The server is read-only: connect to the primary.";
  if (code === "42501") return " Give this account the rights it needs on the schema.";
  return "";
}

/** A transaction that idled too long, shutdown of the server and refused connections, then Node's own, then those of postgres.js. */
const CONNECTION_CODES: ReadonlySet<string> = new Set([
  "25P03",
  "57P01",
  "57P02",
  "57P03",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "CONNECTION_CLOSED",
  "CONNECTION_ENDED",
  "CONNECTION_DESTROYED",
  "CONNECT_TIMEOUT",
]);

/** `pg` gives these no code. */
const CONNECTION_MESSAGE = /connection (?:terminated|ended|closed|timeout)|not queryable|timeout exceeded when trying/i;

function withoutPassword(message: string): string {
  return message.replaceAll(/(\/\/[^\s:@/]*):[^\s@/]*@/g, "$1:***@").replace(/[.\s]+$/, "");
}
