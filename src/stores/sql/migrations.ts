/** Numbered, forward-only migrations: which ones a database still needs. Pure; a store applies them under its own lock. */

import { CompactionError, invariant } from "../../core/errors.ts";
import { numberIn, type Row, textIn } from "./cells.ts";

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

type AppliedMigration = Pick<Migration, "number" | "name">;

/** A query names both columns of `schema_migrations`. */
export function appliedIn(rows: readonly Row[]): readonly AppliedMigration[] {
  return rows.map((row) => ({ number: numberIn(row, "number"), name: textIn(row, "name") }));
}

/** Whether opening may create a missing schema, only update an existing one, or neither. */
export type SchemaUse = "make" | "update" | "keep";

const SCHEMA_USES: readonly unknown[] = ["make", "update", "keep"] satisfies readonly SchemaUse[];

/** Refuses a misspelt value, so that it never permits a change of the schema. */
export function checkSchemaUse(use: SchemaUse): void {
  if (SCHEMA_USES.includes(use)) return;
  throw new CompactionError("invalid-settings", 'schemaUse must be "make", "update" or "keep". Nothing was opened.');
}

export interface SchemaState {
  /** Without any password. */
  readonly place: string;
  readonly isThere: boolean;
  readonly isUpToDate: boolean;
}

export function refuseMigration(use: SchemaUse, { place, isThere, isUpToDate }: SchemaState): void {
  if (use === "make" || isUpToDate) return;
  if (!isThere) {
    const message = `There are no sessions in ${place}: it has no tables of palimpsest. Nothing was made; palimpsest import FILE makes them.`;
    throw new CompactionError("storage", message);
  }
  if (use === "update") return;
  const message = `The tables in ${place} are of an older version, and are only read here. Nothing was changed; a program of this version that opens them to write brings them up to date.`;
  throw new CompactionError("storage", message);
}

/** `known` counts up from 1. Throws `schema-too-new` for a database that a newer version of this package has touched. */
export function pendingMigrations(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly Migration[] {
  invariant(
    known.every(({ number }, index) => number === index + 1),
    "migrations are numbered from 1 without a gap",
  );
  const newest = Math.max(0, ...applied.map(({ number }) => number));
  if (newest > known.length) {
    const message = `The database has schema ${newest}; this version knows schemas up to ${known.length}. Nothing was changed; use a newer version of palimpsest.`;
    throw new CompactionError("schema-too-new", message);
  }
  const names = new Map(applied.map(({ number, name }) => [number, name]));
  const strange = known.find(({ number, name }) => number <= newest && names.get(number) !== name);
  if (strange !== undefined) {
    const message = `The database was not made by these migrations: number ${strange.number} is not ${strange.name}. Nothing was changed; use another database or schema.`;
    throw new CompactionError("storage", message);
  }
  return known.filter(({ number }) => number > newest);
}
