/** A session over its parts: each method calls the store, and updates this process's view. */

import { compactionFailure } from "../compactor/overflow.ts";
import { CompactionError } from "../core/errors.ts";
import { isSameParts } from "../core/identity.ts";
import { copyJson } from "../core/json.ts";
import type { Message, Part } from "../core/message.ts";
import { isCompaction } from "../core/plan/apply-plan.ts";
import type { Format } from "../core/ports.ts";
import { type Store, type StoredMessage, throwIfAborted } from "../core/store/store.ts";
import { withUpkeep } from "../core/store/store-upkeep.ts";
import { quoted } from "../core/text.ts";
import { createAppender, type SentRequest } from "./appender.ts";
import { checkedBase, checkedDate, checkedPoint, checkOptions, checkText } from "./check-arguments.ts";
import { compactView, inProgress, type SessionCall, type SessionParts, type SessionPass } from "./compact-view.ts";
import { exportSession } from "./export-session.ts";
import { heedRefusal, keepWindows, restoreWindows } from "./learned-windows.ts";
import { passesBefore } from "./pass-once.ts";
import { endAt, endOfQuestion, type FindEnd, leavingBehind, rewindView } from "./rewind.ts";
import type { Session, SessionStats, Waiting } from "./session-port.ts";
import { entriesOf, modelOf } from "./session-view.ts";
import { viewToSend } from "./view-to-send.ts";

export interface SessionOwner {
  /** Whether closing the session closes the store. */
  readonly isOwnStore: boolean;
  /** A new session with the same log and view. */
  fork(newId: string, waiting: Waiting): Promise<Session>;
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
      checked("fork", options, async (waiting) => {
        const { at } = options;
        if (at === undefined) return owner.fork(newId, waiting);
        checkText(at, "A message id");
        // Checked before anything is copied: a fork that cannot end at `at` is not made.
        leavingBehind(await parts.live.refresh(), endAt(at, true));
        const copy = await owner.fork(newId, waiting);
        try {
          await copy.rewind({ to: at });
          return copy;
        } catch (error) {
          await copy.delete();
          throw error;
        }
      }),
    close: (options = {}) =>
      checked("close", options, async () => {
        if (owner.isOwnStore) await store.close();
      }),
  };
}

/** Checks the signal first; a store checks it again while it waits for a lock. */
async function checked<T>(method: string, options: Waiting, action: (waiting: Waiting) => Promise<T>): Promise<T> {
  checkOptions(options, method);
  const waiting = { signal: options.signal };
  throwIfAborted(waiting);
  return action(waiting);
}

function viewMethods(parts: SessionParts) {
  const { id, store } = parts;
  const sent: SentRequest = { request: undefined, estimatedTokens: 0 };
  const appender = createAppender(parts, sent);
  const pass = (call: SessionCall): Promise<SessionPass> =>
    appender.after(call, async () => {
      const { overflow, ...plain } = call;
      await keepWindows(parts, call);
      const demand = overflow === undefined ? {} : await heedRefusal(parts, call, sent.request);
      const { estimatedTokens, sent: _, ...passed } = await compactView(parts, { ...plain, ...demand });
      sent.request = passed.request;
      sent.estimatedTokens = estimatedTokens;
      return passed;
    });
  const rewind = (options: Waiting, findEnd: FindEnd): Promise<readonly StoredMessage[]> =>
    appender.after(options, async () => {
      throwIfAborted(options);
      return (await rewindView(parts, findEnd, options)).map(copyOf);
    });
  return {
    append: (messages, options = {}) => appender.add(messages, options),
    request: async (options = {}) => {
      const { request, report } = await pass(options);
      // A caller that sees only the request would send it again and again.
      if (report.overflow?.retry === false) throw compactionFailure(options.overflow, report.overflow);
      return request;
    },
    fit: (options = {}) => pass(options),
    compact: async (options = {}) => {
      const passed = await pass({ ...options, asked: "manual" });
      return passed.report.compacted ? passed : refuse(passed, id);
    },
    rewind: async (options: Parameters<Session["rewind"]>[0]) => {
      checkOptions(options, "rewind");
      const [messageId, isKept] = checkedPoint(options ?? {});
      return rewind(options, endAt(messageId, isKept));
    },
    pop: async (options = {}) => {
      checkOptions(options, "pop");
      return rewind(options, endOfQuestion);
    },
    rollback: (options = {}) =>
      checked("rollback", options, async (waiting) => {
        const { signal: _, ...rollback } = options;
        if (rollback.to !== undefined) checkText(rollback.to, "The id of a compaction");
        const { undoneIds } = await store.rollback(id, rollback, waiting);
        parts.overlay.clear();
        parts.sendable = undefined;
        parts.heldOff.passes = undefined;
        await parts.live.refresh();
        return undoneIds;
      }),
  } satisfies Partial<Session>;
}

