/** Makes a client of postgres.js fit the store. It pipelines by itself whatever is sent without waiting. */

import type { PostgresClient, PostgresQueryable, PostgresStatement } from "./client.ts";

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
