/** What a session can do. Every method takes a signal; the errors are those of docs/errors.md. */

import type { Compactor } from "../compactor.ts";
import type { CompactionEvent } from "../core/store/compaction-event.ts";
import type { Counters } from "../core/store/counters.ts";
import type { Hit, Store, StoredMessage, Waiting } from "../core/store/store.ts";
import type { SessionCall, SessionPass } from "./compact-view.ts";
import type { Exported } from "./export-session.ts";
import type { Appendable } from "./wire-input.ts";

export type { Waiting };

/** `Request` is what the format of its compactor takes for a request body. */
export interface Session<Request extends object = object> {
  readonly id: string;
  readonly store: Store;
  readonly compactor: Compactor<Request>;
  /** Durable when it resolves. A provider's response is taken as it is, and its usage calibrates the estimate. */
  append(messages: Appendable, options?: AppendOptions): Promise<readonly string[]>;
  /** The view, ready to be sent; compacts when a trigger fires. With `overflow`, throws `compaction-failure` where no retry makes sense. */
  request(options?: SessionRequest): Promise<Request>;
  /** The same, with the plan and the report of what was done. */
  fit(options?: SessionRequest): Promise<SessionPass<Request>>;
  /** Compacts now. Throws `nothing-to-compact` or `already-in-progress`. */
  compact(options?: SessionRequest): Promise<SessionPass<Request>>;
  /** Takes back a compaction: the newest, or the one named; later ones too with `cascade`. Returns the ids of those undone. */
  rollback(options?: Waiting & { readonly to?: string; readonly cascade?: boolean }): Promise<readonly string[]>;
  /**
   * Takes everything behind a message (`to`), or that message too (`before`), out of the view and returns it. It goes into the archive as
   * an event, which a rollback undoes. Throws `already-in-progress` while another worker compacts.
   */
  rewind(options: Waiting & RewindPoint): Promise<readonly StoredMessage[]>;
  /** Rewinds to the user's last words, so that they are answered again; where nothing answers them, takes those out, to be put otherwise. */
  pop(options?: Waiting): Promise<readonly StoredMessage[]>;
  /** Every compaction and every rewind, oldest first, undone ones included. */
  history(options?: Waiting): Promise<readonly CompactionEvent[]>;
  stats(options?: Waiting): Promise<SessionStats>;
  /** The view as it is stored. */
  view(options?: Waiting): Promise<readonly StoredMessage[]>;
  /** Messages of the view that are sent with less than was appended: a compaction shortened them, or requests do. */
  shortened(options?: Waiting): Promise<readonly string[]>;
  pin(messageId: string, options?: Waiting): Promise<void>;
  unpin(messageId: string, options?: Waiting): Promise<void>;
  /** What left the view. */
  archive(options?: Waiting): AsyncIterable<StoredMessage>;
  /** Searches archive and view, or the archive alone. */
  recall(query: string, options?: Waiting & RecallRange): Promise<readonly Hit[]>;
  /** What a compaction took out of the view. */
  expand(eventId: string, options?: Waiting): Promise<readonly StoredMessage[]>;
  /** Changes model, system prompt, tools or whatever else stands around the messages. */
  setBody(body: object, options?: Waiting): Promise<void>;
  /** Memory was flushed: `stats().memoryFlushCompactionCount` is the compaction count of now; the next flush is due once that has grown. */
  recordMemoryFlush(options?: Waiting): Promise<void>;
  /** Deletes archived messages for good; returns how many. */
  purge(options: Waiting & { readonly olderThan: Date }): Promise<number>;
  delete(options?: Waiting): Promise<void>;
  /** A new session with the same log, whose view ends with the message `at` where one is named. */
  fork(newId: string, options?: Waiting & { readonly at?: string }): Promise<Session<Request>>;
  /** The view as a request body; with `all`, the archive and the events beside it. */
  export(options?: Waiting & { readonly all?: boolean }): Promise<Exported>;
  /** Closes the store too where the session opened it. */
  close(options?: Waiting): Promise<void>;
}

export interface AppendOptions extends Waiting {
  /** True: they stay in the view as they are, whatever is compacted. A message that carries `isPreserved: true` is pinned by itself. */
  readonly pinned?: boolean;
}

/** Either of them. */
export type RewindPoint =
  | { readonly to: string; readonly before?: never }
  | { readonly before: string; readonly to?: never };

export interface RecallRange {
  readonly limit?: number;
  readonly scope?: "all" | "archive";
}

/** What one request may say for itself; pins are the session's. */
export type SessionRequest = Omit<SessionCall, "asked" | "attempt" | "pinned">;

/** How full a session is, in numbers: what a status bar shows and a host decides by. */
export interface SessionStats extends Counters {
  /** Of the view, as it would be sent now. */
  readonly currentTokens: number;
  readonly windowTokens: number;
  /** 0 to 1, and above where it does not fit. */
  readonly usedRatio: number;
  readonly viewMessages: number;
  readonly archivedMessages: number;
  /** Whether the next request would compact, and what for. */
  readonly shouldCompact: boolean;
  readonly reason: string;
}
