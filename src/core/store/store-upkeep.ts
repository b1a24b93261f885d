/**
 * The second port of a store: listing, checking, copying and deleting stored sessions. The shipped stores have both ports. A session
 * over a store without this one refuses `purge`, `delete`, `fork` and `export({ all: true })`.
 */

import { CompactionError } from "../errors.ts";
import type { JsonValue } from "../json.ts";
import type { FormatName } from "../message.ts";
import type { EditKind, Store, StoredMessage, SystemEdit, Waiting } from "./store.ts";

export interface StoreUpkeep {
  /** What compactions wrote over messages and the system prompt, oldest first, undone ones included; events that wrote nothing are left out. */
  edits(sessionId: string): AsyncIterable<EventEdits>;
  /** Everything ever appended or inserted, by number, bodies as they were written. */
  log(sessionId: string): AsyncIterable<StoredMessage>;
  /** Deletes archived messages whose event is older; returns how many. What was purged cannot be rolled back. */
  purge(sessionId: string, before: Date, waiting?: Waiting): Promise<number>;
  /** Deletes the session and everything that belongs to it. */
  delete(sessionId: string, waiting?: Waiting): Promise<void>;
  /** Makes a new session with the same log, events and view. */
  fork(sessionId: string, newSessionId: string, waiting?: Waiting): Promise<void>;
  /** Newest first. */
  sessions(): AsyncIterable<SessionSummary>;
  /** Checks every invariant; nothing found means all is well. */
  examine(sessionId?: string): AsyncIterable<Finding>;
}

/** A store with both ports. */
export type FullStore = Store & StoreUpkeep;

/** What one event wrote, for as long as it is in force. */
export interface EventEdits {
  readonly eventId: string;
  /** By the number of the message; without purged ones. */
  readonly messages: readonly StoredEdit[];
  /** As it stood when the event was the newest; null where the prompt was the session's own. */
  readonly system: SystemEdit | null;
}

export interface StoredEdit {
  readonly messageId: string;
  readonly kind: EditKind;
  readonly body: JsonValue;
}

export interface SessionSummary {
  readonly id: string;
  readonly format: FormatName;
  readonly agentId: string;
  readonly messageCount: number;
  readonly viewCount: number;
  readonly compactionCount: number;
  readonly totalTokens: number;
  /** True when the total is unknown. */
  readonly isTotalStale: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface Finding {
  readonly sessionId: string;
  /** Stable name of the broken invariant. */
  readonly rule: string;
  readonly message: string;
  /** What to do about it. */
  readonly remedy: string;
}

const METHODS = [
  "edits",
  "log",
  "purge",
  "delete",
  "fork",
  "sessions",
  "examine",
] as const satisfies readonly (keyof StoreUpkeep)[];

export function hasUpkeep(store: Store): store is FullStore {
  const methods: Partial<FullStore> = store;
  return METHODS.every((name) => typeof methods[name] === "function");
}

/** The store with its second port. Throws `invalid-settings` for a store without it; `doing` names what was asked for. */
export function withUpkeep(store: Store, doing: string): FullStore {
  if (hasUpkeep(store)) return store;
  const message = `The store ${store.url} cannot ${doing}: it lacks the second port, StoreUpkeep. Nothing was changed; use a store that has it.`;
  throw new CompactionError("invalid-settings", message);
}
