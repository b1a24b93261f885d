/**
 * Rows of `sessions` as session records, and the columns that a change of the counters writes. A query names the columns of
 * `SESSION_COLUMNS` and `system_edit`, which belongs to the head event.
 */

import { invariant } from "../../core/errors.ts";
import { isArray, isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { FormatName, Role } from "../../core/message.ts";
import type { CompactionEvent } from "../../core/store/compaction-event.ts";
import type { Counters } from "../../core/store/counters.ts";
import type { EditKind, SessionRecord, StoredMessage, SystemEdit, Version } from "../../core/store/store.ts";
import type { SessionSummary, StoredEdit } from "../../core/store/store-upkeep.ts";
import { jsonText } from "../../core/store/stored-json.ts";
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

/** The lease and the state of the search index are not part of the record. */
export const SESSION_COLUMNS = [
  "id",
  "format",
  "agent_id",
  "parent_id",
  "metadata",
  "base",
  "head_event_id",
  "last_sequence",
  "revision",
  "weak_passes",
  "pass_tokens_after",
  "total_tokens",
  "is_total_stale",
  "input_tokens",
  "output_tokens",
  "context_tokens",
  "compaction_count",
  "memory_flush_compaction_count",
  "turn_count",
  "message_count",
  "incarnation",
  "created_at",
  "updated_at",
] as const;

/** A query names `view_count` too, which no column holds. */
export function sessionSummaryOf(row: Row): SessionSummary {
  return {
    id: textIn(row, "id"),
    // Only formats are ever written to that column.
    format: textIn(row, "format") as FormatName,
    agentId: textIn(row, "agent_id"),
    messageCount: numberIn(row, "message_count"),
    viewCount: numberIn(row, "view_count"),
    compactionCount: numberIn(row, "compaction_count"),
    totalTokens: numberIn(row, "total_tokens"),
    isTotalStale: flagIn(row, "is_total_stale"),
    createdAt: timeIn(row, "created_at"),
    updatedAt: timeIn(row, "updated_at"),
  };
}

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
    system: systemOf(textOrNullIn(row, "system_edit")),
    createdAt: timeIn(row, "created_at"),
    updatedAt: timeIn(row, "updated_at"),
  };
}

/** A query names `head_event_id`, `last_sequence`, `revision` and `incarnation`. */
export function versionOf(row: Row): Version {
  return {
    incarnation: textIn(row, "incarnation"),
    head: textOrNullIn(row, "head_event_id"),
    sequence: numberIn(row, "last_sequence"),
    revision: numberIn(row, "revision"),
  };
}

export function countersOf(row: Row): Counters {
  return {
    totalTokens: numberIn(row, "total_tokens"),
    isTotalStale: flagIn(row, "is_total_stale"),
    inputTokens: numberIn(row, "input_tokens"),
    outputTokens: numberIn(row, "output_tokens"),
    contextTokens: numberIn(row, "context_tokens"),
    compactionCount: numberIn(row, "compaction_count"),
    memoryFlushCompactionCount: numberOrNullIn(row, "memory_flush_compaction_count"),
    turnCount: numberIn(row, "turn_count"),
    messageCount: numberIn(row, "message_count"),
  };
}

/** By column; flags as booleans, for the store to turn into what its driver takes. */
export function counterCells(counters: Counters): Readonly<Record<CounterColumn, number | boolean | null>> {
  return {
    total_tokens: counters.totalTokens,
    is_total_stale: counters.isTotalStale,
    input_tokens: counters.inputTokens,
    output_tokens: counters.outputTokens,
    context_tokens: counters.contextTokens,
    compaction_count: counters.compactionCount,
    memory_flush_compaction_count: counters.memoryFlushCompactionCount,
    turn_count: counters.turnCount,
    message_count: counters.messageCount,
  };
}

type CounterColumn =
  | "total_tokens"
  | "is_total_stale"
  | "input_tokens"
  | "output_tokens"
  | "context_tokens"
  | "compaction_count"
  | "memory_flush_compaction_count"
  | "turn_count"
  | "message_count";

function objectIn(row: Row, column: string): JsonObject {
  const value = jsonIn(row, column);
  invariant(isObject(value), `the column ${column} of a session holds an object`);
  return value;
}

/** Of an event; the column is read as text. */
export function systemOf(text: string | null): SystemEdit | null {
  if (text === null) return null;
  const value = parsedJson(text, "system_edit");
  invariant(isObject(value), "the system edit of an event is an object");
  return { before: value.before ?? null, after: value.after ?? null };
}

export const MESSAGE_COLUMNS = [
  "sequence",
  "order_key",
  "role",
  "is_preserved",
  "is_summary",
  "made_by",
  "archived_by",
  "is_edited",
  "created_at",
  "attachments",
  "body",
] as const;

/** `bytes` holds what `hashesOf(rows)` names. */
export function storedMessages(rows: readonly Row[], bytes: ReadonlyMap<string, Uint8Array>): readonly StoredMessage[] {
  return rows.map((row) => storedMessage(row, bytes));
}

/** The attachments that these rows need. */
export function hashesOf(rows: readonly Row[]): readonly string[] {
  return hashesIn(rows.map((row) => textOrNullIn(row, "attachments")));
}

