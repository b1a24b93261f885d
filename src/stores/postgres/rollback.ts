/** Takes compactions back, in one transaction: exactly their marks, edits and summaries, and nothing that came since. */

import { countersAfterRollback } from "../../core/store/counters.ts";
import type { Rollback, RolledBack, Waiting } from "../../core/store/store.ts";
import { flagIn, textIn, timeOrNullIn } from "../sql/cells.ts";
import { compactionsIn, planRollback } from "../sql/refusals.ts";
import { countersOf, versionOf } from "../sql/rows.ts";
import type { Database, Transaction } from "./database.ts";
import { lockSession } from "./sessions.ts";
import { columnText, textList, VERSION_TEXTS } from "./sql-text.ts";

export async function rollBack(
  database: Database,
  sessionId: string,
  rollback: Rollback,
  waiting: Waiting = {},
): Promise<RolledBack> {
  const { schema } = database;
  const body = async (transaction: Transaction): Promise<RolledBack> => {
    const { row, now } = await lockSession(transaction, { schema, sessionId });
    const { undone, head } = planRollback(await eventsInForce(transaction, { schema, sessionId }), rollback);
    const undoneIds = undone.map(({ id }) => id);
    const after = countersAfterRollback(countersOf(row), compactionsIn(undone));
    const events = textList(undoneIds);
    const [, , , , sessions] = await transaction.pipeline([
      [
        `UPDATE ${schema}.compaction_events SET undone_at = $3::text::timestamptz
         WHERE session_id = $1 AND id = ANY($2::text[])`,
        [sessionId, events, now],
      ],
      [returnText(schema), [sessionId, events], "planned"],
      [hideText(schema), [sessionId, events], "planned"],
      [uneditText(schema), [sessionId, events], "planned"],
      [
        `UPDATE ${schema}.sessions SET head_event_id = $2, revision = revision + 1, compaction_count = $3::integer,
           memory_flush_compaction_count = $5::integer, is_total_stale = true, input_tokens = 0, output_tokens = 0,
           weak_passes = 0, pass_tokens_after = 0, updated_at = $4::text::timestamptz
         WHERE id = $1 RETURNING ${VERSION_TEXTS}`,
        [sessionId, head, after.compactionCount, now, after.memoryFlushCompactionCount],
      ],
    ]);
    return { version: versionOf(sessions?.[0] ?? {}), undoneIds };
  };
  return database.transaction("roll the compaction back", body, waiting);
}

async function eventsInForce(
  { query }: Transaction,
  { schema, sessionId }: { readonly schema: string; readonly sessionId: string },
) {
  const rows = await query(
    `SELECT e.id, e.is_compaction, ${columnText("e", "purged_at")} AS purged_at FROM ${schema}.compaction_events e
     WHERE e.session_id = $1 AND e.undone_at IS NULL ORDER BY e.number DESC`,
    [sessionId],
  );
  return rows.map((row) => ({
    id: textIn(row, "id"),
    isCompaction: flagIn(row, "is_compaction"),
    purgedAt: timeOrNullIn(row, "purged_at"),
  }));
}

/** What they archived comes back. */
function returnText(schema: string): string {
  return `UPDATE ${schema}.messages SET archived_by = NULL WHERE session_id = $1 AND archived_by = ANY($2::text[])`;
}

/** What they made is hidden by its own event. */
function hideText(schema: string): string {
  return `UPDATE ${schema}.messages SET archived_by = made_by WHERE session_id = $1 AND made_by = ANY($2::text[])`;
}

/** The newest edit still in force counts again. */
function uneditText(schema: string): string {
  return `UPDATE ${schema}.messages m SET edited_by = (
      SELECT d.event_id FROM ${schema}.message_edits d
      JOIN ${schema}.compaction_events e ON e.session_id = d.session_id AND e.id = d.event_id
      WHERE d.session_id = $1 AND d.sequence = m.sequence AND e.undone_at IS NULL
      ORDER BY e.number DESC LIMIT 1)
    WHERE m.session_id = $1 AND m.edited_by = ANY($2::text[])
      AND m.sequence IN (SELECT sequence FROM ${schema}.message_edits WHERE session_id = $1 AND event_id = ANY($2::text[]))`;
}
