/** Brings a schema up to date, under a lock, so that any number of processes may start at once. Forward only. */

import { appliedIn, type Migration, pendingMigrations, refuseMigration, type SchemaUse } from "../sql/migrations.ts";
import type { Database, Transaction } from "./database.ts";
import { initial } from "./migrations/001-initial.ts";
import { identity } from "./migrations/002-identity.ts";
import { attachments } from "./migrations/003-attachments.ts";
import { searchWords } from "./migrations/004-search-words.ts";
import { agents } from "./migrations/005-agents.ts";
import { traffic } from "./migrations/006-traffic.ts";
import { search } from "./migrations/007-search.ts";

export const MIGRATIONS: readonly Migration[] = [initial, identity, attachments, searchWords, agents, traffic, search];

export interface MigrateOptions {
  readonly use: SchemaUse;
  /** For refusals; without any password. */
  readonly place: string;
}

export async function migrate(database: Database, { use, place }: MigrateOptions): Promise<void> {
  // An up-to-date schema is only read, so the account of a running program needs no right to change it.
  const { schema } = database;
  const [found] = await database.read(`SELECT to_regclass($1) IS NOT NULL AS is_there`, [
    `${schema}.schema_migrations`,
  ]);
  const applied =
    found?.is_there === true
      ? appliedIn(await database.read(`SELECT number, name FROM ${schema}.schema_migrations`, []))
      : [];
  const isUpToDate = pendingMigrations(MIGRATIONS, applied).length === 0;
  if (isUpToDate) return;
  refuseMigration(use, { place, isThere: applied.length > 0, isUpToDate });
  await database.transaction("migrate the database", (transaction) => apply(transaction, schema));
}

async function apply(transaction: Transaction, schema: string): Promise<void> {
  // A migration may take as long as it likes, and so may those who wait for it.
  await transaction.query("SELECT set_config('lock_timeout', '0', true)", []);
  await transaction.query("SELECT pg_advisory_xact_lock(hashtextextended($1, $2::bigint))", [schema, LOCK_SEED]);
  await transaction.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`, []);
  // Migrations name no schema; the functions they make keep this path.
  await transaction.query(`SET LOCAL search_path = ${schema}`, []);
  await transaction.query(
    `CREATE TABLE IF NOT EXISTS schema_migrations (
      number integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz(3) NOT NULL DEFAULT clock_timestamp())`,
    [],
  );
  const applied = appliedIn(await transaction.query("SELECT number, name FROM schema_migrations", []));
  for (const { number, name, sql } of pendingMigrations(MIGRATIONS, applied)) {
    await transaction.script(sql);
    await transaction.query("INSERT INTO schema_migrations (number, name) VALUES ($1, $2)", [number, name]);
  }
}

/** Sets our lock apart from other programs' advisory locks. */
const LOCK_SEED = 7_254_616;
