/**
 * Sessions in Postgres, for any number of workers over one database. The client is the caller's: a `Pool` of `pg`, or anything of
 * its shape. Tables stand in one schema, made and kept up to date on first use unless told otherwise. Never changes or deletes a message's row but to
 * purge it; every error that leaves is a CompactionError.
 */

import { randomUUID } from "node:crypto";
import { CompactionError } from "../core/errors.ts";
import { searchRequest } from "../core/search/search-words.ts";
import { checkNewSession, checkSessionId, purgeTime } from "../core/store/store-rules.ts";
import type { FullStore } from "../core/store/store-upkeep.ts";
import { append } from "./postgres/append.ts";
import type { PostgresClient } from "./postgres/client.ts";
import { commit } from "./postgres/commit.ts";
import { BUSY_TIMEOUT_MS, type Database, openDatabase } from "./postgres/database.ts";
import { examine } from "./postgres/examine.ts";
import { fork } from "./postgres/fork.ts";
import { releaseLease, renewLease, takeLease } from "./postgres/lease.ts";
import { type MigrateOptions, migrate } from "./postgres/migrations.ts";
import { purge } from "./postgres/purge.ts";
import {
  countRows,
  listArchive,
  listEdits,
  listEvents,
  listLog,
  readChanges,
  readMessages,
  readSession,
} from "./postgres/read.ts";
import { rollBack } from "./postgres/rollback.ts";
import { search } from "./postgres/search.ts";
import { createSession, deleteSession, listSessions, updateSession } from "./postgres/sessions.ts";
import { quotedSchema } from "./postgres/sql-text.ts";
import { checkSchemaUse, type SchemaUse } from "./sql/migrations.ts";

export type { PostgresClient, PostgresConnection, PostgresStatement, PostgresValue } from "./postgres/client.ts";
export { fromPostgresJs, type PostgresJs } from "./postgres/client.ts";

export interface PostgresStoreOptions {
  /** Stays the caller's: closing the store does not end it. */
  readonly client: PostgresClient;
  /** Where the tables stand; `palimpsest` unless told. */
  readonly schema?: string;
  /** `make` by default; `update` refuses a schema that is not there, `keep` one that is not up to date, too. */
  readonly schemaUse?: SchemaUse;
  /** How long to wait for a lock while other workers write to the session; 10 seconds by default. */
  readonly busyTimeoutMs?: number;
  /** False where a proxy between cannot keep prepared statements. */
  readonly isPrepared?: boolean;
  /** How the store names itself; only host, port, user, database and schema of it are shown. */
  readonly url?: string;
  readonly newId?: () => string;
}

/**
 * @example
 * const store = postgresStore({ client: new Pool({ connectionString: process.env.DATABASE_URL }) });
 */
export function postgresStore(options: PostgresStoreOptions): FullStore {
  const { client, schema = "palimpsest", schemaUse = "make", isPrepared = true, newId = randomUUID } = options;
  const { busyTimeoutMs = BUSY_TIMEOUT_MS } = options;
  checkBusyTimeout(busyTimeoutMs);
  checkSchemaUse(schemaUse);
  const database = openDatabase({ client, schema: quotedSchema(schema), isPrepared, busyTimeoutMs });
  const url = shownUrl(options.url ?? `postgres:${schema}`);
  const sessionOf = gateOf(database, { use: schemaUse, place: url });
  return {
    url,
    ...sessionMethods(sessionOf, newId),
    ...changeMethods(sessionOf, newId),
    ...readMethods(sessionOf),
    close: async () => database.close(),
  };
}

/** The database once it is up to date, for a session that may be called so. */
type SessionOf = (...sessionIds: readonly string[]) => Promise<Database>;

function gateOf(database: Database, options: MigrateOptions): SessionOf {
  let ready: Promise<void> | undefined;
  return async (...sessionIds) => {
    for (const id of sessionIds) checkId(id);
    ready ??= migrate(database, options);
    try {
      await ready;
    } catch (error) {
      // The server may be up, or the schema mended, when it is asked again.
      ready = undefined;
      throw error;
    }
    return database;
  };
}

