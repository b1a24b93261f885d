/**
 * The part of a Postgres client that the store uses. A `Pool` of `pg` fits as it is; so does whatever can run one statement with
 * values, and lend a connection. Values are strings, numbers, booleans and null only, and every JSON column is read and written
 * as text, so a client's own conversions never touch a message.
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
