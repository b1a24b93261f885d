/** Binary content by its hash: written once a session, read for the messages that refer to it. */

import type { StoredMessage } from "../../core/store/store.ts";
import { type Row, textIn } from "../sql/cells.ts";
import type { AttachmentBytes } from "../sql/detached-body.ts";
import { hashesOf, storedMessages } from "../sql/rows.ts";
import type { PostgresValue } from "./client.ts";
import type { Database } from "./database.ts";
import { textList } from "./sql-text.ts";

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
