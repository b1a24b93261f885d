/** Rows of known prefixes and requests, as both databases hold them. Pure. */

import { messageIdOf, sequenceOf } from "../../core/store/store-rules.ts";
import type { KnownPrefix, RequestRecord, RequestTotals } from "../../core/store/traffic.ts";
import { messageMissing } from "../refusals.ts";
import { numberIn, type Row, textIn } from "./cells.ts";
import { type Columns, ID, ID_OR_NULL, NUMBER, NUMBER_OR_NULL, namesIn, reader, TEXT, TIME, writer } from "./rows.ts";

const REQUEST: Columns<RequestRecord> = {
  sessionId: ["session_id", ID],
  at: ["requested_at", TIME],
  model: ["model", TEXT],
  status: ["status", NUMBER],
  inputTokens: ["input_tokens", NUMBER_OR_NULL],
  cacheReadTokens: ["cache_read_tokens", NUMBER_OR_NULL],
  cacheWriteTokens: ["cache_write_tokens", NUMBER_OR_NULL],
  outputTokens: ["output_tokens", NUMBER_OR_NULL],
  viewTokens: ["view_tokens", NUMBER],
  fullTokens: ["full_tokens", NUMBER],
  windowTokens: ["window_tokens", NUMBER],
  triggerTokens: ["trigger_tokens", NUMBER_OR_NULL],
  eventId: ["event_id", ID_OR_NULL],
  firstByteMs: ["first_byte_ms", NUMBER_OR_NULL],
  durationMs: ["duration_ms", NUMBER],
};

export const REQUEST_COLUMNS = namesIn(REQUEST);
export const requestCells = writer(REQUEST);
export const requestOf = reader(REQUEST);

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
