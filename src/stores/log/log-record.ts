/** What can happen to a session, as data. A session is the sequence of its records; nothing else is kept. */

import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { FormatName, Role } from "../../core/message.ts";
import type { NewEvent } from "../../core/store/compaction-event.ts";
import type { PassHistory, UsageCounts } from "../../core/store/counters.ts";
import type { EditKind, SystemEdit } from "../../core/store/store.ts";

export type LogRecord = Appended | Committed | RolledBack | Pinned | Based | Described | Flushed | Purged;

/** The first of every session. */
export interface Created {
  readonly id: string;
  /** Tells it from an earlier session of its id. */
  readonly incarnation: string;
  readonly format: FormatName;
  readonly base: JsonObject;
  readonly agentId: string;
  readonly parentId: string | null;
  readonly metadata: JsonObject;
  readonly at: string;
}

export interface Appended {
  readonly type: "appended";
  readonly at: string;
  readonly messages: readonly LogMessage[];
  readonly turns: number;
  readonly usage?: UsageCounts;
}

export interface LogMessage {
  readonly id: string;
  readonly sequence: number;
  readonly order: number;
  readonly role: Role;
  readonly body: JsonValue;
  readonly isPinned: boolean;
}

export interface Committed {
  readonly type: "committed";
  readonly at: string;
  readonly eventId: string;
  readonly event: NewEvent;
  readonly archivedIds: readonly string[];
  readonly edits: readonly LogEdit[];
  readonly inserted: readonly LogMessage[];
  readonly system: SystemEdit | null;
  readonly passes: PassHistory;
  /** Null when nobody knows it. */
  readonly totalTokens: number | null;
  /** More was appended after the plan was made. */
  readonly isOvertaken: boolean;
}

export interface LogEdit {
  readonly messageId: string;
  readonly kind: EditKind;
  readonly body: JsonValue;
}

export interface RolledBack {
  readonly type: "rolled-back";
  readonly at: string;
  /** Newest first. */
  readonly eventIds: readonly string[];
}

export interface Pinned {
  readonly type: "pinned";
  readonly at: string;
  readonly messageIds: readonly string[];
  readonly isPinned: boolean;
}

export interface Based {
  readonly type: "based";
  readonly at: string;
  readonly base: JsonObject;
}

export interface Described {
  readonly type: "described";
  readonly at: string;
  readonly metadata: JsonObject;
}

/** Memory was flushed at the compaction count as it is. */
export interface Flushed {
  readonly type: "flushed";
  readonly at: string;
}

export interface Purged {
  readonly type: "purged";
  readonly at: string;
  /** The events whose messages are gone. */
  readonly eventIds: readonly string[];
}
