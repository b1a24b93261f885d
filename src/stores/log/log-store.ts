/** A store over logs: every promise of the port but durability, which is the backend's. */

import { deepFreeze } from "../../core/json.ts";
import type { Embed } from "../../core/search/embedding.ts";
import { search } from "../../core/search/search.ts";
import { searchRequest } from "../../core/search/search-words.ts";
import { throwIfAborted, type Version, type Waiting } from "../../core/store/store.ts";
import { checkNewSession, checkSessionId, purgeTime } from "../../core/store/store-rules.ts";
import type { Finding, FullStore, SessionSummary } from "../../core/store/store-upkeep.ts";
import { sessionExists, sessionMissing, storeClosed } from "../refusals.ts";
import {
  archiveOf,
  changesSince,
  countsOf,
  editsOf,
  examineLog,
  type SessionVectors,
  searchSourceOf,
  summaryOf,
} from "./read-log.ts";
import {
  type AppendRecord,
  eventsToPurge,
  eventsToUndo,
  type LeaseState,
  type LogHeader,
  type LogRecord,
  leaseOf,
  makeAppended,
  makeCommitted,
  makeCreated,
  makeUpdated,
  releaseLease,
  renewLease,
  takeLease,
} from "./records.ts";
import { asWritten, newLog, type SessionLog, stateOf } from "./session-log.ts";

export function logStore(backend: LogBackend): FullStore {
  const gate = openGate(backend);
  return {
    url: backend.url,
    ...sessionMethods(gate),
    ...leaseMethods(gate),
    ...changeMethods(gate),
    ...readMethods(gate),
  };
}

/** The backend while the store is open; a missing session is an error. */
interface Gate {
  backend(): LogBackend;
  load(sessionId: string, depth: Depth): Promise<SessionLog>;
  write(sessionId: string, writing: WriteOptions): Promise<WriteResult>;
  close(): void;
}

function openGate(backend: LogBackend): Gate {
  let isOpen = true;
  const opened = (): LogBackend => {
    if (!isOpen) throw storeClosed();
    return backend;
  };
  const found = <T>(value: T | undefined, sessionId: string): T => {
    if (value === undefined) throw sessionMissing(sessionId);
    return value;
  };
  return {
    backend: opened,
    async load(sessionId, depth) {
      checkSessionId(sessionId);
      return found(await opened().load(sessionId, depth), sessionId);
    },
    async write(sessionId, writing) {
      checkSessionId(sessionId);
      throwIfAborted(writing);
      return found(await opened().write(sessionId, writing), sessionId);
    },
    close: () => {
      isOpen = false;
    },
  };
}

function sessionMethods({ backend, load, close }: Gate) {
  return {
    async create(session, first, waiting = {}) {
      checkNewSession(session);
      throwIfAborted(waiting);
      const made = makeCreated(session, { at: backend().now(), incarnation: backend().newId() });
      const appended = first && makeAppended(newLog(made), first, made.at);
      if (!(await backend().create(made, appended, waiting))) throw sessionExists(session.id);
    },
    async open(sessionId) {
      checkSessionId(sessionId);
      const log = await backend().load(sessionId, "view");
      return log && stateOf(log);
    },
    async changes(sessionId, since) {
      return changesSince(await load(sessionId, "view"), since);
    },
    async delete(sessionId, waiting = {}) {
      checkSessionId(sessionId);
      throwIfAborted(waiting);
      if (!(await backend().remove(sessionId, waiting))) throw sessionMissing(sessionId);
    },
    async fork(sessionId, newSessionId, waiting = {}) {
      checkSessionId(newSessionId);
      throwIfAborted(waiting);
      const log = await load(sessionId, "whole");
      if (!(await backend().fork(log, newSessionId, waiting))) throw sessionExists(newSessionId);
    },
    async close() {
      close();
    },
  } satisfies Partial<FullStore>;
}

function leaseMethods({ backend, load }: Gate) {
  const length = (ttlMs: number) => ({ now: backend().now(), ttlMs });
  return {
    async lease(sessionId, holder, ttlMs, waiting = {}) {
      await load(sessionId, "view");
      throwIfAborted(waiting);
      const take: ChangeLease = (state) => takeLease(state, holder, length(ttlMs));
      const taken = await backend().lease(sessionId, take, waiting);
      return taken && leaseOf(sessionId, taken);
    },
    async renew(lease, ttlMs) {
      const renewed = await backend().lease(lease.sessionId, (state) => renewLease(state, lease, length(ttlMs)), {});
      return renewed && leaseOf(lease.sessionId, renewed);
    },
    async release(lease) {
      await backend().lease(lease.sessionId, (state) => releaseLease(state, lease), {});
    },
  } satisfies Partial<FullStore>;
}

