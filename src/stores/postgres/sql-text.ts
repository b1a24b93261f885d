/** How columns are asked for, so that every client gives them alike: JSON and times as text. */

import { CompactionError } from "../../core/errors.ts";
import { EVENT_COLUMNS, SESSION_COLUMNS, VERSION_COLUMNS } from "../sql/rows.ts";

const TIME_COLUMNS: ReadonlySet<string> = new Set(["created_at", "updated_at", "undone_at", "purged_at"]);

export const JSON_COLUMNS: ReadonlySet<string> = new Set([
  "metadata",
  "base",
  "preserved_message_ids",
  "plan",
  "details",
  "system_edit",
]);

/** An ISO time with milliseconds. */
export function timeText(expression: string): string {
  return `to_char(${expression} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** The column of a row, as text where a client would convert it. */
export function columnText(table: string, column: string): string {
  const expression = `${table}.${column}`;
  if (TIME_COLUMNS.has(column)) return timeText(expression);
  return JSON_COLUMNS.has(column) ? `${expression}::text` : expression;
}

/** The columns of a session that identify its state. */
export const VERSION_TEXTS = VERSION_COLUMNS.join(", ");

/** The session `s` and its head event `h` as one JSON text, under the names of `SESSION_COLUMNS`. */
export const RECORD_JSON = `json_build_object(${[
  ...SESSION_COLUMNS.map((column) => `'${column}', ${columnText("s", column)}`),
  "'system_edit', h.system_edit::text",
].join(", ")})::text`;

/** The head event `h` of the session `s`. */
export function headJoin(schema: string): string {
  return `LEFT JOIN ${schema}.compaction_events h ON h.session_id = s.id AND h.id = s.head_event_id`;
}

export const EVENT_TEXTS = EVENT_COLUMNS.map((column) => `${columnText("e", column)} AS ${column}`).join(", ");

/** The message `m` as it was written. */
export const WRITTEN_MESSAGE = messageTexts("false", "m.attachments", "m.body");

/** The message `m` with its edit in force, `d`. */
export const VIEW_MESSAGE = messageTexts(
  "d.body IS NOT NULL",
  "CASE WHEN d.body IS NULL THEN m.attachments ELSE d.attachments END",
  "coalesce(d.body, m.body)",
);

/** The edit in force, `d`, of the message `m`. */
export function editJoin(schema: string): string {
  return `LEFT JOIN ${schema}.message_edits d
    ON m.edited_by IS NOT NULL AND d.session_id = m.session_id AND d.sequence = m.sequence AND d.event_id = m.edited_by`;
}

function messageTexts(isEdited: string, attachments: string, body: string): string {
  return `m.sequence, m.order_key, m.role, m.is_preserved, m.is_summary, m.made_by, m.archived_by,
    ${isEdited} AS is_edited, ${timeText("m.created_at")} AS created_at,
    (${attachments})::text AS attachments, (${body})::text AS body`;
}

export function numberList(numbers: readonly number[]): string {
  return `{${numbers.join(",")}}`;
}

export function flagList(flags: readonly boolean[]): string {
  return `{${flags.map((flag) => (flag ? "t" : "f")).join(",")}}`;
}

export function textList(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, "\\$&")}"`).join(",")}}`;
}

/** JSON texts, as one. `json_array_elements` gives every element back as it was written, escapes and key order included. */
export function jsonList(jsonTexts: readonly (string | null)[]): string {
  return `[${jsonTexts.map((json) => json ?? "null").join(",")}]`;
}

const NAME_BYTES_MAX = 63;

export function quotedSchema(name: string): string {
  if (name === "" || name.includes("\0") || !name.isWellFormed() || Buffer.byteLength(name) > NAME_BYTES_MAX) {
    const message = `The schema's name must have 1 to ${NAME_BYTES_MAX} bytes and no NUL. Nothing was changed.`;
    throw new CompactionError("invalid-settings", message);
  }
  return `"${name.replaceAll('"', '""')}"`;
}
