/**
 * Which session of a store a request continues: the one that knows most of its list, by the hash chain of its messages. A list that leaves
 * the known one earlier goes on in a session of its own, which keeps the compactions that lie before that place. Nothing is deleted.
 */

import { randomUUID } from "node:crypto";
import type { Compactor } from "../compactor.ts";
import { CompactionError, invariant } from "../core/errors.ts";
import type { JsonObject, JsonValue } from "../core/json.ts";
import { setBounded } from "../core/remember.ts";
import type { Store } from "../core/store/store.ts";
import { sequenceOf } from "../core/store/store-rules.ts";
import type { KnownPrefix, TrafficStore } from "../core/store/traffic.ts";
import type { Entry } from "../session/session-view.ts";
import { followRows } from "./follow-rows.ts";
import { forkAt } from "./fork-session.ts";
import { batchOf, openView, type StoredView } from "./stored-view.ts";

export interface StoredConversations {
  /** The view that the request continues, with the request's new messages stored. */
  enter(entry: ListEntry): Promise<StoredView>;
}

export interface ListEntry {
  readonly compactor: Compactor;
  readonly list: readonly JsonValue[];
  /** For each message the hash of the list up to it. */
  readonly hashes: readonly string[];
  /** The request without its messages. */
  readonly base: JsonObject;
  readonly metadata: JsonObject;
  readonly signal?: AbortSignal | undefined;
}

/** A bound: other workers may append to the same session all the time. */
const ATTEMPTS_MAX = 8;

export function createStoredConversations(
  store: Store & TrafficStore,
  { conversationsMax, failed }: { readonly conversationsMax: number; failed(error: unknown): void },
): StoredConversations {
  const world: World = { store, views: new Map(), tips: new Map(), viewsMax: conversationsMax, failed };
  const entering = new Map<string, Promise<unknown>>();
  return {
    enter: async (entry) => {
      // Two requests with the same beginning may both find nothing known, or append at the same place.
      const first = entry.hashes[0] ?? "";
      const entered = (entering.get(first) ?? Promise.resolve()).then(() => enter(world, entry));
      const last = entered.catch(() => {});
      entering.set(first, last);
      void last.then(() => entering.get(first) === last && entering.delete(first));
      return entered;
    },
  };
}

interface World {
  readonly store: Store & TrafficStore;
  readonly viewsMax: number;
  failed(error: unknown): void;
  /** Views that are open, by session; the one unused for longest is forgotten first. */
  readonly views: Map<string, Promise<StoredView | undefined>>;
  /** The last messages of lists that came, so that most of a list need not be looked up. */
  readonly tips: Map<string, KnownPrefix>;
}

async function enter(world: World, entry: ListEntry): Promise<StoredView> {
  for (let attempt = 1; ; attempt++) {
    const found = await findKnown(world, entry.hashes);
    try {
      const view = found === undefined ? await begin(world, entry) : await join(world, entry, found);
      if (view !== undefined) return view;
    } catch (error) {
      const isOther = isCode(error, "store-conflict") || isCode(error, "session-missing");
      if (!isOther || attempt >= ATTEMPTS_MAX) throw error;
      if (found !== undefined && isCode(error, "session-missing")) forget(world, found.sessionId);
    }
    invariant(attempt < ATTEMPTS_MAX, "a session that is deleted is not found again and again");
  }
}

function isCode(error: unknown, code: CompactionError["code"]): boolean {
  return error instanceof CompactionError && error.code === code;
}

function forget({ views, tips }: World, sessionId: string): void {
  views.delete(sessionId);
  for (const [hash, tip] of tips) if (tip.sessionId === sessionId) tips.delete(hash);
}

/** The known prefix that stands last, and how many messages it has. */
interface Known extends KnownPrefix {
  readonly length: number;
}

async function findKnown({ store, tips }: World, hashes: readonly string[]): Promise<Known | undefined> {
  const at = hashes.findLastIndex((hash) => tips.has(hash));
  // Another worker may know more of it.
  const rest = hashes.slice(at + 1);
  const found = (rest.length > 0 ? await store.findPrefix(rest) : undefined) ?? tips.get(hashes[at] ?? "");
  return found && { ...found, length: hashes.indexOf(found.hash) + 1 };
}

/** Undefined where the session is gone. */
async function join(world: World, entry: ListEntry, found: Known): Promise<StoredView | undefined> {
  const view = await viewOf(world, entry.compactor, found.sessionId);
  if (view === undefined) {
    forget(world, found.sessionId);
    return undefined;
  }
  const { entries } = await view.parts.live.refresh();
  const { length, messageId, matched, isElsewhere } = await follow(view, entry, { found, entries });
  if (isElsewhere) return branch(world, entry, { view, length, messageId });
  await append(world, entry, { view, known: length, matched });
  return view;
}

