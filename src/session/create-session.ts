/** A session over its parts: each method asks the store, and keeps this process's view of it up to date. */

import { throwIfAborted } from "../compactor/make-summary.ts";
import type { Compactor } from "../compactor.ts";
import { CompactionError } from "../core/errors.ts";
import { isObject } from "../core/json.ts";
import type { UsageCounts } from "../core/store/counters.ts";
import type { StoredMessage } from "../core/store/store.ts";
import { collect } from "./collect.ts";
import { compactView, type SessionCall, type SessionParts, type SessionPass } from "./compact-view.ts";
import { exportSession } from "./export-session.ts";
import { conversationOf } from "./live-view.ts";
import type { Session, Waiting } from "./session-port.ts";
import { type SessionStats, sessionStats } from "./session-stats.ts";
import { baseOf } from "./session-view.ts";
import { type Appendable, readAppendable } from "./wire-input.ts";

export interface SessionOwner {
  /** Whether closing the session closes the store. */
  readonly isOwnStore: boolean;
  reopen(id: string): Promise<Session>;
}

const RECALL_LIMIT = 10;

export function createSession(parts: SessionParts, owner: SessionOwner): Session {
  const { id, store, compactor } = parts;
  const sent: Sent = { request: undefined };
  const appender = createAppender(parts, sent);
  const checked = async <T>({ signal }: Waiting, action: () => Promise<T>): Promise<T> => {
    if (signal !== undefined) throwIfAborted(signal);
    return action();
  };
  const pass = (call: SessionCall): Promise<SessionPass> =>
    appender.after(async () => {
      const passed = await compactView(parts, call);
      sent.request = passed.request;
      return passed;
    });
  const pin = (messageId: string, isPinned: boolean, options: Waiting = {}): Promise<void> =>
    checked(options, async () => {
      await store.setPinned(id, [messageId], isPinned);
      await parts.live.refresh();
    });
  return {
    id,
    store,
    compactor,
    append: (messages, options = {}) => checked(options, () => appender.add(messages)),
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
    history: (options = {}) => checked(options, () => collect(store.events(id))),
    stats: (options = {}) => checked(options, () => statsOf(parts)),
    view: (options = {}) =>
      checked(options, async () => (await parts.live.refresh()).entries.map(({ stored }) => stored)),
    pin: (messageId, options) => pin(messageId, true, options),
    unpin: (messageId, options) => pin(messageId, false, options),
    archive: ({ signal } = {}) => abortable(store.archive(id), signal),
    recall: (query, { limit = RECALL_LIMIT, ...options } = {}) =>
      checked(options, () => store.search(id, query, limit)),
    expand: (eventId, options = {}) => checked(options, () => expand(parts, eventId)),
    setBody: (body, options = {}) =>
      checked(options, async () => {
        if (!isObject(body)) throw new CompactionError("invalid-options", "The body must be an object.");
        await store.setBase(id, baseOf(compactor.format, body));
        await parts.live.refresh();
      }),
    purge: ({ olderThan, ...options }) => checked(options, () => store.purge(id, olderThan)),
    delete: (options = {}) => checked(options, () => store.delete(id)),
    fork: (newId, options = {}) =>
      checked(options, async () => {
        await store.fork(id, newId);
        return owner.reopen(newId);
      }),
    export: ({ all = false, ...options } = {}) => checked(options, () => exportSession(parts, all)),
    close: async () => {
      if (owner.isOwnStore) await store.close();
    },
  };
}

/** What was sent last: the usage that comes back with the answer is about it. */
interface Sent {
  request: object | undefined;
}

interface Appender {
  add(input: Appendable): Promise<readonly string[]>;
  /** Begins when everything that was appended so far is stored, so that a request holds it. */
  after<T>(action: () => Promise<T>): Promise<T>;
}

/** One after the other, in the order of the calls: a pool of connections would not keep it. */
function createAppender({ id, store, compactor, live }: SessionParts, sent: Sent): Appender {
  let last: Promise<unknown> = Promise.resolve();
  const addOne = async (input: Appendable): Promise<readonly string[]> => {
    const { messages, turns, isResponse } = readAppendable(compactor.format, input);
    const usage = isResponse ? usageOf(compactor, input) : undefined;
    const batch = { messages, turns, ...(usage !== undefined && { usage }) };
    const appended = await store.append(id, batch);
    live.appended(batch, appended);
    if (usage !== undefined && sent.request !== undefined) compactor.observe(sent.request, input);
    return appended.ids;
  };
  return {
    add: (input) => {
      const added = last.then(() => addOne(input));
      // The next one does not depend on whether this one worked; its caller is told.
      last = added.catch(() => {});
      return added;
    },
    after: (action) => last.then(action),
  };
}

function usageOf({ format, settings }: Compactor, response: Appendable): UsageCounts | undefined {
  const usage = format.readUsage(response);
  if (usage === undefined) return undefined;
  const { inputTokens, outputTokens } = usage;
  return { inputTokens, outputTokens, contextTokens: settings.windowTokens };
}

/** Somebody asked, and nothing was done: said aloud, never a silent no-op (X22). */
function refuse({ plan, report }: SessionPass, id: string): never {
  const name = JSON.stringify(id);
  if (plan.because === "in-progress") {
    const message = `Another worker is compacting session ${name}; nothing was changed. Try again later.`;
    throw new CompactionError("already-in-progress", message, { retryable: true });
  }
  const message = `Session ${name} was not compacted (${report.reason}); nothing was changed.`;
  throw new CompactionError("nothing-to-compact", message, { reason: report.reason });
}

async function statsOf({ live, compactor, overlay }: SessionParts): Promise<SessionStats> {
  const snapshot = await live.refresh();
  const conversation = conversationOf(snapshot, overlay);
  const pinned = conversation.messages.flatMap((message, index) => (message.pinned ? [index] : []));
  return sessionStats({
    plan: compactor.plan(compactor.format.encode(conversation), { pinned }),
    windowTokens: compactor.settings.windowTokens,
    counters: snapshot.record.counters,
    viewMessages: snapshot.entries.length,
    summaryMessages: snapshot.entries.filter(({ stored }) => stored.isSummary).length,
  });
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
