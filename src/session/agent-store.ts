/** Finds the session of an agent, and shows its store under the agent's id for it, whatever key the store uses. */

import type { Changes, CompactionEvent, Lease, SessionState, Store } from "../core/store/store.ts";
import { agentKey } from "../core/store/store-rules.ts";
import { hasUpkeep, type StoreUpkeep } from "../core/store/store-upkeep.ts";

export interface SessionAddress<Port extends Store> {
  /** The store, in which the given id means that agent's session. */
  readonly store: Port;
  /** The session's key in the store. */
  readonly key: string;
  /** Undefined where the session does not exist yet. */
  readonly state: SessionState | undefined;
}

/** Without an agent, the id alone finds the session. */
export async function addressOf<Port extends Store>(
  store: Port,
  id: string,
  agentId = "",
): Promise<SessionAddress<Port>> {
  const first = await store.open(id);
  const isFound = agentId === "" || first?.agentId === agentId;
  if (isFound) return { store, key: id, state: first };
  const key = agentKey(id, agentId);
  const state = await store.open(key);
  if (first === undefined && state === undefined) return { store, key: id, state };
  return { store: storeUnder(store, { id, key }), key, state: state && { ...state, id } };
}

/** The same store, in which `id` means the session that is stored under `key`. */
function storeUnder<Port extends Store>(store: Port, { id, key }: { readonly id: string; readonly key: string }): Port {
  const to = (sessionId: string): string => (sessionId === id ? key : sessionId);
  const from = (sessionId: string): string => (sessionId === key ? id : sessionId);
  const leaseTo = (lease: Lease): Lease => ({ ...lease, sessionId: to(lease.sessionId) });
  const leaseFrom = (lease: Lease | undefined) => lease && { ...lease, sessionId: from(lease.sessionId) };
  const under: Port = {
    ...store,
    create: (session, ...rest) => store.create({ ...session, id: to(session.id) }, ...rest),
    open: async (sessionId) => named(await store.open(to(sessionId)), from),
    changes: async (sessionId, since) => changesUnder(await store.changes(to(sessionId), since), from),
    append: (sessionId, ...rest) => store.append(to(sessionId), ...rest),
    lease: async (sessionId, ...rest) => leaseFrom(await store.lease(to(sessionId), ...rest)),
    renew: async (lease, ttlMs) => leaseFrom(await store.renew(leaseTo(lease), ttlMs)),
    release: (lease) => store.release(leaseTo(lease)),
    commit: (sessionId, commit, waiting) =>
      store.commit(to(sessionId), { ...commit, lease: leaseTo(commit.lease) }, waiting),
    rollback: (sessionId, ...rest) => store.rollback(to(sessionId), ...rest),
    update: (sessionId, ...rest) => store.update(to(sessionId), ...rest),
    events: (sessionId) => eventsUnder(store.events(to(sessionId)), from),
    archive: (sessionId, range) => store.archive(to(sessionId), range),
    messages: (sessionId, messageIds) => store.messages(to(sessionId), messageIds),
    counts: (sessionId) => store.counts(to(sessionId)),
    search: (sessionId, ...rest) => store.search(to(sessionId), ...rest),
  };
  return hasUpkeep(store) ? { ...under, ...upkeepUnder(store, to) } : under;
}

function upkeepUnder(store: StoreUpkeep, to: Rename): Omit<StoreUpkeep, "sessions"> {
  return {
    edits: (sessionId) => store.edits(to(sessionId)),
    log: (sessionId) => store.log(to(sessionId)),
    purge: (sessionId, ...rest) => store.purge(to(sessionId), ...rest),
    delete: (sessionId, waiting) => store.delete(to(sessionId), waiting),
    fork: (sessionId, newSessionId, waiting) => store.fork(to(sessionId), to(newSessionId), waiting),
    examine: (sessionId) => store.examine(sessionId === undefined ? undefined : to(sessionId)),
  };
}

type Rename = (sessionId: string) => string;

function named<T extends { readonly id: string }>(record: T | undefined, from: Rename): T | undefined {
  return record && { ...record, id: from(record.id) };
}

function changesUnder(changes: Changes, from: Rename): Changes {
  switch (changes.type) {
    case "none":
      return changes;
    case "appended":
      return { ...changes, record: { ...changes.record, id: from(changes.record.id) } };
    case "changed":
      return { ...changes, state: { ...changes.state, id: from(changes.state.id) } };
    default:
      return changes satisfies never;
  }
}

async function* eventsUnder(events: AsyncIterable<CompactionEvent>, from: Rename): AsyncIterable<CompactionEvent> {
  for await (const event of events) yield { ...event, sessionId: from(event.sessionId) };
}