async function viewOf(world: World, compactor: Compactor, sessionId: string): Promise<StoredView | undefined> {
  const { views, store, viewsMax } = world;
  const open = async (): Promise<StoredView | undefined> => {
    const state = await store.open(sessionId);
    return state && openView(store, compactor, state);
  };
  const view = views.get(sessionId) ?? open();
  setBounded(views, [sessionId, view], viewsMax);
  try {
    return await view;
  } catch (error) {
    views.delete(sessionId);
    throw error;
  }
}

/** How far a session and a list go together. */
interface Together {
  /** How many messages of the list the session has. */
  readonly length: number;
  /** The last message of the session that is in the list, and those whose hashes were not known. */
  readonly messageId: string;
  readonly matched: readonly string[];
  /** Whether the session goes on with something else. */
  readonly isElsewhere: boolean;
}

/** A worker may have stored messages and stopped before it made their hashes known, so what stands behind is compared. */
async function follow(
  { parts }: StoredView,
  { list, compactor: { format } }: ListEntry,
  { found, entries }: { readonly found: Known; readonly entries: readonly Entry[] },
): Promise<Together> {
  const from = sequenceOf(found.messageId) ?? 0;
  const behind = entries.filter(({ stored }) => stored.madeBy === null && stored.sequence > from);
  if (behind.length === 0) return { ...found, matched: [], isElsewhere: false };
  const ids = behind.map(({ stored }) => stored.id);
  const stored = await parts.store.messages(parts.id, ids);
  const rest = list.slice(found.length);
  const { matched, isElsewhere } = followRows(stored, { format, entries, list: rest });
  return {
    length: found.length + matched.length,
    messageId: matched.at(-1) ?? found.messageId,
    matched,
    isElsewhere,
  };
}

interface Branching {
  readonly view: StoredView;
  readonly length: number;
  readonly messageId: string;
}

/** A session of its own for a list that leaves a known one behind its first messages. */
async function branch(world: World, entry: ListEntry, { view, length, messageId }: Branching): Promise<StoredView> {
  const forkId = await forkAt(view.parts, messageId, randomUUID());
  if (forkId === undefined) return begin(world, entry, view.parts.id);
  const fork = await viewOf(world, entry.compactor, forkId);
  invariant(fork !== undefined, "a session that was just forked is there");
  await append(world, entry, { view: fork, known: length, matched: [] });
  return fork;
}

async function begin(world: World, entry: ListEntry, parentId?: string): Promise<StoredView> {
  const { store } = world;
  const { compactor, list, base, metadata, signal } = entry;
  const id = randomUUID();
  const session = { id, format: compactor.format.name, base, metadata, ...(parentId !== undefined && { parentId }) };
  await store.create(session, batchOf(compactor.format, list), { signal });
  const view = await viewOf(world, compactor, id);
  invariant(view !== undefined, "a session that was just made is there");
  await index(world, entry, { id, from: 0, messageIds: list.map((_, at) => `m${at + 1}`) });
  return view;
}

interface Appending {
  readonly view: StoredView;
  /** How many messages of the list the session has, and the last of these, whose hashes are not known. */
  readonly known: number;
  readonly matched: readonly string[];
}

async function append(world: World, entry: ListEntry, { view, known, matched }: Appending): Promise<void> {
  const { id, live } = view.parts;
  const { list, signal } = entry;
  const snapshot = live.current();
  const batch = { ...batchOf(entry.compactor.format, list.slice(known)), after: snapshot.record.version.sequence };
  let messageIds = matched;
  if (batch.messages.length > 0) {
    const appended = await world.store.append(id, batch, { signal });
    live.appended(batch, appended);
    const isPlaced = view.placed === live.current().list;
    if (isPlaced) for (const [at, messageId] of appended.ids.entries()) view.places.set(messageId, known + at);
    messageIds = [...matched, ...appended.ids];
  }
  // Once the request is on its way: what stands behind a known hash is compared, so it need not wait for this.
  setImmediate(() => void index(world, entry, { id, from: known - matched.length, messageIds }).catch(world.failed));
}

interface NewHashes {
  readonly id: string;
  /** The first message of the list that they are for. */
  readonly from: number;
  readonly messageIds: readonly string[];
}

async function index({ store, tips, viewsMax }: World, { hashes }: ListEntry, added: NewHashes): Promise<void> {
  const { id: sessionId, from, messageIds } = added;
  const prefixes = messageIds.flatMap((messageId, at): KnownPrefix[] => {
    const hash = hashes[from + at];
    return hash === undefined ? [] : [{ hash, sessionId, messageId }];
  });
  const tip = prefixes.at(-1);
  if (tip === undefined) return;
  setBounded(tips, [tip.hash, tip], viewsMax);
  await store.addPrefixes(prefixes);
}
