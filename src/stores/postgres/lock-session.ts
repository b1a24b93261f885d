/** The session's row, locked until the transaction ends: whoever changes more than by appending waits here for the others. */

import { type Row, timeIn } from "../sql/cells.ts";
import { sessionMissing } from "../sql/refusals.ts";
import { timeText, VERSION_TEXTS } from "./columns.ts";
import type { Transaction } from "./database.ts";

export interface LockedSession {
  readonly row: Row;
  /** By the database's clock, once the lock was had. */
  readonly now: string;
}

export async function lockSession(
  { query }: Transaction,
  { schema, sessionId }: { readonly schema: string; readonly sessionId: string },
): Promise<LockedSession> {
  // The outer query runs once the row is locked, so its clock is not that of a wait.
  const [row] = await query(
    `WITH locked AS MATERIALIZED (SELECT * FROM ${schema}.sessions WHERE id = $1 FOR UPDATE)
     SELECT ${VERSION_TEXTS}, lease_token, total_tokens, is_total_stale, input_tokens, output_tokens,
       context_tokens, compaction_count, memory_flush_compaction_count, turn_count, message_count,
       coalesce(lease_holder IS NOT NULL AND lease_expires_at > clock_timestamp(), false) AS is_lease_live,
       ${timeText("clock_timestamp()")} AS now
     FROM locked`,
    [sessionId],
  );
  if (row === undefined) throw sessionMissing(sessionId);
  return { row, now: timeIn(row, "now") };
}