function readMethods(parts: SessionParts) {
  const { id, store, live } = parts;
  return {
    history: (options = {}) => checked("history", options, () => Array.fromAsync(store.events(id))),
    stats: (options = {}) => checked("stats", options, () => statsOf(parts)),
    view: (options = {}) =>
      checked("view", options, async () => (await live.refresh()).entries.map(({ stored }) => copyOf(stored))),
    shortened: (options = {}) => checked("shortened", options, () => shortenedIn(parts)),
    archive: (options = {}) => abortable(store.archive(id), options),
    recall: (query, options = {}) =>
      checked("recall", options, async (waiting) => {
        const { limit = RECALL_LIMIT, scope = "all" } = options;
        checkText(query, "A query");
        return store.search(id, query, limit, scope, waiting);
      }),
    expand: (eventId, options = {}) =>
      checked("expand", options, async () => {
        checkText(eventId, "The id of a compaction");
        return expand(parts, eventId);
      }),
    export: (options = {}) => checked("export", options, () => exportSession(parts, options)),
  } satisfies Partial<Session>;
}

function changeMethods(parts: SessionParts) {
  const { id, store, compactor, live } = parts;
  const pin = (messageId: string, isPinned: boolean, options: Waiting = {}): Promise<void> =>
    checked(isPinned ? "pin" : "unpin", options, async (waiting) => {
      checkText(messageId, "A message id");
      if (isPinned) await checkPinnable(parts, messageId);
      const { entries } = isPinned ? live.current() : await live.refresh();
      // Every change of the session makes a compacting worker start again, so skip a pin that is already set.
      if (entries.some(({ stored }) => stored.id === messageId && stored.isPinned === isPinned)) return;
      await store.update(id, { type: "pin", messageIds: [messageId], isPinned }, waiting);
      await live.refresh();
    });
  return {
    pin: (messageId, options) => pin(messageId, true, options),
    unpin: (messageId, options) => pin(messageId, false, options),
    setBody: (body, options = {}) =>
      checked("setBody", options, async (waiting) => {
        await store.update(id, { type: "base", base: checkedBase(compactor.format, body) }, waiting);
        await live.refresh();
      }),
    recordMemoryFlush: (options = {}) =>
      checked("recordMemoryFlush", options, async (waiting) => {
        await store.update(id, { type: "memory-flush" }, waiting);
        await live.refresh();
      }),
    // Untyped JavaScript may pass no options at all.
    purge: (options: Partial<Parameters<Session["purge"]>[0]> = {}) =>
      checked("purge", options, async (waiting) =>
        withUpkeep(store, "purge sessions").purge(id, checkedDate(options.olderThan), waiting),
      ),
    delete: (options = {}) =>
      checked("delete", options, async (waiting) => withUpkeep(store, "delete sessions").delete(id, waiting)),
  } satisfies Partial<Session>;
}

/** The error when a requested compaction did nothing: never a silent no-op. */
function refuse({ plan, report }: SessionPass, id: string): never {
  const name = JSON.stringify(id);
  if (plan.because === "in-progress") throw inProgress(id);
  // The notes hold the words of the gate or hook that refused.
  const isForbidden = report.reason === "gate" || report.reason === "cancelled";
  const why = [report.reason, ...(isForbidden ? report.notes : [])].join("; ");
  const message = `Session ${name} was not compacted (${why}); nothing was changed.`;
  throw new CompactionError("nothing-to-compact", message, { reason: report.reason });
}

