/** Both store ports over one SQLite file. A method is one transaction of the pieces beside it; here ids are checked and times taken. */

import type { Embed } from "../../core/search/embedding.ts";
import { searchRequest } from "../../core/search/search-words.ts";
import type { Waiting } from "../../core/store/store.ts";
import { checkNewSession, checkSessionId, purgeTime } from "../../core/store/store-rules.ts";
import type { FullStore } from "../../core/store/store-upkeep.ts";
import type { TrafficStore } from "../../core/store/traffic.ts";
import { commitCompaction, rollBack } from "./commit.ts";
import type { Connection, Seams } from "./connection.ts";
import { type Database, type DatabaseOptions, openDatabase } from "./database.ts";
import { appendBatch } from "./messages.ts";
import { readArchive, readChanges, readCounts, readEvents, readMessages, readState } from "./read.ts";
import { searchMessages } from "./search.ts";
import { createSession, releaseLease, renewLease, takeLease, updateSession } from "./sessions.ts";
import { addPrefixes, addRequest, findPrefix, readRequests, readTotals } from "./traffic.ts";
import { deleteSession, examineStore, forkSession, purgeArchive, readEdits, readLog, readSessions } from "./upkeep.ts";

export interface StoreOptions extends Omit<DatabaseOptions, "nowIso"> {
  readonly url: string;
  readonly now: () => Date;
  readonly newId: () => string;
  readonly embed?: Embed | undefined;
}

export function createSqliteStore(options: StoreOptions, seams: Seams = {}): FullStore & TrafficStore {
  const nowIso = (): string => options.now().toISOString();
  const database = openDatabase({ ...options, nowIso }, seams);
  const context: Context = { ...options, nowIso, database, ...ofSessions(database) };
  return {
    url: options.url,
    ...changeMethods(context),
    ...leaseMethods(context),
    ...readMethods(context),
    ...upkeepMethods(context),
    ...trafficMethods(context),
    close: async () => database.close(),
  };
}

interface Context extends Pick<StoreOptions, "now" | "newId" | "embed">, SessionAccess {
  readonly database: Database;
  readonly nowIso: () => string;
}

/** Reads and writes of one session: an invalid id is refused before it reaches a statement. */
interface SessionAccess {
  read<T>(sessionId: string, work: (connection: Connection) => T): Promise<T>;
  write<T>(sessionId: string, waiting: Waiting | undefined, work: (connection: Connection) => T): Promise<T>;
}

function ofSessions(database: Database): SessionAccess {
  return {
    read: async (sessionId, work) => {
      checkSessionId(sessionId);
      return database.read(work);
    },
    write: async (sessionId, waiting, work) => {
      checkSessionId(sessionId);
      return database.write(work, waiting);
    },
  };
}

function changeMethods({ write, nowIso, newId }: Context) {
  return {
    create: async (session, first, waiting) => {
      checkNewSession(session);
      await write(session.id, waiting, (on) => {
        const createdAt = nowIso();
        createSession(on, session, createdAt);
        if (first !== undefined) appendBatch(on, session.id, first, createdAt);
      });
    },
    append: (id, batch, waiting) => write(id, waiting, (on) => appendBatch(on, id, batch, nowIso())),
    update: (id, update, waiting) => write(id, waiting, (on) => updateSession(on, id, update, nowIso())),
    commit: (id, commit, waiting) =>
      write(id, waiting, (on) => commitCompaction(on, id, { commit, eventId: newId(), createdAt: nowIso() })),
    rollback: (id, rollback, waiting) => write(id, waiting, (on) => rollBack(on, id, { rollback, undoneAt: nowIso() })),
  } satisfies Partial<FullStore>;
}

function leaseMethods({ write, now }: Context) {
  return {
    lease: (id, holder, ttlMs, waiting) => write(id, waiting, (on) => takeLease(on, id, { holder, now: now(), ttlMs })),
    renew: (lease, ttlMs) => write(lease.sessionId, {}, (on) => renewLease(on, lease, { now: now(), ttlMs })),
    release: (lease) => write(lease.sessionId, {}, (on) => releaseLease(on, lease)),
  } satisfies Partial<FullStore>;
}

function readMethods({ database, read, embed }: Context) {
  return {
    open: (id) => read(id, (on) => readState(on, id)),
    changes: (id, since) => read(id, (on) => readChanges(on, id, since)),
    events: (id) => readEvents(database, id),
    archive: (id, range = {}) => readArchive(database, id, range),
    messages: (id, messageIds) => read(id, (on) => readMessages(on, id, messageIds)),
    counts: (id) => read(id, (on) => readCounts(on, id)),
    search: async (id, query, limit, scope, waiting) =>
      searchMessages(database, id, { ...searchRequest(query, limit, scope), embed, ...waiting }),
  } satisfies Partial<FullStore>;
}

function upkeepMethods({ database, write, nowIso, newId }: Context) {
  return {
    edits: (id) => readEdits(database, id),
    log: (id) => readLog(database, id),
    purge: async (id, before, waiting) => {
      const beforeTime = purgeTime(before);
      const purged = await write(id, waiting, (on) => purgeArchive(on, id, { before: beforeTime, purgedAt: nowIso() }));
      if (purged > 0) database.forget();
      return purged;
    },
    delete: async (id, waiting) => {
      await write(id, waiting, (on) => deleteSession(on, id));
      database.forget();
    },
    fork: async (id, newSessionId, waiting) => {
      checkSessionId(newSessionId);
      await write(id, waiting, (on) => forkSession(on, id, { newSessionId, newEventId: newId, createdAt: nowIso() }));
    },
    sessions: () => readSessions(database),
    examine: (id) => examineStore(database, id),
  } satisfies Partial<FullStore>;
}

function trafficMethods({ database, write }: Context): TrafficStore {
  return {
    findPrefix: (hashes) => database.read((on) => findPrefix(on, hashes)),
    addPrefixes: async (prefixes) => {
      if (prefixes.length > 0) await database.write((on) => addPrefixes(on, prefixes));
    },
    addRequest: (record) => write(record.sessionId, undefined, (on) => addRequest(on, record)),
    requests: (id) => readRequests(database, id),
    totals: (ids) => database.read((on) => readTotals(on, ids)),
  };
}