function storedMessage(row: Row, bytes: ReadonlyMap<string, Uint8Array>): StoredMessage {
  const sequence = numberIn(row, "sequence");
  return {
    id: messageIdOf(sequence),
    sequence,
    order: numberIn(row, "order_key"),
    // Only roles are ever written to that column; a constraint of the table holds it to them.
    role: textIn(row, "role") as Role,
    body: attachBody(textIn(row, "body"), textOrNullIn(row, "attachments"), bytes),
    isPinned: flagIn(row, "is_preserved"),
    isSummary: flagIn(row, "is_summary"),
    isEdited: flagIn(row, "is_edited"),
    madeBy: textOrNullIn(row, "made_by"),
    archivedBy: textOrNullIn(row, "archived_by"),
    createdAt: timeIn(row, "created_at"),
  };
}

const MESSAGE_ID = /^m([1-9][0-9]{0,15})$/;

export function messageIdOf(sequence: number): string {
  return `m${sequence}`;
}

/** Undefined for what cannot be an id of ours. */
export function sequenceOf(messageId: string): number | undefined {
  const digits = MESSAGE_ID.exec(messageId)?.[1];
  const sequence = digits === undefined ? Number.NaN : Number(digits);
  return Number.isSafeInteger(sequence) ? sequence : undefined;
}

/** Each number once, in the order given; undefined as soon as one of them cannot be an id of ours. */
export function sequencesOf(messageIds: readonly string[]): readonly number[] | undefined {
  const sequences = new Set<number>();
  for (const messageId of messageIds) {
    const sequence = sequenceOf(messageId);
    if (sequence === undefined) return undefined;
    sequences.add(sequence);
  }
  return [...sequences];
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

type EventCells = Readonly<Record<EventColumn, string | number | boolean | null>>;

/** What an insert writes. JSON columns are text. */
export function eventCells(event: CompactionEvent, system: SystemEdit | null): EventCells {
  return {
    id: event.id,
    session_id: event.sessionId,
    number: event.number,
    previous_id: event.previousId,
    strategy: storableText(event.strategy),
    profile: storableText(event.profile),
    trigger_reason: storableText(event.trigger),
    original_tokens: event.originalTokens,
    compacted_tokens: event.compactedTokens,
    messages_removed: event.messagesRemoved,
    is_compaction: event.isCompaction,
    summary_content: storable(event.summary),
    preserved_message_ids: JSON.stringify(event.preservedMessageIds),
    model_used: storable(event.modelUsed),
    prompt_version: storable(event.promptVersion),
    calls: event.calls,
    cost_usd: event.costUsd,
    whole_ratio: event.wholeRatio,
    zone_ratio: event.zoneRatio,
    duration_ms: event.durationMs,
    first_kept_id: event.firstKeptId,
    instructions: storable(event.instructions),
    plan: jsonText(event.plan),
    details: jsonText(event.details),
    system_edit: system === null ? null : jsonText(system),
    created_at: event.createdAt,
    undone_at: event.undoneAt,
    purged_at: event.purgedAt,
  };
}

/** A query names every column of `EVENT_COLUMNS`, the JSON ones as text. */
export function eventOf(row: Row): CompactionEvent {
  return {
    id: textIn(row, "id"),
    sessionId: textIn(row, "session_id"),
    number: numberIn(row, "number"),
    previousId: textOrNullIn(row, "previous_id"),
    strategy: textIn(row, "strategy"),
    profile: textIn(row, "profile"),
    trigger: textIn(row, "trigger_reason"),
    originalTokens: numberIn(row, "original_tokens"),
    compactedTokens: numberIn(row, "compacted_tokens"),
    messagesRemoved: numberIn(row, "messages_removed"),
    isCompaction: flagIn(row, "is_compaction"),
    summary: textOrNullIn(row, "summary_content"),
    preservedMessageIds: textsIn(jsonIn(row, "preserved_message_ids")),
    modelUsed: textOrNullIn(row, "model_used"),
    promptVersion: textOrNullIn(row, "prompt_version"),
    calls: numberIn(row, "calls"),
    costUsd: numberOrNullIn(row, "cost_usd"),
    wholeRatio: numberIn(row, "whole_ratio"),
    zoneRatio: numberOrNullIn(row, "zone_ratio"),
    durationMs: numberIn(row, "duration_ms"),
    firstKeptId: textOrNullIn(row, "first_kept_id"),
    instructions: textOrNullIn(row, "instructions"),
    plan: jsonIn(row, "plan"),
    details: jsonIn(row, "details"),
    createdAt: timeIn(row, "created_at"),
    undoneAt: timeOrNullIn(row, "undone_at"),
    purgedAt: timeOrNullIn(row, "purged_at"),
  };
}

export const EVENT_COLUMNS = [
  "id",
  "session_id",
  "number",
  "previous_id",
  "strategy",
  "profile",
  "trigger_reason",
  "original_tokens",
  "compacted_tokens",
  "messages_removed",
  "is_compaction",
  "summary_content",
  "preserved_message_ids",
  "model_used",
  "prompt_version",
  "calls",
  "cost_usd",
  "whole_ratio",
  "zone_ratio",
  "duration_ms",
  "first_kept_id",
  "instructions",
  "plan",
  "details",
  "system_edit",
  "created_at",
  "undone_at",
  "purged_at",
] as const;

type EventColumn = (typeof EVENT_COLUMNS)[number];

function storable(text: string | null): string | null {
  return text === null ? null : storableText(text);
}

function textsIn(value: JsonValue): readonly string[] {
  return isArray(value) ? value.filter((element) => typeof element === "string") : [];
}
