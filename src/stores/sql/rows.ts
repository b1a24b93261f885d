/** Rows as the port has them, and back: a table of columns says how each property is read and written. JSON columns are text. */

import { invariant } from "../../core/errors.ts";
import { isArray, isObject, type JsonObject, type JsonValue, jsonText } from "../../core/json.ts";
import type { FormatName, Role } from "../../core/message.ts";
import { bodyText } from "../../core/search/body-text.ts";
import type { MessageText, MessageVector } from "../../core/search/embedding.ts";
import type { Candidate } from "../../core/search/rank-hits.ts";
import type { Counters } from "../../core/store/counters.ts";
import type {
  CompactionEvent,
  EditKind,
  SearchScope,
  SessionRecord,
  StoredMessage,
  SystemEdit,
  Version,
} from "../../core/store/store.ts";
import { messageIdOf } from "../../core/store/store-rules.ts";
import type { SessionSummary, StoredEdit } from "../../core/store/store-upkeep.ts";
import type { EventInForce } from "../refusals.ts";
import {
  flagIn,
  jsonIn,
  numberIn,
  numberOrNullIn,
  parsedJson,
  type Row,
  storableText,
  textIn,
  textOrNullIn,
  timeIn,
  timeOrNullIn,
} from "./cells.ts";
import { attachBody, hashesIn } from "./detached-body.ts";

type Cell = string | number | boolean | null;

/** How a property is read from its column and written to it. Without `write`, the value itself is written. */
interface Kind<T> {
  readonly read: (row: Row, column: string) => T;
  readonly write?: (value: T) => Cell;
}

export type Columns<T> = { readonly [Property in keyof T]: readonly [column: string, kind: Kind<T[Property]>] };

export const ID: Kind<string> = { read: textIn };
export const ID_OR_NULL: Kind<string | null> = { read: textOrNullIn };
export const TEXT: Kind<string> = { read: textIn, write: storableText };
const TEXT_OR_NULL: Kind<string | null> = { read: textOrNullIn, write: (text) => text && storableText(text) };
export const NUMBER: Kind<number> = { read: numberIn };
export const NUMBER_OR_NULL: Kind<number | null> = { read: numberOrNullIn };
const FLAG: Kind<boolean> = { read: flagIn };
export const TIME: Kind<string> = { read: timeIn };
const TIME_OR_NULL: Kind<string | null> = { read: timeOrNullIn };
const JSON_VALUE: Kind<JsonValue> = { read: jsonIn, write: jsonText };
const TEXTS: Kind<readonly string[]> = { read: (row, column) => textsIn(jsonIn(row, column)), write: jsonText };

function columnsOf<T>(
  columns: Columns<T>,
): readonly (readonly [property: string, column: string, kind: Kind<unknown>])[] {
  // What a column's kind reads and writes is the type of its property, which no union over the properties can say.
  const entries = Object.entries(columns) as [string, [string, Kind<unknown>]][];
  return entries.map(([property, [column, kind]]) => [property, column, kind]);
}

export function reader<T>(columns: Columns<T>): (row: Row) => T {
  const all = columnsOf(columns);
  // Each property of the type has its column.
  return (row) => Object.fromEntries(all.map(([property, column, { read }]) => [property, read(row, column)])) as T;
}

/** The cells in the order of the columns. */
export function writer<T extends object>(columns: Columns<T>): (value: T) => readonly Cell[] {
  const all = columnsOf(columns);
  return (value) =>
    all.map(([property, , { write }]) => {
      const given: unknown = Reflect.get(value, property);
      // A kind without a way to write is one of values that are cells.
      return write === undefined ? (given as Cell) : write(given);
    });
}

export function namesIn<T>(columns: Columns<T>): readonly string[] {
  return columnsOf(columns).map(([, column]) => column);
}

const VERSION: Columns<Version> = {
  incarnation: ["incarnation", ID],
  head: ["head_event_id", ID_OR_NULL],
  sequence: ["last_sequence", NUMBER],
  revision: ["revision", NUMBER],
};

const COUNTERS: Columns<Counters> = {
  totalTokens: ["total_tokens", NUMBER],
  isTotalStale: ["is_total_stale", FLAG],
  inputTokens: ["input_tokens", NUMBER],
  outputTokens: ["output_tokens", NUMBER],
  contextTokens: ["context_tokens", NUMBER],
  compactionCount: ["compaction_count", NUMBER],
  memoryFlushCompactionCount: ["memory_flush_compaction_count", NUMBER_OR_NULL],
  turnCount: ["turn_count", NUMBER],
  messageCount: ["message_count", NUMBER],
};