async function statsOf(parts: SessionParts): Promise<SessionStats> {
  const { id, store, live, compactor } = parts;
  const snapshot = await live.refresh();
  restoreWindows(compactor, snapshot.record);
  const { archived } = await store.counts(id);
  const { conversation } = await viewToSend(parts, snapshot);
  const model = modelOf(snapshot.record.base);
  // The history of passes may delay the next one, so it belongs to the answer.
  const known = { passes: passesBefore(parts, snapshot), ...(model !== undefined && { model }) };
  const plan = compactor.planOver(conversation, known);
  const windowTokens = compactor.windowTokens(model);
  return {
    ...snapshot.record.counters,
    currentTokens: plan.tokensBefore,
    windowTokens,
    usedRatio: plan.tokensBefore / windowTokens,
    viewMessages: snapshot.entries.length,
    archivedMessages: archived,
    shouldCompact: isCompaction(plan),
    reason: plan.because ?? plan.reason,
  };
}

async function shortenedIn({ live, overlay }: SessionParts): Promise<readonly string[]> {
  const { entries } = await live.refresh();
  const shortened = entries.filter((entry) => entry.stored.isEdited || overlay.get(entry.message.id)?.over === entry);
  return shortened.map(({ stored }) => stored.id);
}

/** A copy: a change of the returned message must not change what is kept here. */
function copyOf(stored: StoredMessage): StoredMessage {
  return { ...stored, body: copyJson(stored.body) };
}

async function expand({ id, store }: SessionParts, eventId: string): Promise<readonly StoredMessage[]> {
  const events = await Array.fromAsync(store.events(id));
  if (!events.some((event) => event.id === eventId)) {
    const message = `Session ${JSON.stringify(id)} has no compaction ${quoted(eventId)}.`;
    throw new CompactionError("event-missing", message);
  }
  return Array.fromAsync(store.archive(id, { eventId }));
}

async function* abortable<T>(items: AsyncIterable<T>, options: Waiting): AsyncIterable<T> {
  checkOptions(options, "archive");
  throwIfAborted(options);
  for await (const item of items) {
    throwIfAborted(options);
    yield item;
  }
}

export async function checkPinnable({ id, store, live, compactor }: SessionParts, messageId: string): Promise<void> {
  const { entries } = await live.refresh();
  const entry = entries.find(({ stored }) => stored.id === messageId);
  // The store reports a missing message.
  if (entry === undefined) return;
  const { format } = compactor;
  if ((await firstShortened({ id, store, format }, [entry.stored])) === undefined) return;
  const message = `Message ${quoted(messageId)} was shortened by a compaction, and only what is whole can be pinned; nothing was changed. Roll that compaction back to pin it, or read it with the recall tool.`;
  throw new CompactionError("message-missing", message);
}

interface SessionIn {
  readonly id: string;
  readonly store: Store;
  readonly format: Format;
}

/** The first of these messages that says less in the view than was appended; undefined where all are whole. */
export async function firstShortened(
  { id, store, format }: SessionIn,
  messages: readonly StoredMessage[],
): Promise<string | undefined> {
  const edited = messages.filter(({ isEdited }) => isEdited);
  if (edited.length === 0) return undefined;
  const ids = edited.map((stored) => stored.id);
  const originals = entriesOf(format, await store.messages(id, ids));
  const original = new Map(originals.map(({ stored, message }) => [stored.id, message]));
  const isShortened = (message: Message): boolean => {
    const before = original.get(message.id);
    return before !== undefined && !isWhole(before, message);
  };
  return entriesOf(format, edited).find(({ message }) => isShortened(message))?.stored.id;
}

/** Whole even without its thinking, or with a summary added. */
function isWhole(original: Message, now: Message): boolean {
  const spoken = original.parts.filter(({ type }) => type !== "reasoning");
  return spoken.every((part) => now.parts.some((other) => holds(other, part)));
}

function holds(now: Part, original: Part): boolean {
  if (now.type === "text" && original.type === "text") return now.text.includes(original.text);
  return isSameParts([now], [original]);
}
