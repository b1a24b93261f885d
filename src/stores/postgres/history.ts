/** What happened to a session: its events, its archive, its log, page by page. Reads only, and holds no connection in between. */

import type { CompactionEvent } from "../../core/store/compaction-event.ts";
import type { RowCounts, StoredMessage } from "../../core/store/store.ts";
import { numberIn, type Row, textIn } from "../sql/cells.ts";
import { eventOf } from "../sql/event-row.ts";
import { sequenceOf } from "../sql/message-id.ts";
import { messagesOf } from "./attachment-rows.ts";
import type { PostgresValue } from "./client.ts";
import { EVENT_TEXTS, WRITTEN_MESSAGE } from "./columns.ts";
import type { Database } from "./database.ts";
import { numberList } from "./literals.ts";
import { requireSession } from "./sessions.ts";

const EVENTS_PER_PAGE = 200;
const MESSAGES_PER_PAGE = 500;

export async function* listEvents(database: Database, sessionId: string): AsyncGenerator<CompactionEvent> {
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

export async function* listLog(database: Database, sessionId: string): AsyncGenerator<StoredMessage> {
  await requireSession(database, sessionId);
  yield* pages(database, sessionId, { key: "sequence", where: "true", values: [] });
}

/** Event by event, each in the order of the view. What a rollback took back is not part of it. */
export async function* listArchive(
  database: Database,
  sessionId: string,
  eventId?: string,
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

export async function countRows(database: Database, sessionId: string): Promise<RowCounts> {
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

async function* pages(
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
