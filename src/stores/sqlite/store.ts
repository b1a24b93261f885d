/** The store port over one SQLite file: every method is one transaction of the pieces beside it. Ids are checked here, times are taken here. */

import { searchRequest } from "../../core/search/search-words.ts";
import { checkNewSession, checkSessionId, purgeTime } from "../../core/store/store-rules.ts";
import type { FullStore } from "../../core/store/store-upkeep.ts";
import { type Access, type AccessOptions, ofSessions, openAccess } from "./access.ts";
import { appendBatch, updateSession } from "./append.ts";
import { commitCompaction } from "./commit.ts";
import type { Database, Seams } from "./database.ts";
import { examineStore } from "./examine.ts";
import { forkSession } from "./fork.ts";
import { type LeaseTimes, releaseLease, renewLease, takeLease } from "./lease.ts";
import { deleteSession, purgeArchive } from "./purge.ts";
import {
  changesSince,
  countsOf,
  messagesOf,
  readArchive,
  readEdits,
  readEvents,
  readLog,
  readSessions,
  stateOf,
} from "./read.ts";
import { rollBack } from "./rollback.ts";
import { searchMessages } from "./search.ts";
import { insertSession } from "./sessions.ts";

export interface StoreOptions extends Omit<AccessOptions, "nowIso"> {
  readonly url: string;
  readonly now: () => Date;
  readonly newId: () => string;
}

export function createSqliteStore(options: StoreOptions, seams: Seams = {}): FullStore {
  const clock = clockOf(options.now);
  const access = openAccess({ ...options, nowIso: clock.now }, seams);
  const ground = { access, clock, newId: options.newId };
  return {
    url: options.url,
    ...sessionMethods(ground),
    ...changeMethods(ground),
    ...readMethods(ground),
    examine: (id) => examineStore(access, id),
    close: async () => access.close(),
  };
}

interface Ground {
  readonly access: Access;
  readonly clock: Clock;
  readonly newId: () => string;
}

interface Clock {
  now(): string;
  /** What a lease of that length begins and ends with. */
  lease(ttlMs: number): LeaseTimes;
}

function clockOf(time: () => Date): Clock {
  return {
    now: () => time().toISOString(),
    lease: (ttlMs) => {
      const now = time();
      return { now: now.toISOString(), expiresAt: new Date(now.getTime() + ttlMs).toISOString(), ttlMs };
    },
  };
}

function sessionMethods({ access, clock, newId }: Ground) {
  const { read, write } = ofSessions(access);
  return {
    create: async (session, first, waiting) => {
      checkNewSession(session);
      await access.write((database) => {
        const createdAt = clock.now();
        insertSession(database, session, createdAt);
        if (first !== undefined) appendBatch(database, session.id, first, createdAt);
      }, waiting);
    },
    open: (id) => read(id, (database) => stateOf(database, id)),
    changes: (id, since) => read(id, (database) => changesSince(database, id, since)),
    delete: async (id, waiting) => {
      await write(id, (database) => deleteSession(database, id), waiting);
      access.forget();
    },
    fork: async (from, to, waiting) => {
      checkSessionId(to);
      await write(from, (database) => forkSession(database, { from, to, newId, createdAt: clock.now() }), waiting);
    },
    lease: (id, holder, ttlMs, waiting) =>
      write(id, (database) => takeLease(database, id, { holder, ...clock.lease(ttlMs) }), waiting),
    renew: (lease, ttlMs) => write(lease.sessionId, (database) => renewLease(database, lease, clock.lease(ttlMs))),
    release: (lease) => write(lease.sessionId, (database) => releaseLease(database, lease)),
  } satisfies Partial<FullStore>;
}

function changeMethods({ access, clock, newId }: Ground) {
  const { write } = ofSessions(access);
  return {
    append: (id, batch, waiting) => write(id, (database) => appendBatch(database, id, batch, clock.now()), waiting),
    commit: (id, commit, waiting) => {
      const work = (database: Database) =>
        commitCompaction(database, id, { commit, eventId: newId(), createdAt: clock.now() });
      return write(id, work, waiting);
    },
    rollback: (id, rollback, waiting) =>
      write(id, (database) => rollBack(database, id, { rollback, undoneAt: clock.now() }), waiting),
    update: (id, update, waiting) => write(id, (database) => updateSession(database, id, update, clock.now()), waiting),
    purge: async (id, before, waiting) => {
      const beforeTime = purgeTime(before);
      const work = (database: Database) => purgeArchive(database, id, { before: beforeTime, purgedAt: clock.now() });
      const purged = await write(id, work, waiting);
      if (purged > 0) access.forget();
      return purged;
    },
  } satisfies Partial<FullStore>;
}

function readMethods({ access }: Ground) {
  const { read } = ofSessions(access);
  return {
    events: (id) => readEvents(access, id),
    edits: (id) => readEdits(access, id),
    archive: (id, range = {}) => readArchive(access, id, range),
    messages: (id, messageIds) => read(id, (database) => messagesOf(database, id, messageIds)),
    log: (id) => readLog(access, id),
    counts: (id) => read(id, (database) => countsOf(database, id)),
    search: async (id, query, limit, scope, waiting) =>
      searchMessages(access, id, { ...searchRequest(query, limit, scope), ...waiting }),
    sessions: () => readSessions(access),
  } satisfies Partial<FullStore>;
}
