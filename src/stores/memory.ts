/** A store in memory. Its sessions end with the process: for tests, and where nothing has to outlive it. */

import { randomUUID } from "node:crypto";
import type { Embed } from "../core/search/embedding.ts";
import type { FullStore } from "../core/store/store-upkeep.ts";
import type { KnownPrefix, RequestRecord, RequestTotals, TrafficStore } from "../core/store/traffic.ts";
import { type LogBackend, logStore } from "./log/log-store.ts";
import { type LeaseState, NO_LEASE } from "./log/records.ts";
import { applyRecord, forkLog, newLog, type SessionLog, versionOf } from "./log/session-log.ts";
import { sessionMissing } from "./refusals.ts";

export interface MemoryStoreOptions {
  /** Finds by meaning too; vectors are kept in the store. Without it, by words alone. */
  readonly embed?: Embed;
  readonly now?: () => Date;
  readonly newId?: () => string;
}

/** Sessions that end with their process. */
export function memoryStore(options: MemoryStoreOptions = {}): FullStore & TrafficStore {
  const { now = () => new Date(), newId = randomUUID, embed } = options;
  const logs = new Map<string, SessionLog>();
  const leases = new Map<string, LeaseState>();
  const requests: Requests = new Map();
  const prefixes = new Map<string, KnownPrefix>();
  const backend: LogBackend = {
    url: "memory:",
    embed,
    now,
    newId,
    async create(created, first) {
      if (logs.has(created.id)) return false;
      const log = newLog(created);
      if (first !== undefined) applyRecord(log, first);
      logs.set(created.id, log);
      return true;
    },
    async load(sessionId) {
      return logs.get(sessionId);
    },
    async write(sessionId, { make }) {
      const log = logs.get(sessionId);
      const record = log && make(log, () => leases.get(sessionId) ?? NO_LEASE);
      if (log !== undefined && record !== undefined) applyRecord(log, record);
      return log && { version: versionOf(log), updatedAt: log.updatedAt };
    },
    async lease(sessionId, change) {
      const state = change(leases.get(sessionId) ?? NO_LEASE);
      if (state !== undefined) leases.set(sessionId, state);
      return state;
    },
    async remove(sessionId) {
      leases.delete(sessionId);
      requests.delete(sessionId);
      for (const [hash, prefix] of prefixes) if (prefix.sessionId === sessionId) prefixes.delete(hash);
      return logs.delete(sessionId);
    },
    async fork(log, newSessionId) {
      if (logs.has(newSessionId)) return false;
      logs.set(newSessionId, forkLog(log, { id: newSessionId, at: now().toISOString(), newId }));
      return true;
    },
    async sessionIds() {
      return [...logs.keys()];
    },
    async examine() {
      return [];
    },
  };
  return { ...logStore(backend), ...traffic(logs, requests, prefixes) };
}

type Requests = Map<string, RequestRecord[]>;

function traffic(
  logs: ReadonlyMap<string, SessionLog>,
  requests: Requests,
  prefixes: Map<string, KnownPrefix>,
): TrafficStore {
  return {
    async findPrefix(hashes) {
      const known = hashes.findLast((hash) => prefixes.has(hash));
      return known === undefined ? undefined : prefixes.get(known);
    },
    async addPrefixes(added) {
      for (const { hash, sessionId, messageId } of added) {
        const isNew = logs.has(sessionId) && !prefixes.has(hash);
        if (isNew) prefixes.set(hash, { hash, sessionId, messageId });
      }
    },
    async addRequest(record) {
      if (!logs.has(record.sessionId)) throw sessionMissing(record.sessionId);
      const known = requests.get(record.sessionId) ?? [];
      requests.set(record.sessionId, [...known, { ...record }]);
    },
    async *requests(sessionId) {
      yield* requests.get(sessionId) ?? [];
    },
    async totals(sessionIds) {
      return sessionIds.flatMap((id) => totalsOf(requests.get(id) ?? []));
    },
  };
}

function totalsOf(records: readonly RequestRecord[]): readonly RequestTotals[] {
  const newest = records.at(-1);
  if (newest === undefined) return [];
  const sum = (of: (record: RequestRecord) => number | null): number =>
    records.reduce((total, record) => total + (of(record) ?? 0), 0);
  return [
    {
      sessionId: newest.sessionId,
      requests: records.length,
      inputTokens: sum(({ inputTokens }) => inputTokens),
      cacheReadTokens: sum(({ cacheReadTokens }) => cacheReadTokens),
      cacheWriteTokens: sum(({ cacheWriteTokens }) => cacheWriteTokens),
      outputTokens: sum(({ outputTokens }) => outputTokens),
      fullTokens: sum(({ fullTokens }) => fullTokens),
      newest,
    },
  ];
}
