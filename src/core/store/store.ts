/**
 * The store port: what a session needs of a store. Compaction never alters or deletes an appended message: a commit marks rows as
 * archived, lays edits over them and inserts the summary, in one transaction; a rollback reverts exactly that. An abort ends the
 * wait for a lock: the call throws `aborted` and does nothing later; work that has begun is finished and reported as done. Every
 * store passes the contract suite in `testing/`. For other work on stored sessions: `store-upkeep.ts`.
 */

import { CompactionError } from "../errors.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type { FormatName, Role } from "../message.ts";
import type { Attachment } from "./attachments.ts";
import type { Counters, PassHistory, UsageCounts } from "./counters.ts";

export interface Store {
  /** The address that opened it, without any password: `sqlite:./sessions.db`. */
  readonly url: string;
  /** Stores the session and its first messages in one transaction: all or nothing. Throws `session-exists`. */
  create(session: NewSession, first?: Batch, waiting?: Waiting): Promise<void>;
  /** The view and its counters, never the whole log. Undefined when the session does not exist. */
  open(sessionId: string): Promise<SessionState | undefined>;
  /** The changes since a version; cheap when there are none. `changed` also for a session that was made again. Throws `session-missing`. */
  changes(sessionId: string, since: Version): Promise<Changes>;
  /** Durable when it resolves. Needs no lease: appends go on during a compaction. */
  append(sessionId: string, batch: Batch, waiting?: Waiting): Promise<AppendResult>;
  /** Changes the data beside the messages, or pins. Raises the revision. Throws `message-missing` for a pin outside the view. */
  update(sessionId: string, update: SessionUpdate, waiting?: Waiting): Promise<Version>;
  /** Undefined while another holder has it. A later lease has a higher token; one with more than twice its length left is free. */
  lease(sessionId: string, holder: string, ttlMs: number, waiting?: Waiting): Promise<Lease | undefined>;
  /** Undefined when it has expired, even if no other holder took it. */
  renew(lease: Lease, ttlMs: number): Promise<Lease | undefined>;
  release(lease: Lease): Promise<void>;
  /** One transaction: all or nothing. Throws `lease-lost`, or `store-conflict` when the revision changed since the plan. */
  commit(sessionId: string, commit: Commit, waiting?: Waiting): Promise<CommitResult>;
  /** One transaction. Throws `event-missing`, `needs-cascade` or `archive-purged`. */
  rollback(sessionId: string, rollback: Rollback, waiting?: Waiting): Promise<RollbackResult>;
  /** Oldest first, undone ones included. */
  events(sessionId: string): AsyncIterable<CompactionEvent>;
  /** The messages that left the view, by one event or all: event by event, each in the order of the view. Original bodies. */
  archive(sessionId: string, range?: ArchiveRange): AsyncIterable<StoredMessage>;
  /** The existing messages among these ids, in the order of the ids; original bodies. */
  messages(sessionId: string, messageIds: readonly string[]): Promise<readonly StoredMessage[]>;
  /** The number of rows in the view, and in the archive's list. */
  counts(sessionId: string): Promise<RowCounts>;
  /** Best hits first; from archive and view, or the archive alone. Throws `invalid-settings` for a query that is no string. */
  search(
    sessionId: string,
    query: string,
    limit: number,
    scope?: SearchScope,
    waiting?: Waiting,
  ): Promise<readonly Hit[]>;
  close(): Promise<void>;
}

export interface NewSession {
  readonly id: string;
  readonly format: FormatName;
  readonly base: JsonObject;
  readonly agentId?: string;
  /** The session that it was forked from, or that began it. */
  readonly parentId?: string;
  readonly metadata?: JsonObject;
}

