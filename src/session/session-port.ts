/** The methods of a session. Each takes a signal; their errors are in docs/errors.md. */

import type { Compactor } from "../compactor.ts";
import type { Counters } from "../core/store/counters.ts";
import type { CompactionEvent, Hit, Store, StoredMessage, Waiting } from "../core/store/store.ts";
import type { SessionCall, SessionPass } from "./compact-view.ts";
import type { Exported, ExportOptions } from "./export-session.ts";
import type { Appendable } from "./wire-input.ts";

export type { Waiting };

/** `Request` is the type of a request body in the compactor's format. */
export interface Session<Request extends object = object> {
  readonly id: string;
  readonly store: Store;
  readonly compactor: Compactor<Request>;
  /** Durable when it resolves. Takes a provider's response as it is, and calibrates the estimate with its usage. */
  append(messages: Appendable, options?: AppendOptions): Promise<readonly string[]>;
  /** The view, ready to be sent; compacts when a trigger fires. With `overflow`, throws `compaction-failure` where no retry makes sense. */
  request(options?: SessionRequest): Promise<Request>;
  /** Like `request`, with the plan and the report. */
  fit(options?: SessionRequest): Promise<SessionPass<Request>>;
  /** Compacts now. Throws `nothing-to-compact` or `already-in-progress`. */
  compact(options?: SessionRequest): Promise<SessionPass<Request>>;
  /** Undoes a compaction: the newest, or the named one; with `cascade` later ones too. Returns the ids of the undone events. */
  rollback(options?: Waiting & { readonly to?: string; readonly cascade?: boolean }): Promise<readonly string[]>;
  /**
   * Removes everything after a message (`to`), or that message too (`before`), from the view and returns it. It goes
   * into the archive as an event, which a rollback undoes. Throws `already-in-progress` while another worker compacts.
   */
  rewind(options: Waiting & RewindPoint): Promise<readonly StoredMessage[]>;
  /** Rewinds to the user's last words, to have them answered again; where they have no answer, removes them, to be put in other words. */
  pop(options?: Waiting): Promise<readonly StoredMessage[]>;
  /** Every compaction and every rewind, oldest first, undone ones included. */
  history(options?: Waiting): Promise<readonly CompactionEvent[]>;
  stats(options?: Waiting): Promise<SessionStats>;
  /** The view as it is stored. */
  view(options?: Waiting): Promise<readonly StoredMessage[]>;
  /** Ids of messages whose sent form says less than was appended: a compaction or a request shortened them. */
  shortened(options?: Waiting): Promise<readonly string[]>;
  pin(messageId: string, options?: Waiting): Promise<void>;
  unpin(messageId: string, options?: Waiting): Promise<void>;
  /** The messages that left the view. */
  archive(options?: Waiting): AsyncIterable<StoredMessage>;
  /** Searches archive and view, or the archive alone. */
  recall(query: string, options?: Waiting & RecallRange): Promise<readonly Hit[]>;
  /** The messages that a compaction removed from the view. */
  expand(eventId: string, options?: Waiting): Promise<readonly StoredMessage[]>;
  /** Changes the request's other fields: model, system prompt, tools and the rest. */
  setBody(body: object, options?: Waiting): Promise<void>;
  /** Sets `stats().memoryFlushCompactionCount` to the compaction count; the next flush of memory is due once that grows. */
  recordMemoryFlush(options?: Waiting): Promise<void>;
  /** Deletes archived messages for good; returns their number. */
  purge(options: Waiting & { readonly olderThan: Date }): Promise<number>;
  delete(options?: Waiting): Promise<void>;
  /** A new session with the same log; with `at`, its view ends with that message. */
  fork(newId: string, options?: Waiting & { readonly at?: string }): Promise<Session<Request>>;
  /** The view as a request body; with `all`, the archive and the events too; with `format`, in another provider's form. */
  export(options?: Waiting & ExportOptions): Promise<Exported>;
  /** Also closes the store where the session opened it. */
  close(options?: Waiting): Promise<void>;
}

export interface AppendOptions extends Waiting {
  /** True: a compaction leaves these messages as they are. A message with `isPreserved: true` is pinned without this. */
  readonly pinned?: boolean;
}

/** Exactly one of the two. */
export type RewindPoint =
  | { readonly to: string; readonly before?: never }
  | { readonly before: string; readonly to?: never };

export interface RecallRange {
  readonly limit?: number;
  readonly scope?: "all" | "archive";
}

/** The options of one request; pins belong to the session. */
export type SessionRequest = Omit<SessionCall, "asked" | "attempt" | "pinned">;

/** How full a session is, in numbers: for a status bar and a host's decisions. */
export interface SessionStats extends Counters {
  /** Tokens of the view as it would be sent now. */
  readonly currentTokens: number;
  readonly windowTokens: number;
  /** From 0 to 1; above 1 where the view does not fit. */
  readonly usedRatio: number;
  readonly viewMessages: number;
  readonly archivedMessages: number;
  /** Whether the next request would compact, and why. */
  readonly shouldCompact: boolean;
  readonly reason: string;
}
