/** A second session with everything of the first, as the work of one write transaction. Events get new ids, because those are unique in the database. */

import { invariant } from "../../core/errors.ts";
import { numberIn, textIn, textOrNullIn } from "../sql/cells.ts";
import { sessionExists } from "../sql/refusals.ts";
import type { Database } from "./database.ts";
import { seenVersion } from "./sessions.ts";

export function forkSession(
  database: Database,
  { from, to, newId, createdAt }: { from: string; to: string; newId: () => string; createdAt: string },
): void {
  const { head } = seenVersion(database, from);
  if (database.get("SELECT 1 FROM sessions WHERE id = ?", to) !== undefined) throw sessionExists(to);
  const events = database.all(
    "SELECT id, number, previous_id FROM compaction_events WHERE session_id = ? ORDER BY number",
    from,
  );
  const newIds = new Map(events.map((event) => [textIn(event, "id"), newId()]));
  const idOf = (id: string | null): string | null => (id === null ? null : (newIds.get(id) ?? null));
  database.run(COPY_SESSION, to, from, idOf(head), createdAt, createdAt, from);
  for (const event of events) {
    const id = idOf(textIn(event, "id"));
    invariant(id !== null, "every event of the fork has an id of its own");
    database.run(COPY_EVENT, id, to, idOf(textOrNullIn(event, "previous_id")), from, numberIn(event, "number"));
  }
  database.run(COPY_ATTACHMENTS, to, from);
  database.run(COPY_MESSAGES, to, to, to, to, from);
  database.run(COPY_EDITS, to, to, from);
}

// No lease comes along, and the index is filled when somebody searches.
const COPY_SESSION = `INSERT INTO sessions (id, parent_id, head_event_id, created_at, updated_at, format, agent_id, last_sequence, revision,
  weak_passes, pass_tokens_after, total_tokens, is_total_stale, input_tokens, output_tokens, context_tokens, compaction_count,
  memory_flush_compaction_count, turn_count, message_count, metadata, base)
SELECT ?, ?, ?, ?, ?, format, agent_id, last_sequence, revision, weak_passes, pass_tokens_after, total_tokens, is_total_stale,
  input_tokens, output_tokens, context_tokens, compaction_count, memory_flush_compaction_count, turn_count, message_count, metadata, base
FROM sessions WHERE id = ?`;

const EVENT_CONTENT = `number, strategy, profile, trigger_reason, original_tokens, compacted_tokens, messages_removed, is_compaction,
  summary_content, preserved_message_ids, model_used, prompt_version, calls, cost_usd, whole_ratio, zone_ratio, duration_ms,
  first_kept_id, instructions, plan, details, system_edit, created_at, undone_at, purged_at`;
const COPY_EVENT = `INSERT INTO compaction_events (id, session_id, previous_id, ${EVENT_CONTENT})
SELECT ?, ?, ?, ${EVENT_CONTENT} FROM compaction_events WHERE session_id = ? AND number = ?`;

const COPY_ATTACHMENTS =
  "INSERT INTO attachments (session_id, hash, bytes) SELECT ?, hash, bytes FROM attachments WHERE session_id = ?";

/**
 * The fork's own event in the place of the one with that id: both have the same number. Takes the fork's id. A value stands as
 * often as it is needed, because older versions of Node bind none to a numbered place.
 */
const renamed = (id: string): string =>
  `(SELECT n.id FROM compaction_events o JOIN compaction_events n ON n.session_id = ? AND n.number = o.number WHERE o.id = ${id})`;

// A maker that is no longer there keeps its old name, so that the message still counts as inserted.
const COPY_MESSAGES = `INSERT INTO messages (session_id, sequence, order_key, role, is_preserved, is_summary, made_by, archived_by,
  edited_by, created_at, attachments, body)
SELECT ?, sequence, order_key, role, is_preserved, is_summary, coalesce(${renamed("made_by")}, made_by),
  ${renamed("archived_by")}, ${renamed("edited_by")}, created_at, attachments, body
FROM messages WHERE session_id = ? ORDER BY sequence`;

const COPY_EDITS = `INSERT INTO message_edits (session_id, event_id, sequence, kind, attachments, body)
SELECT ?, ${renamed("event_id")}, sequence, kind, attachments, body FROM message_edits WHERE session_id = ?`;
