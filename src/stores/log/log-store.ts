/** A store over logs: every promise of the port but durability, which is the backend's. */

import { CompactionError } from "../../core/errors.ts";
import { searchRequest } from "../../core/search/query-words.ts";
import { deepFreeze } from "../../core/settings/deep-freeze.ts";
import { purgeTime } from "../../core/store/purge-time.ts";
import { checkNewSession, checkSessionId } from "../../core/store/session-id.ts";
import type { Lease, SessionSummary, Store } from "../../core/store/store.ts";
import { checkCommit, checkPins, eventsToPurge, eventsToUndo, sessionExists, sessionMissing } from "./check-change.ts";
import { examineLog } from "./examine-log.ts";
import { leaseOf, releaseLease, renewLease, takeLease } from "./lease-state.ts";
import type { Depth, LogBackend, Make, Written } from "./log-backend.ts";
import { isEmpty, makeAppended, makeBased, makeCommitted, makeCreated, makeFirst } from "./make-record.ts";
import { archiveOf, changesSince, countsOf, editsOf, searchLog, summaryOf } from "./read-log.ts";
import { asWritten, type SessionLog, stateOf } from "./session-log.ts";

export function logStore(backend: LogBackend): Store {
  const gate = openGate(backend);
  return {
    url: backend.url,
    ...sessionMethods(gate),
    ...leaseMethods(gate),
    ...changeMethods(gate),
    ...readMethods(gate),
  };
}

/** The backend while the store is open, with what is missing turned into errors. */
interface Gate {
  backend(): LogBackend;
  load(sessionId: string, depth: Depth): Promise<SessionLog>;
  write(sessionId: string, depth: Depth, make: Make): Promise<Written>;
  close(): void;
}

function openGate(backend: LogBackend): Gate {
  let isOpen = true;
  const opened = (): LogBackend => {
    if (isOpen) return backend;
    throw new CompactionError("storage", "The store is closed; nothing was changed. Open it again to go on.");
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
    async write(sessionId, depth, make) {
      checkSessionId(sessionId);
      return found(await opened().write(sessionId, depth, make), sessionId);
    },
    close: () => {
      isOpen = false;
    },
  };
}

function sessionMethods({ backend, load, close }: Gate) {
  return {
    async create(session, first) {
      checkNewSession(session);
      const made = makeCreated(session, backend().now());
      const appended = first && makeFirst(made, first);
      if (!(await backend().create(made, appended))) throw sessionExists(session.id);
    },
    async open(sessionId) {
      checkSessionId(sessionId);
      const log = await backend().load(sessionId, "view");
      return log && stateOf(log);
    },
    async changes(sessionId, since) {
      return changesSince(await load(sessionId, "view"), since);
    },
    async delete(sessionId) {
      checkSessionId(sessionId);
      if (!(await backend().remove(sessionId))) throw sessionMissing(sessionId);
    },
    async fork(sessionId, newSessionId) {
      checkSessionId(newSessionId);
      const log = await load(sessionId, "whole");
      if (!(await backend().fork(log, newSessionId))) throw sessionExists(newSessionId);
    },
    async close() {
      close();
    },
  } satisfies Partial<Store>;
}

function leaseMethods({ backend, load }: Gate) {
  const expiry = (ttlMs: number) => ({ now: backend().now(), ttlMs });
  const held = async (lease: Lease, ttlMs: number): Promise<Lease | undefined> => {
    let next: Lease | undefined;
    await backend().lease(lease.sessionId, (state) => {
      const renewed = renewLease(state, lease, expiry(ttlMs));
      next = renewed && leaseOf(lease.sessionId, renewed);
      return renewed;
    });
    return next;
  };
  return {
    async lease(sessionId, holder, ttlMs) {
      await load(sessionId, "view");
      let lease: Lease | undefined;
      await backend().lease(sessionId, (state) => {
        const taken = takeLease(state, holder, expiry(ttlMs));
        lease = taken && leaseOf(sessionId, taken);
        return taken;
      });
      return lease;
    },
    renew: held,
    async release(lease) {
      await backend().lease(lease.sessionId, (state) => releaseLease(state, lease));
    },
  } satisfies Partial<Store>;
}

function changeMethods({ backend, write }: Gate) {
  const at = (): string => backend().now().toISOString();
  return {
    async append(sessionId, batch) {
      let ids: readonly string[] = [];
      const { version, updatedAt } = await write(sessionId, "view", (before) => {
        const record = makeAppended(before, batch, at());
        ids = record.messages.map(({ id }) => id);
        return isEmpty(batch) ? undefined : record;
      });
      return { ids, version, createdAt: updatedAt };
    },
    async commit(sessionId, commit) {
      let made = { eventId: "", insertedIds: [] as readonly string[] };
      const { version, updatedAt } = await write(sessionId, "view", (before, lease) => {
        checkCommit(before, commit, { lease: lease(), now: backend().now() });
        const record = makeCommitted(before, commit, { eventId: backend().newId(), at: at() });
        made = { eventId: record.eventId, insertedIds: record.inserted.map(({ id }) => id) };
        return record;
      });
      return { version, ...made, createdAt: updatedAt };
    },
    async rollback(sessionId, rollback) {
      let undoneIds: readonly string[] = [];
      const { version } = await write(sessionId, "whole", (before) => {
        undoneIds = eventsToUndo(before, rollback);
        return { type: "rolled-back", at: at(), eventIds: undoneIds };
      });
      return { version, undoneIds };
    },
    async setPinned(sessionId, messageIds, isPinned) {
      const { version } = await write(sessionId, "view", (before) => {
        checkPins(before, messageIds);
        return { type: "pinned", at: at(), messageIds, isPinned };
      });
      return version;
    },
    async setBase(sessionId, base) {
      return (await write(sessionId, "view", () => makeBased(base, at()))).version;
    },
    async purge(sessionId, before) {
      let count = 0;
      const beforeTime = purgeTime(before);
      await write(sessionId, "whole", (log) => {
        const eventIds = eventsToPurge(log, beforeTime);
        const gone = new Set(eventIds);
        count = [...log.rows.values()].filter(({ archivedBy }) => gone.has(archivedBy ?? "")).length;
        return eventIds.length === 0 ? undefined : { type: "purged", at: at(), eventIds };
      });
      return count;
    },
  } satisfies Partial<Store>;
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
    async search(sessionId, query, limit, scope) {
      const request = searchRequest(query, limit, scope);
      return searchLog(await load(sessionId, "whole"), request);
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
  } satisfies Partial<Store>;
}
