/** What tests over Postgres share: a schema of their own on the shared server, pools that are ended, and a reason where there is no server. */

import { randomBytes } from "node:crypto";
import { Pool, type PoolConfig } from "pg";
import { inject } from "vitest";
import { sharedPostgres } from "./postgres-server.ts";

export interface PostgresWorld {
  readonly url: string;
  /** Gone with everything in it when the world ends. */
  newSchema(): string;
  newPool(config?: PoolConfig): Pool;
  end(): Promise<void>;
}

/** A world, or why there is none. */
export async function postgresWorld(): Promise<PostgresWorld | string> {
  const found = await sharedPostgres(inject("postgresDoor"));
  if ("missing" in found) return found.missing;
  return worldAt(found.url);
}

export function worldAt(url: string): PostgresWorld {
  const schemas: string[] = [];
  const pools: Pool[] = [];
  const newPool = (config: PoolConfig = {}): Pool => {
    // Connections that are not used are given back at once: a test in full opens more pools than the server takes.
    const pool = new Pool({ connectionString: url, max: 4, idleTimeoutMillis: 100, ...config });
    pools.push(pool);
    return pool;
  };
  return {
    url,
    newSchema: () => {
      const schema = `test "${randomBytes(6).toString("hex")}"`;
      schemas.push(schema);
      return schema;
    },
    newPool,
    end: async () => {
      await Promise.all(pools.map((each) => each.end()));
      const last = new Pool({ connectionString: url, max: 1 });
      for (const schema of schemas) {
        await last.query(`DROP SCHEMA IF EXISTS "${schema.replaceAll('"', '""')}" CASCADE`);
      }
      await last.end();
    },
  };
}
