/** Rows of `compaction_events` as events, and the other way round: one table of columns for both directions. */

import { isArray, type JsonValue } from "../../core/json.ts";
import type { CompactionEvent } from "../../core/store/compaction-event.ts";
import type { SystemEdit } from "../../core/store/store.ts";
import { jsonText } from "../../core/store/stored-json.ts";
import {
  flagIn,
  jsonIn,
  numberIn,
  numberOrNullIn,
  type Row,
  storableText,
  textIn,
  textOrNullIn,
  timeIn,
  timeOrNullIn,
} from "./cells.ts";

export type EventCells = Readonly<Record<EventColumn, string | number | boolean | null>>;

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