function sessionMethods(sessionOf: SessionOf, newId: () => string) {
  return {
    create: async (session, first, waiting) => {
      checkNewSession(session);
      await createSession(await sessionOf(session.id), session, { first, ...waiting });
    },
    open: async (sessionId) => readSession(await sessionOf(sessionId), sessionId),
    changes: async (sessionId, since) => readChanges(await sessionOf(sessionId), sessionId, since),
    delete: async (sessionId, waiting) => deleteSession(await sessionOf(sessionId), sessionId, waiting),
    fork: async (sessionId, newSessionId, waiting) =>
      fork(await sessionOf(sessionId, newSessionId), sessionId, { newSessionId, newEventId: newId, ...waiting }),
  } satisfies Partial<FullStore>;
}

function changeMethods(sessionOf: SessionOf, newId: () => string) {
  return {
    append: async (sessionId, batch, waiting) => append(await sessionOf(sessionId), sessionId, batch, waiting),
    lease: async (sessionId, holder, ttlMs, waiting) =>
      takeLease(await sessionOf(sessionId), sessionId, { holder, ttlMs, ...waiting }),
    renew: async (lease, ttlMs) => renewLease(await sessionOf(lease.sessionId), lease, ttlMs),
    release: async (lease) => releaseLease(await sessionOf(lease.sessionId), lease),
    commit: async (sessionId, change, waiting) =>
      commit(await sessionOf(sessionId), sessionId, { change, eventId: newId(), ...waiting }),
    rollback: async (sessionId, rollback, waiting) =>
      rollBack(await sessionOf(sessionId), sessionId, rollback, waiting),
    update: async (sessionId, update, waiting) => updateSession(await sessionOf(sessionId), sessionId, update, waiting),
    purge: async (sessionId, before, waiting) => {
      const beforeTime = purgeTime(before);
      return purge(await sessionOf(sessionId), sessionId, { before: beforeTime, ...waiting });
    },
  } satisfies Partial<FullStore>;
}

function readMethods(sessionOf: SessionOf) {
  return {
    async *events(sessionId) {
      yield* listEvents(await sessionOf(sessionId), sessionId);
    },
    async *edits(sessionId) {
      yield* listEdits(await sessionOf(sessionId), sessionId);
    },
    async *archive(sessionId, range = {}) {
      yield* listArchive(await sessionOf(sessionId), sessionId, range.eventId);
    },
    async *log(sessionId) {
      yield* listLog(await sessionOf(sessionId), sessionId);
    },
    counts: async (sessionId) => countRows(await sessionOf(sessionId), sessionId),
    messages: async (sessionId, messageIds) => readMessages(await sessionOf(sessionId), sessionId, messageIds),
    search: async (sessionId, query, limit, scope, waiting) => {
      const request = searchRequest(query, limit, scope);
      return search(await sessionOf(sessionId), sessionId, { ...request, ...waiting });
    },
    async *sessions() {
      yield* listSessions(await sessionOf());
    },
    async *examine(sessionId) {
      yield* examine(await sessionOf(...(sessionId === undefined ? [] : [sessionId])), sessionId);
    },
  } satisfies Partial<FullStore>;
}

function checkBusyTimeout(busyTimeoutMs: number): void {
  if (typeof busyTimeoutMs === "number" && busyTimeoutMs >= 0 && busyTimeoutMs <= BUSY_TIMEOUT_MS_MAX) return;
  const message = `busyTimeoutMs must be between 0 and ${BUSY_TIMEOUT_MS_MAX}. Nothing was opened.`;
  throw new CompactionError("invalid-settings", message);
}

const BUSY_TIMEOUT_MS_MAX = 600_000;

/** A key of an index holds 2,704 bytes, and the id is not alone in it. */
const ID_BYTES_MAX = 2_048;

function checkId(sessionId: string): void {
  checkSessionId(sessionId);
  if (Buffer.byteLength(sessionId) <= ID_BYTES_MAX) return;
  const message = `This cannot be a session id in Postgres: it has more than ${ID_BYTES_MAX} bytes. Nothing was changed.`;
  throw new CompactionError("invalid-settings", message);
}

/** What else may stand in a query, passwords of keys among it, is nobody's business. */
const SHOWN_PARAMETERS = ["host", "port", "user", "database", "schema"];

function shownUrl(url: string): string {
  if (!URL.canParse(url)) return "postgres:";
  const shown = new URL(url);
  const given = [...shown.searchParams];
  shown.password = "";
  shown.hash = "";
  shown.search = "";
  for (const [name, value] of given) if (SHOWN_PARAMETERS.includes(name)) shown.searchParams.append(name, value);
  return shown.href;
}
