/** A session's record and view, read in one statement, so that they belong together whatever others commit meanwhile. */

import { invariant } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import type { Changes, SessionRecord, SessionState, Version } from "../../core/store/store.ts";
import { numberIn, parsedJson, type Row, textIn } from "../sql/cells.ts";
import { sessionMissing } from "../sql/refusals.ts";
import { sessionRecordOf } from "../sql/session-row.ts";
import { messagesOf } from "./attachment-rows.ts";
import { editJoin, headJoin, RECORD_JSON, VIEW_MESSAGE } from "./columns.ts";
import type { Database } from "./database.ts";

export async function readSession(database: Database, sessionId: string): Promise<SessionState | undefined> {
  const { schema } = database;
  const rows = await database.read(
    `${recordRow(schema, RECORD_JSON)}
     UNION ALL (SELECT NULL, ${VIEW_MESSAGE} FROM ${schema}.session_view($1) m ${editJoin(schema)})`,
    [sessionId],
  );
  const { record, messages } = parted(rows);
  if (record === undefined) return undefined;
  return { ...recordOf(record), view: await messagesOf(database, sessionId, messages) };
}

export async function readChanges(database: Database, sessionId: string, since: Version): Promise<Changes> {
  const { schema } = database;
  const isSeen = "(s.revision = $2 AND s.incarnation = $4)";
  // Where nothing happened, not even the record is put together.
  const rows = await database.read(
    `${recordRow(schema, `CASE WHEN ${isSeen} AND s.last_sequence = $3 THEN '' ELSE ${RECORD_JSON} END`)}
     UNION ALL (SELECT NULL, ${VIEW_MESSAGE} FROM ${schema}.messages m ${editJoin(schema)}
       WHERE m.session_id = $1 AND m.archived_by IS NULL AND m.sequence > $3
         AND (SELECT ${isSeen} FROM ${schema}.sessions s WHERE s.id = $1))`,
    [sessionId, since.revision, since.sequence, since.incarnation],
  );
  const { record, messages } = parted(rows);
  if (record === undefined) throw sessionMissing(sessionId);
  if (record === "") return { type: "none" };
  const found = recordOf(record);
  const { incarnation, revision } = found.version;
  if (incarnation === since.incarnation && revision === since.revision) {
    return { type: "appended", record: found, messages: await messagesOf(database, sessionId, messages) };
  }
  const state = await readSession(database, sessionId);
  if (state === undefined) throw sessionMissing(sessionId);
  return { type: "changed", state };
}

/** The first branch of a union: the record, and nothing where messages have their columns. */
function recordRow(schema: string, record: string): string {
  return `SELECT ${record} AS record, NULL::bigint AS sequence, NULL::double precision AS order_key, NULL AS role,
      NULL::boolean AS is_preserved, NULL::boolean AS is_summary, NULL AS made_by, NULL AS archived_by,
      NULL::boolean AS is_edited, NULL AS created_at, NULL AS attachments, NULL AS body
    FROM ${schema}.sessions s ${headJoin(schema)} WHERE s.id = $1`;
}

function parted(rows: readonly Row[]): { readonly record: string | undefined; readonly messages: readonly Row[] } {
  const messages = rows.filter((row) => row.record === null);
  const [record] = rows.filter((row) => row.record !== null);
  // Not in the database: it would write large views to disk to sort them. They come nearly sorted, so that it is quick here.
  messages.sort((a, b) => numberIn(a, "order_key") - numberIn(b, "order_key"));
  return { record: record === undefined ? undefined : textIn(record, "record"), messages };
}

function recordOf(json: string): SessionRecord {
  const row = parsedJson(json, "record");
  invariant(isObject(row), "a record is an object");
  return sessionRecordOf(row);
}