const EVENT: Columns<CompactionEvent> = {
  id: ["id", ID],
  sessionId: ["session_id", ID],
  number: ["number", NUMBER],
  previousId: ["previous_id", ID_OR_NULL],
  strategy: ["strategy", TEXT],
  profile: ["profile", TEXT],
  trigger: ["trigger_reason", TEXT],
  originalTokens: ["original_tokens", NUMBER],
  compactedTokens: ["compacted_tokens", NUMBER],
  messagesRemoved: ["messages_removed", NUMBER],
  isCompaction: ["is_compaction", FLAG],
  summary: ["summary_content", TEXT_OR_NULL],
  preservedMessageIds: ["preserved_message_ids", TEXTS],
  modelUsed: ["model_used", TEXT_OR_NULL],
  promptVersion: ["prompt_version", TEXT_OR_NULL],
  calls: ["calls", NUMBER],
  costUsd: ["cost_usd", NUMBER_OR_NULL],
  wholeRatio: ["whole_ratio", NUMBER],
  zoneRatio: ["zone_ratio", NUMBER_OR_NULL],
  durationMs: ["duration_ms", NUMBER],
  firstKeptId: ["first_kept_id", ID_OR_NULL],
  instructions: ["instructions", TEXT_OR_NULL],
  plan: ["plan", JSON_VALUE],
  details: ["details", JSON_VALUE],
  createdAt: ["created_at", TIME],
  undoneAt: ["undone_at", TIME_OR_NULL],
  purgedAt: ["purged_at", TIME_OR_NULL],
};

const SUMMARY: Columns<SessionSummary> = {
  id: ["id", ID],
  // Only formats are ever written to that column.
  format: ["format", { read: (row, column) => textIn(row, column) as FormatName }],
  agentId: ["agent_id", ID],
  metadata: ["metadata", { read: objectIn }],
  model: ["model", ID_OR_NULL],
  turnCount: ["turn_count", NUMBER],
  messageCount: ["message_count", NUMBER],
  viewCount: ["view_count", NUMBER],
  compactionCount: ["compaction_count", NUMBER],
  totalTokens: ["total_tokens", NUMBER],
  isTotalStale: ["is_total_stale", FLAG],
  contextTokens: ["context_tokens", NUMBER],
  createdAt: ["created_at", TIME],
  updatedAt: ["updated_at", TIME],
};

export const VERSION_COLUMNS = namesIn(VERSION);
export const COUNTER_COLUMNS = namesIn(COUNTERS);
export const EVENT_COLUMNS = [...namesIn(EVENT), "system_edit"];

/** Everything that a fork of a session takes over. */
export const FORKED_COLUMNS = [
  ...["format", "agent_id", "metadata", "base", "head_event_id", "last_sequence", "revision"],
  ...["weak_passes", "pass_tokens_after", ...COUNTER_COLUMNS],
];

/** The lease and the state of the search index are not part of the record. */
export const SESSION_COLUMNS = ["id", "parent_id", ...FORKED_COLUMNS, "incarnation", "created_at", "updated_at"];

export const versionOf = reader(VERSION);

export const countersOf = reader(COUNTERS);

export const counterCells = writer(COUNTERS);

/** A query names `EVENT_COLUMNS`, the JSON ones as text. */
export const eventOf = reader(EVENT);

/** A query names `view_count` too, which no column holds. */
export const sessionSummaryOf = reader(SUMMARY);

const eventOnlyCells = writer(EVENT);

export function eventCells(event: CompactionEvent, system: SystemEdit | null): readonly Cell[] {
  return [...eventOnlyCells(event), system === null ? null : jsonText(system)];
}

/** A query names `SESSION_COLUMNS`, and `system_edit` of the head event. */
export function sessionRecordOf(row: Row): SessionRecord {
  return {
    id: textIn(row, "id"),
    // Only formats are ever written to that column.
    format: textIn(row, "format") as FormatName,
    base: objectIn(row, "base"),
    agentId: textIn(row, "agent_id"),
    parentId: textOrNullIn(row, "parent_id"),
    metadata: objectIn(row, "metadata"),
    version: versionOf(row),
    counters: countersOf(row),
    passes: { weak: numberIn(row, "weak_passes"), tokensAfter: numberIn(row, "pass_tokens_after") },
    system: systemIn(row),
    createdAt: timeIn(row, "created_at"),
    updatedAt: timeIn(row, "updated_at"),
  };
}

