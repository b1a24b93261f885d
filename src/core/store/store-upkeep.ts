/** The second port of a store: listing, checking, copying and deleting stored sessions. Sessions without it refuse `purge`, `delete` and `fork`. */

import { CompactionError } from "../errors.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type { FormatName } from "../message.ts";
import type { EditKind, Store, StoredMessage, SystemEdit, Waiting } from "./store.ts";

export interface StoreUpkeep {
  /** The edits of compactions to messages and the system prompt, oldest first, undone ones included; events without edits are left out. */
  edits(sessionId: string): AsyncIterable<EventEdits>;
  /** Every message ever appended or inserted, by number, with its original body. */
  log(sessionId: string): AsyncIterable<StoredMessage>;
  /** Deletes archived messages whose event is older; returns their number. A purge cannot be rolled back. */
  purge(sessionId: string, before: Date, waiting?: Waiting): Promise<number>;
  delete(sessionId: string, waiting?: Waiting): Promise<void>;
  /** Creates a session with the same log, events and view. */
  fork(sessionId: string, newSessionId: string, waiting?: Waiting): Promise<void>;
  /** Newest first. */
  sessions(): AsyncIterable<SessionSummary>;
  /** Checks every invariant; yields no finding when all hold. */
  examine(sessionId?: string): AsyncIterable<Finding>;
}

/** A store with both ports. */
export type FullStore = Store & StoreUpkeep;

/** The edits of one event, which apply while it is in force. */
export interface EventEdits {
  readonly eventId: string;
  /** By the number of the message; without purged ones. */
  readonly messages: readonly StoredEdit[];
  /** The edited prompt while the event was the newest; null where the prompt was the session's own. */
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
  readonly metadata: JsonObject;
  /** As the body without its messages names it; null where it names none. */
  readonly model: string | null;
  readonly turnCount: number;
  readonly messageCount: number;
  readonly viewCount: number;
  readonly compactionCount: number;
  readonly totalTokens: number;
  /** True when the total is unknown. */
  readonly isTotalStale: boolean;
  /** The window of the model in use; 0 until known. */
  readonly contextTokens: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface Finding {
  readonly sessionId: string;
  /** Stable name of the broken invariant. */
  readonly rule: string;
  readonly message: string;
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

/** The store with its second port. Throws `invalid-settings` for a store without it; `doing` names the requested action. */
export function withUpkeep(store: Store, doing: string): FullStore {
  if (hasUpkeep(store)) return store;
  const message = `The store ${store.url} cannot ${doing}: it lacks the second port, StoreUpkeep. Nothing was changed; use a store that has it.`;
  throw new CompactionError("invalid-settings", message);
}
