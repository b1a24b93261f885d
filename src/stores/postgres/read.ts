/** What a session shows: its record and view in one statement, so that both are of one moment; its events and archive. */

import { invariant } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import type {
  ArchiveRange,
  Changes,
  CompactionEvent,
  RowCounts,
  SessionRecord,
  SessionState,
  StoredMessage,
  Version,
} from "../../core/store/store.ts";
import { sequenceOf } from "../../core/store/store-rules.ts";
import { sessionMissing } from "../refusals.ts";
import { numberIn, parsedJson, type Row, textIn } from "../sql/cells.ts";
import { eventOf, sessionRecordOf } from "../sql/rows.ts";
import type { PostgresValue } from "./client.ts";
import type { Database } from "./database.ts";
import { messagesOf } from "./messages.ts";
import { requireSession } from "./sessions.ts";
import { EVENT_TEXTS, editJoin, headJoin, numberList, RECORD_JSON, VIEW_MESSAGE, WRITTEN_MESSAGE } from "./sql-text.ts";

export async function readState(database: Database, sessionId: string): Promise<SessionState | undefined> {
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
  const state = await readState(database, sessionId);
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

const EVENTS_PER_PAGE = 200;
const MESSAGES_PER_PAGE = 500;

export async function* readEvents(database: Database, sessionId: string): AsyncGenerator<CompactionEvent> {
  await requireSession(database, sessionId);
  let rows: readonly Row[] = [];
  do {
    const last = rows.at(-1);
    rows = await database.read(
      `SELECT ${EVENT_TEXTS} FROM ${database.schema}.compaction_events e
       WHERE e.session_id = $1 AND e.number > $2::integer ORDER BY e.number LIMIT ${EVENTS_PER_PAGE}`,
      [sessionId, last === undefined ? 0 : numberIn(last, "number")],
    );
    yield* rows.map(eventOf);
  } while (rows.length === EVENTS_PER_PAGE);
}

/** Event by event, each in the order of the view. What a rollback took back is not part of it. */
export async function* readArchive(
  database: Database,
  sessionId: string,
  { eventId }: ArchiveRange,
): AsyncGenerator<StoredMessage> {
  await requireSession(database, sessionId);
  const events = await database.read(
    `SELECT e.id FROM ${database.schema}.compaction_events e
     WHERE e.session_id = $1 AND ($2::text IS NULL OR e.id = $2::text) ORDER BY e.number`,
    [sessionId, eventId ?? null],
  );
  const where = "m.archived_by = $3::text AND m.made_by IS DISTINCT FROM m.archived_by";
  for (const event of events) {
    yield* pages(database, sessionId, { key: "order_key", where, values: [textIn(event, "id")] });
  }
}

/** Those that the session has, in the order of the ids. */
export async function readMessages(
  database: Database,
  sessionId: string,
  messageIds: readonly string[],
): Promise<readonly StoredMessage[]> {
  const sequences = messageIds.map(sequenceOf).filter((sequence) => sequence !== undefined);
  const rows = await database.read(
    `SELECT ${WRITTEN_MESSAGE} FROM ${database.schema}.messages m
     WHERE m.session_id = $1 AND m.sequence = ANY($2::bigint[])`,
    [sessionId, numberList(sequences)],
    "planned",
  );
  if (rows.length === 0) await requireSession(database, sessionId);
  const found = new Map((await messagesOf(database, sessionId, rows)).map((message) => [message.id, message]));
  return messageIds.flatMap((id) => found.get(id) ?? []);
}

export async function readCounts(database: Database, sessionId: string): Promise<RowCounts> {
  await requireSession(database, sessionId);
  const [row = {}] = await database.read(
    `SELECT count(*) FILTER (WHERE archived_by IS NULL) AS view_count,
       count(*) FILTER (WHERE archived_by IS NOT NULL AND made_by IS DISTINCT FROM archived_by) AS archive_count
     FROM ${database.schema}.messages WHERE session_id = $1`,
    [sessionId],
  );
  return { view: numberIn(row, "view_count"), archived: numberIn(row, "archive_count") };
}

interface Selection {
  /** Rises along the pages; no two messages of the selection share one. */
  readonly key: "sequence" | "order_key";
  /** Its values begin at `$3`. */
  readonly where: string;
  readonly values: readonly PostgresValue[];
}

/** Compared in the column's own type, or no index would serve. */
const KEYS = {
  sequence: { type: "bigint", start: 0 },
  order_key: { type: "double precision", start: "-Infinity" },
} as const;

export async function* pages(
  database: Database,
  sessionId: string,
  { key, where, values }: Selection,
): AsyncGenerator<StoredMessage> {
  const { type, start } = KEYS[key];
  let rows: readonly Row[] = [];
  do {
    const last = rows.at(-1);
    rows = await database.read(
      `SELECT ${WRITTEN_MESSAGE} FROM ${database.schema}.messages m
       WHERE m.session_id = $1 AND m.${key} > $2::${type} AND ${where} ORDER BY m.${key} LIMIT ${MESSAGES_PER_PAGE}`,
      [sessionId, last === undefined ? start : numberIn(last, key), ...values],
    );
    yield* await messagesOf(database, sessionId, rows);
  } while (rows.length === MESSAGES_PER_PAGE);
}
