/** The second port: log and edits, purging and deleting, forking, listing and examining sessions. */

import type { StoredMessage, Waiting } from "../../core/store/store.ts";
import type { EventEdits, Finding, SessionSummary } from "../../core/store/store-upkeep.ts";
import { sessionExists, sessionMissing } from "../refusals.ts";
import { numberIn, textIn } from "../sql/cells.ts";
import { examineQuery, examineRules, findingOf } from "../sql/examine.ts";
import { EVENT_COLUMNS, FORKED_COLUMNS, sessionSummaryOf, storedEdits, systemIn } from "../sql/rows.ts";
import type { Database, Transaction } from "./database.ts";
import { bytesOf } from "./messages.ts";
import { pages } from "./read.ts";
import { lockSession, requireSession } from "./sessions.ts";
import { columnText, textList } from "./sql-text.ts";

export async function* readLog(database: Database, sessionId: string): AsyncGenerator<StoredMessage> {
  await requireSession(database, sessionId);
  yield* pages(database, sessionId, { key: "sequence", where: "true", values: [] });
}

export async function* readEdits(database: Database, sessionId: string): AsyncGenerator<EventEdits> {
  await requireSession(database, sessionId);
  const { schema } = database;
  const events = await database.read(
    `SELECT e.id, e.system_edit::text AS system_edit FROM ${schema}.compaction_events e
     WHERE e.session_id = $1 AND (e.system_edit IS NOT NULL OR EXISTS (
       SELECT 1 FROM ${schema}.message_edits d WHERE d.session_id = e.session_id AND d.event_id = e.id))
     ORDER BY e.number`,
    [sessionId],
  );
  for (const event of events) {
    const eventId = textIn(event, "id");
    const rows = await database.read(
      `SELECT sequence, kind, attachments::text AS attachments, body::text AS body FROM ${schema}.message_edits
       WHERE session_id = $1 AND event_id = $2 ORDER BY sequence`,
      [sessionId, eventId],
    );
    const messages = storedEdits(rows, await bytesOf(database, sessionId, rows));
    yield { eventId, messages, system: systemIn(event) };
  }
}

/** Deletes what events before a time archived, with its binary content, and marks those events: they can no longer be undone. */
export async function purgeArchive(
  database: Database,
  sessionId: string,
  { before, ...waiting }: Waiting & { readonly before: string },
): Promise<number> {
  const { schema } = database;
  const body = async (transaction: Transaction): Promise<number> => {
    const { now } = await lockSession(transaction, { schema, sessionId });
    const [row] = await transaction.query(
      `WITH gone AS (
         DELETE FROM ${schema}.messages m USING ${schema}.compaction_events e
         WHERE m.session_id = $1 AND m.archived_by IS NOT NULL AND e.session_id = $1 AND e.id = m.archived_by
           AND e.created_at < $2::text::timestamptz
         RETURNING m.archived_by
       ), marked AS (
         UPDATE ${schema}.compaction_events SET purged_at = $3::text::timestamptz
         WHERE session_id = $1 AND id IN (SELECT archived_by FROM gone)
       ), raised AS (
         UPDATE ${schema}.sessions SET revision = revision + 1, updated_at = $3::text::timestamptz
         WHERE id = $1 AND EXISTS (SELECT FROM gone)
       )
       SELECT count(*) AS deleted FROM gone`,
      [sessionId, before, now],
    );
    const deleted = numberIn(row ?? {}, "deleted");
    // A trigger has done so already, but there may be none where the tables are spread over servers.
    if (deleted > 0) await transaction.query(orphansText(schema), [sessionId]);
    return deleted;
  };
  return database.transaction("purge the archive", body, waiting);
}

/** Attachments to which nothing refers any more. */
function orphansText(schema: string): string {
  const refersTo = (table: string): string => `SELECT FROM ${schema}.${table} r
      WHERE r.session_id = $1 AND r.attachments IS NOT NULL AND strpos(r.attachments::text, a.hash) > 0`;
  return `DELETE FROM ${schema}.attachments a WHERE a.session_id = $1
    AND NOT EXISTS (${refersTo("messages")}) AND NOT EXISTS (${refersTo("message_edits")})`;
}

