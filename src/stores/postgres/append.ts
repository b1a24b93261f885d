/**
 * Appends in one round trip: the session's row is locked by raising its last number, so numbers are given without gaps and become
 * visible in order; everything else hangs on that. Takes no lease.
 */

import { wholeUsage } from "../../core/store/counters.ts";
import type { Appended, Batch, Waiting } from "../../core/store/store.ts";
import { messageIdOf } from "../../core/store/store-rules.ts";
import { sessionMissing } from "../refusals.ts";
import { timeIn } from "../sql/cells.ts";
import { detachBody } from "../sql/detached-body.ts";
import { versionOf } from "../sql/rows.ts";
import type { Database, WriteStatement } from "./database.ts";
import { attachmentValues, insertAttachments } from "./messages.ts";
import { flagList, jsonList, textList, timeText, VERSION_TEXTS } from "./sql-text.ts";

export async function appendBatch(
  database: Database,
  sessionId: string,
  batch: Batch,
  waiting: Waiting = {},
): Promise<Appended> {
  const { messages } = batch;
  const statement = appendStatement(database.schema, sessionId, batch);
  const [row] = await database.write("append to the session", statement, waiting);
  if (row === undefined) throw sessionMissing(sessionId);
  const version = versionOf(row);
  const ids = messages.map((_, index) => messageIdOf(version.sequence - messages.length + index + 1));
  return { ids, version, createdAt: timeIn(row, "appended_at") };
}

/** Finds no row where there is no such session. */
export function appendStatement(schema: string, sessionId: string, batch: Batch): WriteStatement {
  const { messages, turns } = batch;
  const usage = batch.usage && wholeUsage(batch.usage);
  const bodies = messages.map(({ body, attachments }) => detachBody(body, attachments));
  const blobs = bodies.flatMap((body) => body.blobs);
  const isPlain = bodies.every(({ attachments }) => attachments === null);
  return [
    (lockBound) => appendText(schema, { isAttached: blobs.length > 0, lockBound }),
    [
      sessionId,
      messages.length,
      turns,
      usage?.inputTokens ?? null,
      usage?.outputTokens ?? null,
      usage?.contextTokens ?? null,
      jsonList(bodies.map(({ body }) => body)),
      textList(messages.map(({ role }) => role)),
      flagList(messages.map(({ isPinned }) => isPinned === true)),
      isPlain ? null : jsonList(bodies.map(({ attachments }) => attachments)),
      ...(blobs.length === 0 ? [] : attachmentValues(blobs)),
    ],
  ];
}

interface TextParts {
  readonly isAttached: boolean;
  readonly lockBound: string;
}

function appendText(schema: string, { isAttached, lockBound }: TextParts): string {
  return `WITH session AS (
      UPDATE ${schema}.sessions SET
        last_sequence = last_sequence + $2::bigint,
        message_count = message_count + $2::bigint,
        turn_count = turn_count + $3::integer,
        input_tokens = coalesce($4::bigint, input_tokens),
        output_tokens = coalesce($5::bigint, output_tokens),
        total_tokens = coalesce($4::bigint + $5::bigint, total_tokens),
        context_tokens = coalesce($6::bigint, context_tokens),
        is_total_stale = CASE WHEN $4::bigint IS NOT NULL THEN false ELSE is_total_stale OR $2::bigint > 0 END,
        updated_at = clock_timestamp()
      WHERE id = $1 AND ${lockBound}
      RETURNING id, last_sequence, revision, head_event_id, incarnation, updated_at
    )${isAttached ? `, attached AS (${insertAttachments(schema, "$11", "$12")})` : ""}, added AS (
      INSERT INTO ${schema}.messages
        (session_id, sequence, order_key, role, is_preserved, created_at, attachments, body)
      SELECT session.id, session.last_sequence - $2::bigint + b.number, session.last_sequence - $2::bigint + b.number,
        b.role, b.is_preserved, session.updated_at, CASE WHEN b.attachments::text <> 'null' THEN b.attachments END, b.body
      FROM session, ROWS FROM (
        json_array_elements($7::text::json), unnest($8::text::text[]), unnest($9::text::boolean[]),
        json_array_elements($10::text::json)
      ) WITH ORDINALITY AS b(body, role, is_preserved, attachments, number)
    )
    SELECT ${VERSION_TEXTS}, ${timeText("updated_at")} AS appended_at FROM session`;
}
