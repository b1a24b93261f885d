/**
 * Deletes what events before a time (as `purgeTime` writes it) archived, in one transaction, and marks those events: they can no longer
 * be undone. Binary content that only the deleted messages referred to goes with them.
 */

import type { Waiting } from "../../core/store/store.ts";
import { numberIn } from "../sql/cells.ts";
import type { Database, Transaction } from "./database.ts";
import { lockSession } from "./sessions.ts";

export async function purge(
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