/** Identifies a state of a session. */
export interface Version {
  /** Unique to one creation: a session that is deleted and created again under its id gets another, and its numbers start again. */
  readonly incarnation: string;
  /** The newest compaction event in force. */
  readonly head: string | null;
  /** The last number of a message; an append raises it. */
  readonly sequence: number;
  /** Raised by every change that is not an append. */
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
  /** A summary's edit of the system prompt; null where there is none. */
  readonly system: SystemEdit | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface SessionState extends SessionRecord {
  /** In the order in which the model reads it; bodies with their edits applied. */
  readonly view: readonly StoredMessage[];
}

export type Changes =
  | { readonly type: "none" }
  /** Only messages were appended. */
  | { readonly type: "appended"; readonly record: SessionRecord; readonly messages: readonly StoredMessage[] }
  | { readonly type: "changed"; readonly state: SessionState };

export interface StoredMessage {
  /** `m` and its number: unique within its session, never reused. */
  readonly id: string;
  readonly sequence: number;
  /** The place in the view: its number, or a value between its neighbours' for an inserted message. */
  readonly order: number;
  readonly role: Role;
  readonly body: JsonValue;
  readonly isPinned: boolean;
  /** Inserted by a compaction: a summary or its companion lines. */
  readonly isSummary: boolean;
  /** True when the body differs from the appended one. */
  readonly isEdited: boolean;
  /** The event that inserted it; null for an appended message. */
  readonly madeBy: string | null;
  readonly archivedBy: string | null;
  readonly createdAt: string;
}

export interface NewMessage {
  readonly role: Role;
  readonly body: JsonValue;
  readonly isPinned?: boolean;
  /** The places of binary content in the body. A store may keep that elsewhere, once. */
  readonly attachments: readonly Attachment[];
}

export interface Batch {
  readonly messages: readonly NewMessage[];
  /** How many of the messages begin a turn. */
  readonly turns: number;
  /** The last message number that the caller knows; where the session has another one, nothing is appended: `store-conflict`. */
  readonly after?: number;
  /** The usage that the provider reported with them. */
  readonly usage?: UsageCounts;
}

export interface AppendResult {
  readonly ids: readonly string[];
  /** The version after the append; higher than expected where others appended too. */
  readonly version: Version;
  readonly createdAt: string;
}

/** A change of a session that is neither an append nor a compaction. */
export type SessionUpdate =
  /** Pins all of the messages or none. */
  | { readonly type: "pin"; readonly messageIds: readonly string[]; readonly isPinned: boolean }
  /** The request body without its messages: model, system prompt, tools and the rest. */
  | { readonly type: "base"; readonly base: JsonObject }
  /** Replaces all metadata of the session. */
  | { readonly type: "metadata"; readonly metadata: JsonObject }
  /** Memory was flushed at the current compaction count; the same count needs no second flush. */
  | { readonly type: "memory-flush" };

export interface Lease {
  readonly sessionId: string;
  readonly holder: string;
  /** A fence: the store refuses a commit whose token is not the newest. */
  readonly token: number;
  readonly expiresAt: string;
}

export interface Commit {
  readonly event: NewEvent;
  readonly lease: Lease;
  /** The revision of the planned view; appends do not change it. */
  readonly revision: number;
  /** The last message number of the planned view; where more was appended since, the total is stale. */
  readonly sequence: number;
  readonly archivedIds: readonly string[];
  readonly edits: readonly NewEdit[];
  readonly inserted: readonly InsertedMessage[];
  readonly system: SystemEdit | null;
  readonly passes: PassHistory;
  /** The session's new total; stale when unknown. */
  readonly totalTokens: number | undefined;
}

/** Replaces a message's body while its event is in force. */
export interface NewEdit {
  readonly messageId: string;
  readonly kind: EditKind;
  readonly body: JsonValue;
  readonly attachments: readonly Attachment[];
}

/** `reshape` is every other edit of a message: a merged summary, removed thinking, a repair. */
export type EditKind = "cap" | "trim" | "stub" | "clear" | "reshape";

export interface InsertedMessage extends NewMessage {
  readonly order: number;
}

/** The parts of the system prompt after a pass, and before it; obsolete once the prompt has changed. */
export interface SystemEdit {
  readonly before: JsonValue;
  readonly after: JsonValue;
}

export interface CommitResult {
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

export interface RollbackResult {
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
  /** The best matching place in the text, cut to a bounded length, with `…` at each cut. */
  readonly snippet: string;
  /** The event that archived it; null while it is in the view. */
  readonly archivedBy: string | null;
  readonly createdAt: string;
}

/** How a caller stops waiting. An abort before the work has begun ends it; a later abort changes nothing. */
export interface Waiting {
  readonly signal?: AbortSignal | undefined;
}

export function throwIfAborted({ signal }: Waiting): void {
  if (signal?.aborted !== true) return;
  throw new CompactionError("aborted", "The call was aborted; nothing was changed.", { cause: signal.reason });
}

export interface CompactionEvent extends NewEvent {
  readonly id: string;
  readonly sessionId: string;
  /** Counts up within its session. */
  readonly number: number;
  /** The newest event in force before this one. */
  readonly previousId: string | null;
  readonly createdAt: string;
  /** Set by a rollback. */
  readonly undoneAt: string | null;
  /** Set when messages that it archived were purged: it cannot be undone any more. */
  readonly purgedAt: string | null;
}

export interface NewEvent {
  readonly strategy: string;
  readonly profile: string;
  /** The trigger that fired, or the demand. */
  readonly trigger: string;
  readonly originalTokens: number;
  readonly compactedTokens: number;
  readonly messagesRemoved: number;
  /** False where results were only pruned. */
  readonly isCompaction: boolean;
  readonly summary: string | null;
  readonly preservedMessageIds: readonly string[];
  /** Null when no model was asked. */
  readonly modelUsed: string | null;
  /** Name and version of the summarizer. */
  readonly promptVersion: string | null;
  readonly calls: number;
  readonly costUsd: number | null;
  readonly wholeRatio: number;
  readonly zoneRatio: number | null;
  readonly durationMs: number;
  readonly firstKeptId: string | null;
  readonly instructions: string | null;
  /** The plan as it was carried out. */
  readonly plan: JsonValue;
  /** Files read and modified, and failed calls. */
  readonly details: JsonValue;
}