function changeMethods({ backend, write }: Gate) {
  const at = (): string => backend().now().toISOString();
  return {
    async append(sessionId, batch, waiting) {
      let ids: readonly string[] = [];
      const make: Make = (before) => {
        const record = makeAppended(before, batch, at());
        ids = record?.messages.map(({ id }) => id) ?? [];
        return record;
      };
      const { version, updatedAt } = await write(sessionId, { depth: "view", make, ...waiting });
      return { ids, version, createdAt: updatedAt };
    },
    async commit(sessionId, commit, waiting) {
      let made = { eventId: "", insertedIds: [] as readonly string[] };
      const make: Make = (before, lease) => {
        const marks = { eventId: backend().newId(), now: backend().now(), lease: lease() };
        const record = makeCommitted(before, commit, marks);
        made = { eventId: record.eventId, insertedIds: record.inserted.map(({ id }) => id) };
        return record;
      };
      const { version, updatedAt } = await write(sessionId, { depth: "view", make, ...waiting });
      return { version, ...made, createdAt: updatedAt };
    },
    async rollback(sessionId, rollback, waiting) {
      let undoneIds: readonly string[] = [];
      const make: Make = (before) => {
        undoneIds = eventsToUndo(before, rollback);
        return { type: "rolled-back", at: at(), eventIds: undoneIds };
      };
      const { version } = await write(sessionId, { depth: "whole", make, ...waiting });
      return { version, undoneIds };
    },
    async update(sessionId, update, waiting) {
      const make: Make = (before) => makeUpdated(before, update, at());
      return (await write(sessionId, { depth: "view", make, ...waiting })).version;
    },
    async purge(sessionId, before, waiting) {
      let count = 0;
      const beforeTime = purgeTime(before);
      const make: Make = (log) => {
        const eventIds = eventsToPurge(log, beforeTime);
        const gone = new Set(eventIds);
        count = [...log.rows.values()].filter(({ archivedBy }) => gone.has(archivedBy ?? "")).length;
        return eventIds.length === 0 ? undefined : { type: "purged", at: at(), eventIds };
      };
      await write(sessionId, { depth: "whole", make, ...waiting });
      return count;
    },
  } satisfies Partial<FullStore>;
}

function readMethods({ backend, load }: Gate) {
  return {
    async *events(sessionId) {
      const { events } = await load(sessionId, "whole");
      yield* [...events.values()].map(({ facts }) => deepFreeze(facts));
    },
    async *edits(sessionId) {
      yield* editsOf(await load(sessionId, "whole"));
    },
    async *archive(sessionId, range = {}) {
      yield* archiveOf(await load(sessionId, "whole"), range);
    },
    async messages(sessionId, messageIds) {
      const { rows } = await load(sessionId, "whole");
      return messageIds.flatMap((id) => rows.get(id) ?? []).map(asWritten);
    },
    async counts(sessionId) {
      return countsOf(await load(sessionId, "whole"));
    },
    async *log(sessionId) {
      const { rows } = await load(sessionId, "whole");
      yield* [...rows.values()].map(asWritten);
    },
    async search(sessionId, query, limit, scope, waiting) {
      const request = searchRequest(query, limit, scope);
      const log = await load(sessionId, "whole");
      const { embed, vectorsOf } = backend();
      const source = searchSourceOf(log, embed && { embed, vectors: vectorsOf(log) });
      return search(source, { ...request, ...waiting });
    },
    async *sessions() {
      const summaries: SessionSummary[] = [];
      for (const id of await backend().sessionIds()) {
        const log = await backend().load(id, "view");
        if (log !== undefined) summaries.push(summaryOf(log));
      }
      yield* summaries.sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : 0));
    },
    async *examine(sessionId) {
      yield* await backend().examine(sessionId);
      const ids = sessionId === undefined ? await backend().sessionIds() : [sessionId];
      for (const id of ids) yield* examineLog(await load(id, "whole"));
    },
  } satisfies Partial<FullStore>;
}

/** How much of a session must be in memory: the view alone may be cheaper to get. */
export type Depth = "view" | "whole";

/** Where sessions are kept. A signal ends the wait for other writers, but not work that has begun. */
export interface LogBackend {
  readonly url: string;
  readonly embed: Embed | undefined;
  vectorsOf(log: SessionLog): SessionVectors;
  now(): Date;
  newId(): string;
  /** With its first messages, or not at all. False when there is a session of that id. */
  create(created: LogHeader, first: AppendRecord | undefined, waiting: Waiting): Promise<boolean>;
  /** The current state, including what other processes wrote. Undefined when there is none. */
  load(sessionId: string, depth: Depth): Promise<SessionLog | undefined>;
  /** Excludes other writers. The record that `make` returns is durable when this resolves; nothing has changed when it throws. */
  write(sessionId: string, writing: WriteOptions): Promise<WriteResult | undefined>;
  /** Excludes other writers. Keeps and returns the state that `change` returns; keeps the old one where it returns none. */
  lease(sessionId: string, change: ChangeLease, waiting: Waiting): Promise<LeaseState | undefined>;
  /** False when there is none. */
  remove(sessionId: string, waiting: Waiting): Promise<boolean>;
  /** False when there is a session of the new id. */
  fork(log: SessionLog, newSessionId: string, waiting: Waiting): Promise<boolean>;
  sessionIds(): Promise<readonly string[]>;
  /** Problems beyond the log itself: damaged lines, leftover files. */
  examine(sessionId: string | undefined): Promise<readonly Finding[]>;
}

export interface WriteOptions extends Waiting {
  readonly depth: Depth;
  readonly make: Make;
}

export type ChangeLease = (state: LeaseState) => LeaseState | undefined;

/** The session right after a write, before another write. */
export interface WriteResult {
  readonly version: Version;
  readonly updatedAt: string;
}

/** The lease is read only where it is asked for. */
type Make = (log: SessionLog, lease: () => LeaseState) => LogRecord | undefined;
