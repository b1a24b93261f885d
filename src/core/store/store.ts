/**
 * The store port: what a session needs of a store. Compaction never alters or deletes an appended message: a commit marks rows as
 * archived, lays edits over them and inserts the summary, in one transaction; a rollback reverts exactly that. A signal ends the
 * wait for a lock: the call throws `aborted` and nothing happens later; work that has begun is finished and reported as done.
 * Every store passes the contract suite in `testing/`. Whatever else is done with stored sessions: `store-upkeep.ts`.
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
   * What changed since; cheap when nothing did. `changed` when the session was deleted and made again,
   * whatever the numbers say. Throws `session-missing`.
   */
  changes(sessionId: string, since: Version): Promise<Changes>;
  /** Durable when it resolves. Takes no lease: appends go on during a compaction. */
  append(sessionId: string, batch: Batch, waiting?: Waiting): Promise<Appended>;
  /** Changes what is kept beside the messages, or their pins. Raises the revision. Throws `message-missing` for a pin outside the view. */
  update(sessionId: string, update: SessionUpdate, waiting?: Waiting): Promise<Version>;
  /**
   * Undefined while another holder has it. The token of a later lease is always higher. A lease that seems to have more than twice
   * its length left was taken before the clock went back, and is free.
   */
  lease(sessionId: string, holder: string, ttlMs: number, waiting?: Waiting): Promise<Lease | undefined>;
  /** Undefined when it has expired, even if no other holder took it. */
  renew(lease: Lease, ttlMs: number): Promise<Lease | undefined>;
  release(lease: Lease): Promise<void>;
  /** One transaction: all or nothing. Throws `lease-lost`, or `store-conflict` when what it expects is no longer so. */
  commit(sessionId: string, commit: Commit, waiting?: Waiting): Promise<Committed>;
  /** One transaction. Throws `event-missing`, `needs-cascade` or `archive-purged`. */
  rollback(sessionId: string, rollback: Rollback, waiting?: Waiting): Promise<RolledBack>;
  /** Oldest first, undone ones included. */
  events(sessionId: string): AsyncIterable<CompactionEvent>;
  /** What left the view, of one event or of all: event by event, each in the order of the view. Bodies as they were appended. */
  archive(sessionId: string, range?: ArchiveRange): AsyncIterable<StoredMessage>;
  /** Those of them that the session has, in the order of the ids; bodies as they were written. */
  messages(sessionId: string, messageIds: readonly string[]): Promise<readonly StoredMessage[]>;
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

/** Identifies a state of a session. */
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

/** A change of a session that is neither an append nor a compaction. */
export type SessionUpdate =
  /** All of the messages or none. */
  | { readonly type: "pin"; readonly messageIds: readonly string[]; readonly isPinned: boolean }
  /** The request body around the messages: model, system prompt, tools and whatever else. */
  | { readonly type: "base"; readonly base: JsonObject }
  /** Replaces all metadata of the session. */
  | { readonly type: "metadata"; readonly metadata: JsonObject }
  /** Memory was flushed at the current compaction count; the same count needs no second flush. */
  | { readonly type: "memory-flush" };

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

/** How a caller stops waiting. An abort before the work has begun ends it; a later one changes nothing. */
export interface Waiting {
  readonly signal?: AbortSignal | undefined;
}

export function throwIfAborted({ signal }: Waiting): void {
  if (signal?.aborted !== true) return;
  throw new CompactionError("aborted", "The call was aborted; nothing was changed.", { cause: signal.reason });
}
