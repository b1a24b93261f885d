/** A copy of a session from one moment of it, made inside the database, with event ids of its own and no lease. */

import type { Waiting } from "../../core/store/store.ts";
import { textIn } from "../sql/cells.ts";
import { sessionExists, sessionMissing } from "../sql/refusals.ts";
import { EVENT_COLUMNS, SESSION_COLUMNS } from "../sql/rows.ts";
import type { Database } from "./database.ts";
import { textList } from "./sql-text.ts";

export interface NewFork extends Waiting {
  readonly newSessionId: string;
  readonly newEventId: () => string;
}

export async function fork(
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
      ]);
    },
    { begin, ...waiting },
  );
}

const MESSAGE_COLUMNS = [
  "session_id",
  "sequence",
  "order_key",
  "role",
  "is_preserved",
  "is_summary",
  "made_by",
  "archived_by",
  "edited_by",
  "created_at",
  "attachments",
  "body",
];
const EDIT_COLUMNS = ["session_id", "sequence", "event_id", "kind", "attachments", "body"];

/** Columns that name an event, by table; they get the copy's name for it. */
const EVENT_NAMES: Readonly<Record<string, readonly string[]>> = {
  sessions: ["head_event_id"],
  compaction_events: ["id", "previous_id"],
  messages: ["made_by", "archived_by", "edited_by"],
  message_edits: ["event_id"],
};

/** What no copy has from the first: the fork is another session. */
const OWN_COLUMNS: ReadonlySet<string> = new Set(["id", "parent_id", "incarnation", "created_at", "updated_at"]);

function sessionCopy(schema: string): string {
  const copied = SESSION_COLUMNS.filter((column) => !OWN_COLUMNS.has(column));
  return `INSERT INTO ${schema}.sessions (id, parent_id, ${copied.join(", ")})
    SELECT $2, $1, ${cells("sessions", copied)} FROM ${schema}.sessions t ${nameJoins("sessions")} WHERE t.id = $1
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
