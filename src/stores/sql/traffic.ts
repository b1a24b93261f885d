/** Rows of known prefixes and requests, as both databases hold them. Pure. */

import { messageIdOf, sequenceOf } from "../../core/store/store-rules.ts";
import type { KnownPrefix, RequestRecord, RequestTotals } from "../../core/store/traffic.ts";
import { messageMissing } from "../refusals.ts";
import { numberIn, numberOrNullIn, type Row, storableText, textIn, textOrNullIn, timeIn } from "./cells.ts";

/** Without the session, which stands first, and the time, which Postgres writes in another way. */
const RECORD_COLUMNS = [
  ...["model", "status", "input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens", "view_tokens"],
  ...["full_tokens", "window_tokens", "trigger_tokens", "event_id", "first_byte_ms", "duration_ms"],
];

export const REQUEST_COLUMNS = ["session_id", "requested_at", ...RECORD_COLUMNS];

export function requestCells(record: RequestRecord): readonly (string | number | null)[] {
  const { sessionId, at, model, status, inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = record;
  const { viewTokens, fullTokens, windowTokens, triggerTokens, eventId, firstByteMs, durationMs } = record;
  return [
    ...[sessionId, at, storableText(model), status, inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens],
    ...[viewTokens, fullTokens, windowTokens, triggerTokens, eventId, firstByteMs, durationMs],
  ];
}

export function requestOf(row: Row): RequestRecord {
  return {
    sessionId: textIn(row, "session_id"),
    at: timeIn(row, "requested_at"),
    model: textIn(row, "model"),
    status: numberIn(row, "status"),
    inputTokens: numberOrNullIn(row, "input_tokens"),
    cacheReadTokens: numberOrNullIn(row, "cache_read_tokens"),
    cacheWriteTokens: numberOrNullIn(row, "cache_write_tokens"),
    outputTokens: numberOrNullIn(row, "output_tokens"),
    viewTokens: numberIn(row, "view_tokens"),
    fullTokens: numberIn(row, "full_tokens"),
    windowTokens: numberIn(row, "window_tokens"),
    triggerTokens: numberOrNullIn(row, "trigger_tokens"),
    eventId: textOrNullIn(row, "event_id"),
    firstByteMs: numberOrNullIn(row, "first_byte_ms"),
    durationMs: numberIn(row, "duration_ms"),
  };
}

/** The columns that `totalsOf` reads beside those of the newest request. */
export const SUM_COLUMNS = [
  "count(*) AS requests",
  "coalesce(sum(input_tokens), 0) AS input_sum",
  "coalesce(sum(cache_read_tokens), 0) AS cache_read_sum",
  "coalesce(sum(cache_write_tokens), 0) AS cache_write_sum",
  "coalesce(sum(output_tokens), 0) AS output_sum",
  "sum(full_tokens) AS full_sum",
].join(", ");

export function totalsOf(sums: Row, newest: Row): RequestTotals {
  const record = requestOf(newest);
  return {
    sessionId: record.sessionId,
    requests: numberIn(sums, "requests"),
    inputTokens: numberIn(sums, "input_sum"),
    cacheReadTokens: numberIn(sums, "cache_read_sum"),
    cacheWriteTokens: numberIn(sums, "cache_write_sum"),
    outputTokens: numberIn(sums, "output_sum"),
    fullTokens: numberIn(sums, "full_sum"),
    newest: record,
  };
}

export function prefixOf(row: Row): KnownPrefix {
  const messageId = messageIdOf(numberIn(row, "sequence"));
  return { hash: textIn(row, "hash"), sessionId: textIn(row, "session_id"), messageId };
}

export function prefixSequence({ messageId }: KnownPrefix): number {
  const sequence = sequenceOf(messageId);
  if (sequence === undefined) throw messageMissing();
  return sequence;
}
