/** Both store ports over one Postgres schema. A method is one call of the pieces beside it, once the schema is up to date. */

import { CompactionError } from "../../core/errors.ts";
import type { Embed } from "../../core/search/embedding.ts";
import { searchRequest } from "../../core/search/search-words.ts";
import { checkNewSession, checkSessionId, purgeTime } from "../../core/store/store-rules.ts";
import type { FullStore } from "../../core/store/store-upkeep.ts";
import type { TrafficStore } from "../../core/store/traffic.ts";
import { commitCompaction, rollBack } from "./commit.ts";
import type { Database } from "./database.ts";
import { appendBatch } from "./messages.ts";
import { type MigrateOptions, migrate } from "./migrations.ts";
import { readArchive, readChanges, readCounts, readEvents, readMessages, readState } from "./read.ts";
import { searchMessages } from "./search.ts";
import { createSession, releaseLease, renewLease, takeLease, updateSession } from "./sessions.ts";
import { addPrefixes, addRequest, findPrefix, readRequests, readTotals } from "./traffic.ts";
import { deleteSession, examineStore, forkSession, purgeArchive, readEdits, readLog, readSessions } from "./upkeep.ts";

interface StoreOptions extends MigrateOptions {
  readonly newId: () => string;
  readonly embed?: Embed | undefined;
}

export function createPostgresStore(database: Database, options: StoreOptions): FullStore & TrafficStore {
  const sessionOf = gateOf(database, options);
  return {
    url: options.place,
    ...changeMethods(sessionOf, options.newId),
    ...leaseMethods(sessionOf),
    ...readMethods(sessionOf, options.embed),
    ...upkeepMethods(sessionOf, options.newId),
    ...trafficMethods(sessionOf),
    close: async () => database.close(),
  };
}

/** The database once its schema is up to date; an invalid id is refused before it reaches a statement. */
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

/** A key of an index holds 2,704 bytes, and the id is not alone in it. */
const ID_BYTES_MAX = 2_048;

function checkId(sessionId: string): void {
  checkSessionId(sessionId);
  if (Buffer.byteLength(sessionId) <= ID_BYTES_MAX) return;
  const message = `This cannot be a session id in Postgres: it has more than ${ID_BYTES_MAX} bytes. Nothing was changed.`;
  throw new CompactionError("invalid-settings", message);
}

function changeMethods(sessionOf: SessionOf, newId: () => string) {
  return {
    create: async (session, first, waiting) => {
      checkNewSession(session);
      await createSession(await sessionOf(session.id), session, { first, ...waiting });
    },
    append: async (id, batch, waiting) => appendBatch(await sessionOf(id), id, batch, waiting),
    update: async (id, update, waiting) => updateSession(await sessionOf(id), id, update, waiting),
    commit: async (id, commit, waiting) =>
      commitCompaction(await sessionOf(id), id, { commit, eventId: newId(), ...waiting }),
    rollback: async (id, rollback, waiting) => rollBack(await sessionOf(id), id, rollback, waiting),
  } satisfies Partial<FullStore>;
}

function leaseMethods(sessionOf: SessionOf) {
  return {
    lease: async (id, holder, ttlMs, waiting) => takeLease(await sessionOf(id), id, { holder, ttlMs, ...waiting }),
    renew: async (lease, ttlMs) => renewLease(await sessionOf(lease.sessionId), lease, ttlMs),
    release: async (lease) => releaseLease(await sessionOf(lease.sessionId), lease),
  } satisfies Partial<FullStore>;
}

function readMethods(sessionOf: SessionOf, embed: Embed | undefined) {
  return {
    open: async (id) => readState(await sessionOf(id), id),
    changes: async (id, since) => readChanges(await sessionOf(id), id, since),
    async *events(id) {
      yield* readEvents(await sessionOf(id), id);
    },
    async *archive(id, range = {}) {
      yield* readArchive(await sessionOf(id), id, range);
    },
    messages: async (id, messageIds) => readMessages(await sessionOf(id), id, messageIds),
    counts: async (id) => readCounts(await sessionOf(id), id),
    search: async (id, query, limit, scope, waiting) => {
      const request = searchRequest(query, limit, scope);
      return searchMessages(await sessionOf(id), id, { ...request, embed, ...waiting });
    },
  } satisfies Partial<FullStore>;
}

function upkeepMethods(sessionOf: SessionOf, newId: () => string) {
  return {
    async *edits(id) {
      yield* readEdits(await sessionOf(id), id);
    },
    async *log(id) {
      yield* readLog(await sessionOf(id), id);
    },
    purge: async (id, before, waiting) => {
      const beforeTime = purgeTime(before);
      return purgeArchive(await sessionOf(id), id, { before: beforeTime, ...waiting });
    },
    delete: async (id, waiting) => deleteSession(await sessionOf(id), id, waiting),
    fork: async (id, newSessionId, waiting) =>
      forkSession(await sessionOf(id, newSessionId), id, { newSessionId, newEventId: newId, ...waiting }),
    async *sessions() {
      yield* readSessions(await sessionOf());
    },
    async *examine(id) {
      yield* examineStore(await (id === undefined ? sessionOf() : sessionOf(id)), id);
    },
  } satisfies Partial<FullStore>;
}

function trafficMethods(sessionOf: SessionOf): TrafficStore {
  return {
    findPrefix: async (hashes) => findPrefix(await sessionOf(), hashes),
    addPrefixes: async (prefixes) => addPrefixes(await sessionOf(), prefixes),
    addRequest: async (record) => addRequest(await sessionOf(record.sessionId), record),
    async *requests(id) {
      yield* readRequests(await sessionOf(id), id);
    },
    totals: async (ids) => readTotals(await sessionOf(), ids),
  };
}