export async function deleteSession(database: Database, sessionId: string, waiting: Waiting = {}): Promise<void> {
  const textOf = (lockBound: string): string =>
    `DELETE FROM ${database.schema}.sessions WHERE id = $1 AND ${lockBound} RETURNING id`;
  const gone = await database.write("delete the session", [textOf, [sessionId]], waiting);
  if (gone.length === 0) throw sessionMissing(sessionId);
}

interface NewFork extends Waiting {
  readonly newSessionId: string;
  readonly newEventId: () => string;
}

/** Copies a session as of one moment, inside the database. Events get new ids; no lease comes along. */
export async function forkSession(
  database: Database,
  sessionId: string,
  { newSessionId, newEventId, ...waiting }: NewFork,
): Promise<void> {
  const { schema } = database;
  // Every statement sees the same moment, whatever is appended meanwhile.
  const begin = "BEGIN ISOLATION LEVEL REPEATABLE READ";
  await database.transaction(
    "fork the session",
    async ({ query, pipeline }) => {
      const [sessions, events] = await pipeline([
        [`SELECT 1 FROM ${schema}.sessions WHERE id = $1`, [sessionId]],
        [`SELECT id FROM ${schema}.compaction_events WHERE session_id = $1`, [sessionId]],
      ]);
      if (sessions?.length !== 1) throw sessionMissing(sessionId);
      const eventIds = (events ?? []).map((row) => textIn(row, "id"));
      const values = [sessionId, newSessionId, textList(eventIds), textList(eventIds.map(() => newEventId()))];
      const made = await query(sessionCopy(schema), values);
      if (made.length === 0) throw sessionExists(newSessionId);
      await pipeline([
        [tableCopy(schema, "compaction_events", EVENT_COLUMNS), values],
        [tableCopy(schema, "messages", MESSAGE_COLUMNS), values],
        [tableCopy(schema, "message_edits", EDIT_COLUMNS), values],
        [tableCopy(schema, "attachments", ["session_id", "hash", "bytes"]), [sessionId, newSessionId]],
        [tableCopy(schema, "message_vectors", ["session_id", "sequence", "vector"]), [sessionId, newSessionId]],
      ]);
    },
    { begin, ...waiting },
  );
}

const MESSAGE_COLUMNS = [
  ...["session_id", "sequence", "order_key", "role", "is_preserved", "is_summary"],
  ...["made_by", "archived_by", "edited_by", "created_at", "attachments", "body"],
];
const EDIT_COLUMNS = ["session_id", "sequence", "event_id", "kind", "attachments", "body"];

/** Columns that name an event, by table; they get the copy's name for it. */
const EVENT_NAMES: Readonly<Record<string, readonly string[]>> = {
  sessions: ["head_event_id"],
  compaction_events: ["id", "previous_id"],
  messages: ["made_by", "archived_by", "edited_by"],
  message_edits: ["event_id"],
};

function sessionCopy(schema: string): string {
  return `INSERT INTO ${schema}.sessions (id, parent_id, ${FORKED_COLUMNS.join(", ")})
    SELECT $2, $1, ${cells("sessions", FORKED_COLUMNS)} FROM ${schema}.sessions t ${nameJoins("sessions")} WHERE t.id = $1
    ON CONFLICT DO NOTHING RETURNING id`;
}

function tableCopy(schema: string, table: string, columns: readonly string[]): string {
  return `INSERT INTO ${schema}.${table} (${columns.join(", ")})
    SELECT ${cells(table, columns)} FROM ${schema}.${table} t ${nameJoins(table)} WHERE t.session_id = $1`;
}

