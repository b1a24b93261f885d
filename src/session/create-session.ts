/** A session over its parts: each method asks the store, and keeps this process's view of it up to date. */

import { throwIfAborted } from "../compactor/make-summary.ts";
import { CompactionError } from "../core/errors.ts";
import { copyJson } from "../core/json.ts";
import type { StoredMessage } from "../core/store/store.ts";
import { createAppender, type Sent } from "./appender.ts";
import { checkDate, checkedBase, checkText } from "./check-arguments.ts";
import { collect } from "./collect.ts";
import { compactView, inProgress, type SessionCall, type SessionParts, type SessionPass } from "./compact-view.ts";
import { exportSession } from "./export-session.ts";
import { conversationOf } from "./live-view.ts";
import type { Session, Waiting } from "./session-port.ts";
import { type SessionStats, sessionStats } from "./session-stats.ts";

export interface SessionOwner {
  /** Whether closing the session closes the store. */
  readonly isOwnStore: boolean;
  reopen(id: string): Promise<Session>;
}

const RECALL_LIMIT = 10;

export function createSession(parts: SessionParts, owner: SessionOwner): Session {
  const { id, store, compactor } = parts;
  return {
    id,
    store,
    compactor,
    ...viewMethods(parts),
    ...readMethods(parts),
    ...changeMethods(parts),
    fork: (newId, options = {}) =>
      checked(options, async () => {
        await store.fork(id, newId);
        return owner.reopen(newId);
      }),
    close: async () => {
      if (owner.isOwnStore) await store.close();
    },
  };
}

async function checked<T>({ signal }: Waiting, action: () => Promise<T>): Promise<T> {
  if (signal !== undefined) throwIfAborted(signal);
  return action();
}

function viewMethods(parts: SessionParts) {
  const { id, store } = parts;
  const sent: Sent = { request: undefined };
  const appender = createAppender(parts, sent);
  const pass = (call: SessionCall): Promise<SessionPass> =>
    appender.after(call, async () => {
      const passed = await compactView(parts, call);
      sent.request = passed.request;
      return passed;
    });
  return {
    append: (messages, options = {}) => appender.add(messages, options),
    request: async (options = {}) => (await pass(options)).request,
    fit: (options = {}) => pass(options),
    compact: async (options = {}) => {
      const passed = await pass({ ...options, asked: "manual" });
      return passed.report.compacted ? passed : refuse(passed, id);
    },
    rollback: ({ signal, ...rollback } = {}) =>
      checked(signal === undefined ? {} : { signal }, async () => {
        const { undoneIds } = await store.rollback(id, rollback);
        parts.overlay.clear();
        parts.heldOff.passes = undefined;
        await parts.live.refresh();
        return undoneIds;
      }),
  } satisfies Partial<Session>;
}

function readMethods(parts: SessionParts) {
  const { id, store, live } = parts;
  return {
    history: (options = {}) => checked(options, () => collect(store.events(id))),
    stats: (options = {}) => checked(options, () => statsOf(parts)),
    view: (options = {}) =>
      checked(options, async () => (await live.refresh()).entries.map(({ stored }) => copyOf(stored))),
    archive: ({ signal } = {}) => abortable(store.archive(id), signal),
    recall: (query, { limit = RECALL_LIMIT, scope = "all", ...options } = {}) =>
      checked(options, async () => {
        checkText(query, "A query");
        return store.search(id, query, limit, scope);
      }),
    expand: (eventId, options = {}) => checked(options, () => expand(parts, eventId)),
    export: ({ all = false, ...options } = {}) => checked(options, () => exportSession(parts, all)),
  } satisfies Partial<Session>;
}

function changeMethods({ id, store, compactor, live }: SessionParts) {
  const pin = (messageId: string, isPinned: boolean, options: Waiting = {}): Promise<void> =>
    checked(options, async () => {
      checkText(messageId, "A message id");
      await store.setPinned(id, [messageId], isPinned);
      await live.refresh();
    });
  return {
    pin: (messageId, options) => pin(messageId, true, options),
    unpin: (messageId, options) => pin(messageId, false, options),
    setBody: (body, options = {}) =>
      checked(options, async () => {
        await store.setBase(id, checkedBase(compactor.format, body));
        await live.refresh();
      }),
    purge: ({ olderThan, ...options }) =>
      checked(options, async () => {
        checkDate(olderThan);
        return store.purge(id, olderThan);
      }),
    delete: (options = {}) => checked(options, () => store.delete(id)),
  } satisfies Partial<Session>;
}

/** Somebody asked, and nothing was done: said aloud, never a silent no-op (X22). */
function refuse({ plan, report }: SessionPass, id: string): never {
  const name = JSON.stringify(id);
  if (plan.because === "in-progress") throw inProgress(id);
  const message = `Session ${name} was not compacted (${report.reason}); nothing was changed.`;
  throw new CompactionError("nothing-to-compact", message, { reason: report.reason });
}

async function statsOf({ id, store, live, compactor, overlay }: SessionParts): Promise<SessionStats> {
  const snapshot = await live.refresh();
  const { archived } = await store.counts(id);
  const conversation = conversationOf(snapshot, overlay);
  const pinned = conversation.messages.flatMap((message, index) => (message.pinned ? [index] : []));
  return sessionStats({
    plan: compactor.plan(compactor.format.encode(conversation), { pinned }),
    windowTokens: compactor.settings.windowTokens,
    counters: snapshot.record.counters,
    viewMessages: snapshot.entries.length,
    archivedMessages: archived,
  });
}

/** Nobody can change what is kept here by what is handed out. */
function copyOf(stored: StoredMessage): StoredMessage {
  return { ...stored, body: copyJson(stored.body) };
}

async function expand({ id, store }: SessionParts, eventId: string): Promise<readonly StoredMessage[]> {
  const events = await collect(store.events(id));
  if (!events.some((event) => event.id === eventId)) {
    const message = `Session ${JSON.stringify(id)} has no compaction ${JSON.stringify(eventId)}.`;
    throw new CompactionError("event-missing", message);
  }
  return collect(store.archive(id, { eventId }));
}

async function* abortable<T>(items: AsyncIterable<T>, signal: AbortSignal | undefined): AsyncIterable<T> {
  for await (const item of items) {
    if (signal !== undefined) throwIfAborted(signal);
    yield item;
  }
}
