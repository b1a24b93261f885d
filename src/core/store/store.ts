/**
 * The store port. A message that was appended is never altered or deleted by compaction: a commit marks rows as archived, lays
 * edits over them and inserts the summary, in one transaction; a rollback takes exactly that back. Only `purge` and `delete`
 * remove anything. Whoever waits for others may give up by a signal: where the store waits for a lock, `aborted` is thrown promptly and
 * nothing happens later; what has begun is finished and reported as done. Every store passes the contract suite in `testing/`.
 */

import { CompactionError } from "../errors.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type { FormatName, Role } from "../message.ts";
import type { Attachment } from "./attachments.ts";
import type { CompactionEvent, NewEvent } from "./compaction-event.ts";
import type { Counters, PassHistory, UsageCounts } from "./counters.ts";

export interface Store {
  /** How it was opened, without any password: `sqlite:./sessions.db`. */
  readonly url: string;
  /** The session and its first messages in one transaction: all or nothing. Throws `session-exists`. */
  create(session: NewSession, first?: Batch, waiting?: Waiting): Promise<void>;
  /** The view and its counters, never the whole log. Undefined when there is no such session. */
  open(sessionId: string): Promise<SessionState | undefined>;
  /**
   * What others did since; one cheap question when they did nothing. `changed` when the session was deleted and made again,
   * whatever the numbers say. Throws `session-missing`.
   */
  changes(sessionId: string, since: Version): Promise<Changes>;
  /** Durable when it resolves. Takes no lease: appends go on during a compaction. */
  append(sessionId: string, batch: Batch, waiting?: Waiting): Promise<Appended>;
  /**
   * Undefined while somebody else holds it. The token of a later lease is always higher. One that seems to have more than twice
   * its length left was taken before the clock went back, and is free.
   */
  lease(sessionId: string, holder: string, ttlMs: number, waiting?: Waiting): Promise<Lease | undefined>;
  /** Undefined when it has expired, even if nobody took it. */
  renew(lease: Lease, ttlMs: number): Promise<Lease | undefined>;
  release(lease: Lease): Promise<void>;
  /** One transaction: all or nothing. Throws `lease-lost`, or `store-conflict` when what it expects is no longer so. */
  commit(sessionId: string, commit: Commit, waiting?: Waiting): Promise<Committed>;
  /** One transaction. Throws `event-missing`, `needs-cascade` or `archive-purged`. */
  rollback(sessionId: string, rollback: Rollback, waiting?: Waiting): Promise<RolledBack>;
  setPinned(sessionId: string, messageIds: readonly string[], isPinned: boolean, waiting?: Waiting): Promise<Version>;
  /** The request body around the messages: model, system prompt, tools and whatever else. */
  setBase(sessionId: string, base: JsonObject, waiting?: Waiting): Promise<Version>;
  /** What is kept with the session beside its conversation, all of it. */
  setMetadata(sessionId: string, metadata: JsonObject, waiting?: Waiting): Promise<Version>;
  /** Memory was flushed for the compaction count as it is; a flush for the same count is not needed again. */
  recordMemoryFlush(sessionId: string, waiting?: Waiting): Promise<Version>;
  /** Oldest first, undone ones included. */
  events(sessionId: string): AsyncIterable<CompactionEvent>;
  /** What compactions wrote over messages and the system prompt, oldest first, undone ones included; those that wrote nothing are left out. */
  edits(sessionId: string): AsyncIterable<EventEdits>;
  /** What left the view, of one event or of all: event by event, each in the order of the view. Bodies as they were appended. */
  archive(sessionId: string, range?: ArchiveRange): AsyncIterable<StoredMessage>;
  /** Those of them that the session has, in the order of the ids; bodies as they were written. */
  messages(sessionId: string, messageIds: readonly string[]): Promise<readonly StoredMessage[]>;
  /** Everything ever appended or inserted, by number, bodies as they were written. */
  log(sessionId: string): AsyncIterable<StoredMessage>;
  /** How many rows the view has, and how many the archive lists. */
  counts(sessionId: string): Promise<RowCounts>;
  /** Best first; archive and view, or the archive alone. Throws `invalid-settings` for a query that is no string. */
  search(
    sessionId: string,
    query: string,
    limit: number,
    scope?: SearchScope,
    waiting?: Waiting,
  ): Promise<readonly Hit[]>;
  /** Deletes archived messages whose event is older; returns how many. What was purged cannot be rolled back. */
  purge(sessionId: string, before: Date, waiting?: Waiting): Promise<number>;
  /** The session and everything that belongs to it. */
  delete(sessionId: string, waiting?: Waiting): Promise<void>;
  /** A new session with the same log, events and view. */
  fork(sessionId: string, newSessionId: string, waiting?: Waiting): Promise<void>;
  /** Newest first. */
  sessions(): AsyncIterable<SessionSummary>;
  /** Checks every invariant; nothing found means all is well. */
  examine(sessionId?: string): AsyncIterable<Finding>;
  close(): Promise<void>;
}

export interface NewSession {
  readonly id: string;
  readonly format: FormatName;
  readonly base: JsonObject;
  readonly agentId?: string;
  /** The session it was forked from. */
  readonly parentId?: string;
  readonly metadata?: JsonObject;
}

/** Which state of a session somebody has seen. */
export interface Version {
  /** Made with the session and never again: one that was deleted and made again under its id is another, and its numbers start anew. */
  readonly incarnation: string;
  /** The newest compaction event in force. */
  readonly head: string | null;
  /** The last number given to a message; an append raises it. */
  readonly sequence: number;
  /** Raised by everything that is not an append. */
  readonly revision: number;
}

