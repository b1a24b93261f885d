/** A store in memory. Its sessions end with the process: for tests, and where nothing has to outlive it. */

import { randomUUID } from "node:crypto";
import type { Embed } from "../core/search/embedding.ts";
import type { FullStore } from "../core/store/store-upkeep.ts";
import { type LeaseState, NO_LEASE } from "./log/lease.ts";
import { type LogBackend, logStore } from "./log/log-store.ts";
import { applyRecord, forkLog, newLog, type SessionLog, versionOf } from "./log/session-log.ts";

export interface MemoryStoreOptions {
  /** Finds by meaning too; vectors are kept in the store. Without it, by words alone. */
  readonly embed?: Embed;
  readonly now?: () => Date;
  readonly newId?: () => string;
}

/** Sessions that end with their process. */
export function memoryStore(options: MemoryStoreOptions = {}): FullStore {
  const { now = () => new Date(), newId = randomUUID, embed } = options;
  const logs = new Map<string, SessionLog>();
  const leases = new Map<string, LeaseState>();
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
  return logStore(backend);
}
