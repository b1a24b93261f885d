/**
 * Rows of `sessions` as session records, and the columns that a change of the counters writes. A query names the columns of
 * `SESSION_COLUMNS` and `system_edit`, which belongs to the head event.
 */

import { invariant } from "../../core/errors.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import type { FormatName } from "../../core/message.ts";
import type { Counters } from "../../core/store/counters.ts";
import type { SessionRecord, SessionSummary, SystemEdit, Version } from "../../core/store/store.ts";
import {
  flagIn,
  jsonIn,
  numberIn,
  numberOrNullIn,
  parsedJson,
  type Row,
  textIn,
  textOrNullIn,
  timeIn,
} from "./cells.ts";

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