export interface SessionRecord {
  readonly id: string;
  readonly format: FormatName;
  readonly base: JsonObject;
  readonly agentId: string;
  readonly parentId: string | null;
  readonly metadata: JsonObject;
  readonly version: Version;
  readonly counters: Counters;
  readonly passes: PassHistory;
  /** What a summary made of the system prompt; null where none stands in it. */
  readonly system: SystemEdit | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface SessionState extends SessionRecord {
  /** In the order in which the model is sent it; bodies with their edits in place. */
  readonly view: readonly StoredMessage[];
}

export type Changes =
  | { readonly type: "none" }
  /** Only messages came. */
  | { readonly type: "appended"; readonly record: SessionRecord; readonly messages: readonly StoredMessage[] }
  | { readonly type: "changed"; readonly state: SessionState };

export interface StoredMessage {
  /** `m` and its number: unique within its session, never used again. */
  readonly id: string;
  readonly sequence: number;
  /** Where it stands: its number, or a value between its neighbours' for what a compaction inserted. */
  readonly order: number;
  readonly role: Role;
  readonly body: JsonValue;
  readonly isPinned: boolean;
  /** Inserted by a compaction: a summary or what goes with it. */
  readonly isSummary: boolean;
  /** True when the body is not the one that was appended. */
  readonly isEdited: boolean;
  /** The event that inserted it; null for what was appended. */
  readonly madeBy: string | null;
  readonly archivedBy: string | null;
  readonly createdAt: string;
}

export interface NewMessage {
  readonly role: Role;
  readonly body: JsonValue;
  readonly isPinned?: boolean;
  /** Where binary content stands in the body. A store may keep it elsewhere, once. */
  readonly attachments: readonly Attachment[];
}

export interface Batch {
  readonly messages: readonly NewMessage[];
  /** How many of them begin a turn. */
  readonly turns: number;
  /** What the provider reported with them. */
  readonly usage?: UsageCounts;
}

export interface Appended {
  readonly ids: readonly string[];
  /** After the append; higher than one would expect where others appended too. */
  readonly version: Version;
  readonly createdAt: string;
}

export interface Lease {
  readonly sessionId: string;
  readonly holder: string;
  /** Fences: a commit with a token that is not the newest is refused. */
  readonly token: number;
  readonly expiresAt: string;
}

export interface Commit {
  readonly event: NewEvent;
  readonly lease: Lease;
  /** The revision that the plan was made from; appends do not change it. */
  readonly revision: number;
  /** The last number that the plan saw; where more was appended since, the total is stale. */
  readonly sequence: number;
  readonly archivedIds: readonly string[];
  readonly edits: readonly NewEdit[];
  readonly inserted: readonly InsertedMessage[];
  readonly system: SystemEdit | null;
  readonly passes: PassHistory;
  /** What the session's total becomes; stale when unknown. */
  readonly totalTokens: number | undefined;
}

/** Laid over a message's body for as long as its event is in force. */
export interface NewEdit {
  readonly messageId: string;
  readonly kind: EditKind;
  readonly body: JsonValue;
  readonly attachments: readonly Attachment[];
}

/** What one event wrote, for as long as it is in force. */
export interface EventEdits {
  readonly eventId: string;
  /** By the number of the message; without those that were purged. */
  readonly messages: readonly StoredEdit[];
  /** As it stood when the event was the newest; null where the prompt was the session's own. */
  readonly system: SystemEdit | null;
}

export interface StoredEdit {
  readonly messageId: string;
  readonly kind: EditKind;
  readonly body: JsonValue;
}

/** `reshape` is everything else that an edit does to a message: a summary merged into it, bound thinking taken out, a repair. */
export type EditKind = "cap" | "trim" | "stub" | "clear" | "reshape";

export interface InsertedMessage extends NewMessage {
  readonly order: number;
}

/** The parts of the system prompt as a pass left them, and the prompt it left them from; of no use once that has changed. */
export interface SystemEdit {
  readonly before: JsonValue;
  readonly after: JsonValue;
}

export interface Committed {
  readonly version: Version;
  readonly eventId: string;
  readonly insertedIds: readonly string[];
  readonly createdAt: string;
}

export interface Rollback {
  /** The event to undo; the newest in force when absent. */
  readonly to?: string;
  /** Undo the later ones too. */
  readonly cascade?: boolean;
}

export interface RolledBack {
  readonly version: Version;
  /** Newest first. */
  readonly undoneIds: readonly string[];
}

export interface ArchiveRange {
  readonly eventId?: string;
}

export type SearchScope = "all" | "archive";

export interface RowCounts {
  readonly view: number;
  readonly archived: number;
}

export interface Hit {
  readonly messageId: string;
  readonly role: Role;
  readonly score: number;
  /** The best place in the text, cut to a bounded length, with `…` where it was cut. */
  readonly snippet: string;
  /** The event that took it out of the view; null while it is in the view. */
  readonly archivedBy: string | null;
  readonly createdAt: string;
}

export interface SessionSummary {
  readonly id: string;
  readonly format: FormatName;
  readonly agentId: string;
  readonly messageCount: number;
  readonly viewCount: number;
  readonly compactionCount: number;
  readonly totalTokens: number;
  /** True when nobody knows the total any more. */
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

/** How a caller stops waiting. An abort before the work has begun ends it; a later one changes nothing. */
export interface Waiting {
  readonly signal?: AbortSignal | undefined;
}

export function throwIfAborted({ signal }: Waiting): void {
  if (signal?.aborted !== true) return;
  throw new CompactionError("aborted", "The call was aborted; nothing was changed.", { cause: signal.reason });
}