function cells(table: string, columns: readonly string[]): string {
  const names = EVENT_NAMES[table] ?? [];
  const cell = (column: string): string => {
    if (column === "session_id") return "$2";
    if (!names.includes(column)) return `t.${column}`;
    // An event that was deleted left what it inserted, under its old name: without one, a summary would pass for an appended message.
    return column === "made_by" ? "coalesce(new_made_by.new_id, t.made_by)" : `new_${column}.new_id`;
  };
  return columns.map(cell).join(", ");
}

function nameJoins(table: string): string {
  const pairs = "ROWS FROM (unnest($3::text::text[]), unnest($4::text::text[]))";
  const joins = (EVENT_NAMES[table] ?? []).map(
    (column) => `LEFT JOIN ${pairs} AS new_${column}(old_id, new_id) ON new_${column}.old_id = t.${column}`,
  );
  return joins.join(" ");
}

const SESSIONS_AT_ONCE = 200;

/** Newest first. All ids are read at once, so that a session that is written to meanwhile is listed exactly once. No index serves the order. */
export async function* readSessions(database: Database): AsyncGenerator<SessionSummary> {
  const { schema } = database;
  const newest = await database.read(`SELECT id FROM ${schema}.sessions ORDER BY updated_at DESC, id DESC`, []);
  const ids = newest.map((row) => textIn(row, "id"));
  for (let start = 0; start < ids.length; start += SESSIONS_AT_ONCE) {
    const page = textList(ids.slice(start, start + SESSIONS_AT_ONCE));
    // A session that was deleted meanwhile is left out.
    yield* (await database.read(summaries(schema), [page], "planned")).map(sessionSummaryOf);
  }
}

/** JSON operators refuse a column in which one of these is escaped anywhere. */
const UNREADABLE = String.raw`\\u(?:0000|d[89a-f])`;

function summaries(schema: string): string {
  return `SELECT s.id, s.format, s.agent_id, ${columnText("s", "metadata")} AS metadata, s.turn_count, s.message_count,
     s.compaction_count, s.total_tokens, s.is_total_stale, s.context_tokens,
     CASE WHEN s.base::text !~* '${UNREADABLE}' THEN
       CASE WHEN json_typeof(s.base->'model') = 'string' THEN s.base->>'model' END END AS model,
     ${columnText("s", "created_at")} AS created_at, ${columnText("s", "updated_at")} AS updated_at,
     (SELECT count(*) FROM ${schema}.messages m WHERE m.session_id = s.id AND m.archived_by IS NULL) AS view_count
   FROM unnest($1::text[]) WITH ORDINALITY AS wanted(id, place) JOIN ${schema}.sessions s ON s.id = wanted.id
   ORDER BY wanted.place`;
}

/** Checks the rules of the schema in one reading transaction. */
export async function* examineStore(database: Database, sessionId?: string): AsyncGenerator<Finding> {
  const found = await database.transaction(
    "examine the store",
    async ({ query }) => {
      // The rules name no schema, because SQLite has none.
      await query(`SET LOCAL search_path = ${database.schema}`, []);
      const findings: Finding[] = [];
      for (const rule of RULES) {
        const rows =
          sessionId === undefined
            ? await query(examineQuery(rule), [])
            : await query(examineQuery(rule, "$1"), [sessionId]);
        findings.push(...rows.map((row) => findingOf(rule, row)));
      }
      return findings;
    },
    { begin: "BEGIN READ ONLY" },
  );
  yield* found;
}

const RULES = examineRules({
  isIndexed:
    "EXISTS (SELECT 1 FROM message_search w WHERE w.session_id = m.session_id AND w.sequence = m.sequence AND w.part = 0)",
  kindOf: (column) => `json_typeof(${column})`,
  // As text, because JSON operators refuse a column with `\u0000` anywhere in it. Quotes within strings are escaped, so this is a key.
  references: `regexp_matches(t.attachments::text, '"hash"[[:space:]]*:[[:space:]]*"([0-9a-f]{64})"', 'g') r(found)`,
  hash: "r.found[1]",
  areOtherBytes: "encode(sha256(a.bytes), 'hex') <> a.hash",
});
