/**
 * Messages and their attachments: appended, inserted, read back as they were. An append is one round trip: it locks the session's row
 * by raising its last number, so numbers have no gaps and become visible in order. Takes no lease.
 */

import type { CompactionError } from "../../core/errors.ts";
import { wholeUsage } from "../../core/store/counters.ts";
import type { AppendResult, Batch, StoredMessage, Waiting } from "../../core/store/store.ts";
import { messageIdOf } from "../../core/store/store-rules.ts";
import { isBehind, sessionMissing } from "../refusals.ts";
import { type Row, textIn, timeIn } from "../sql/cells.ts";
import { type AttachmentBytes, detachBody } from "../sql/detached-body.ts";
import { hashesOf, storedMessages, versionOf } from "../sql/rows.ts";
import type { PostgresValue } from "./client.ts";
import type { Database, WriteStatement } from "./database.ts";
import { flagList, jsonList, textList, timeText, VERSION_TEXTS } from "./sql-text.ts";

export async function appendBatch(
  database: Database,
  sessionId: string,
  batch: Batch,
  waiting: Waiting = {},
): Promise<AppendResult> {
  const { messages } = batch;
  const statement = appendStatement(database.schema, sessionId, batch);
  const [row] = await database.write("append to the session", statement, waiting);
  if (row === undefined) throw await whyNothing(database, sessionId);
  const version = versionOf(row);
  const ids = messages.map((_, index) => messageIdOf(version.sequence - messages.length + index + 1));
  return { ids, version, createdAt: timeIn(row, "appended_at") };
}

async function whyNothing({ schema, read }: Database, sessionId: string): Promise<CompactionError> {
  const there = await read(`SELECT 1 FROM ${schema}.sessions WHERE id = $1`, [sessionId]);
  return there.length === 0 ? sessionMissing(sessionId) : isBehind();
}

/** Finds no row where there is no such session, or not with the number that the batch names. */
export function appendStatement(schema: string, sessionId: string, batch: Batch): WriteStatement {
  const { messages, turns, after } = batch;
  const usage = batch.usage && wholeUsage(batch.usage);
  const bodies = messages.map(({ body, attachments }) => detachBody(body, attachments));
  const blobs = bodies.flatMap((body) => body.blobs);
  const isPlain = bodies.every(({ attachments }) => attachments === null);
  return [
    (lockBound) => appendText(schema, lockBound, blobs.length > 0),
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
      after ?? null,
      ...(blobs.length === 0 ? [] : attachmentValues(blobs)),
    ],
  ];
}

function appendText(schema: string, lockBound: string, isAttached: boolean): string {
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
      WHERE id = $1 AND ${lockBound} AND ($11::bigint IS NULL OR last_sequence = $11::bigint)
      RETURNING id, last_sequence, revision, head_event_id, incarnation, updated_at
    )${isAttached ? `, attached AS (${insertAttachments(schema, "$12", "$13")})` : ""}, added AS (
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

/** Part of a statement; `$1` is the session, the other two are `attachmentValues`. */
export function insertAttachments(schema: string, hashes: string, contents: string): string {
  return `INSERT INTO ${schema}.attachments (session_id, hash, bytes)
    SELECT s.id, a.hash, decode(a.content, 'base64') FROM ${schema}.sessions s, ROWS FROM (
      unnest(${hashes}::text::text[]), unnest(string_to_array(${contents}::text, ','))
    ) AS a(hash, content) WHERE s.id = $1
    ON CONFLICT DO NOTHING`;
}

export function attachmentValues(blobs: readonly AttachmentBytes[]): readonly PostgresValue[] {
  const contents = new Map(blobs.map(({ hash, bytes }) => [hash, bytes]));
  const base64 = [...contents.values()].map(({ buffer, byteOffset, byteLength }) =>
    Buffer.from(buffer, byteOffset, byteLength).toString("base64"),
  );
  return [textList([...contents.keys()]), base64.join(",")];
}

/** Messages whole again; one more question where any of them has binary content. */
export async function messagesOf(
  database: Database,
  sessionId: string,
  rows: readonly Row[],
): Promise<readonly StoredMessage[]> {
  return storedMessages(rows, await bytesOf(database, sessionId, rows));
}

/** The binary content that these rows need, by its hash. */
export async function bytesOf(
  database: Database,
  sessionId: string,
  rows: readonly Row[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const hashes = hashesOf(rows);
  if (hashes.length === 0) return new Map();
  const found = await database.read(
    `SELECT hash, translate(encode(bytes, 'base64'), E'\\n', '') AS content FROM ${database.schema}.attachments
     WHERE session_id = $1 AND hash = ANY($2::text[])`,
    [sessionId, textList(hashes)],
    "planned",
  );
  return new Map(found.map((row) => [textIn(row, "hash"), Buffer.from(textIn(row, "content"), "base64")]));
}