function objectIn(row: Row, column: string): JsonObject {
  const value = jsonIn(row, column);
  invariant(isObject(value), `the column ${column} of a session holds an object`);
  return value;
}

/** What an event made of the system prompt; a query names `system_edit` as text. */
export function systemIn(row: Row): SystemEdit | null {
  const text = textOrNullIn(row, "system_edit");
  if (text === null) return null;
  const value = parsedJson(text, "system_edit");
  invariant(isObject(value), "the system edit of an event is an object");
  return { before: value.before ?? null, after: value.after ?? null };
}

/** The attachments that these rows need. */
export function hashesOf(rows: readonly Row[]): readonly string[] {
  return hashesIn(rows.map((row) => textOrNullIn(row, "attachments")));
}

/** `bytes` holds what `hashesOf(rows)` names. */
export function storedMessages(rows: readonly Row[], bytes: ReadonlyMap<string, Uint8Array>): readonly StoredMessage[] {
  return rows.map((row) => {
    const sequence = numberIn(row, "sequence");
    return {
      id: messageIdOf(sequence),
      sequence,
      order: numberIn(row, "order_key"),
      role: roleIn(row),
      body: attachBody(textIn(row, "body"), textOrNullIn(row, "attachments"), bytes),
      isPinned: flagIn(row, "is_preserved"),
      isSummary: flagIn(row, "is_summary"),
      isEdited: flagIn(row, "is_edited"),
      madeBy: textOrNullIn(row, "made_by"),
      archivedBy: textOrNullIn(row, "archived_by"),
      createdAt: timeIn(row, "created_at"),
    };
  });
}

/** A constraint of the table holds the column to roles. */
function roleIn(row: Row): Role {
  return textIn(row, "role") as Role;
}

/** `bytes` holds what `hashesOf(rows)` names. */
export function storedEdits(rows: readonly Row[], bytes: ReadonlyMap<string, Uint8Array>): readonly StoredEdit[] {
  return rows.map((row) => ({
    messageId: messageIdOf(numberIn(row, "sequence")),
    // Only kinds are ever written to that column.
    kind: textIn(row, "kind") as EditKind,
    body: attachBody(textIn(row, "body"), textOrNullIn(row, "attachments"), bytes),
  }));
}

/** The message of a row, as the ranking of search takes it. */
export function candidateOf(row: Row): Candidate {
  const sequence = numberIn(row, "sequence");
  return {
    messageId: messageIdOf(sequence),
    sequence,
    role: roleIn(row),
    text: bodyText(jsonIn(row, "body")),
    isSummary: flagIn(row, "is_summary"),
    archivedBy: textOrNullIn(row, "archived_by"),
    createdAt: timeIn(row, "created_at"),
  };
}

/** Conditions on the message `m`. What a rollback took back is in neither scope. */
export const SCOPES: Readonly<Record<SearchScope, string>> = {
  all: "(m.archived_by IS NULL OR m.archived_by IS DISTINCT FROM m.made_by)",
  archive: "m.archived_by IS NOT NULL AND m.archived_by IS DISTINCT FROM m.made_by",
};

export function messageTextOf(row: Row): MessageText {
  return { sequence: numberIn(row, "sequence"), text: bodyText(jsonIn(row, "body")) };
}

/** As text, because not every client of a database gives bytes alike. */
export function vectorCell(vector: Int8Array): string {
  return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString("base64");
}

export function messageVectorOf(row: Row): MessageVector {
  const bytes = Buffer.from(textIn(row, "vector"), "base64");
  return { sequence: numberIn(row, "sequence"), vector: Int8Array.from(bytes) };
}

/** An event that a rollback may undo. */
export const eventInForceOf = reader<EventInForce>({
  id: EVENT.id,
  isCompaction: EVENT.isCompaction,
  purgedAt: EVENT.purgedAt,
});

function textsIn(value: JsonValue): readonly string[] {
  return isArray(value) ? value.filter((element) => typeof element === "string") : [];
}
