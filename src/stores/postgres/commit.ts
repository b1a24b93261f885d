/** Commits a compaction and rolls it back, each in one transaction that locks the session's row first. A rollback deletes nothing. */

import { countersAfterCompaction, countersAfterRollback } from "../../core/store/counters.ts";
import type { Commit, CommitResult, Rollback, RollbackResult, Waiting } from "../../core/store/store.ts";
import { messageIdOf } from "../../core/store/store-rules.ts";
import { type CommitTargets, checkCommit, leaseLost, notInView, planRollback } from "../refusals.ts";
import { flagIn, numberIn, type Row } from "../sql/cells.ts";
import { detachBody } from "../sql/detached-body.ts";
import { countersOf, EVENT_COLUMNS, eventCells, eventInForceOf, versionOf } from "../sql/rows.ts";
import { codeOf } from "./client.ts";
import type { Database, Statement, Transaction } from "./database.ts";
import { attachmentValues, insertAttachments } from "./messages.ts";
import { type LockedSession, lockSession } from "./sessions.ts";
import { columnText, flagList, JSON_COLUMNS, jsonList, numberList, textList, VERSION_TEXTS } from "./sql-text.ts";

export async function commitCompaction(
  database: Database,
  sessionId: string,
  { commit, eventId, ...waiting }: Waiting & { readonly commit: Commit; readonly eventId: string },
): Promise<CommitResult> {
  const { schema } = database;
  const body = async (transaction: Transaction): Promise<CommitResult> => {
    const locked = await lockSession(transaction, { schema, sessionId });
    const { row, now } = locked;
    const isLeaseHeld = numberIn(row, "lease_token") === commit.lease.token && flagIn(row, "is_lease_live");
    const targets = checkCommit({ isLeaseHeld, revision: numberIn(row, "revision") }, commit);
    const work: Work = { schema, sessionId, eventId, commit, targets, locked };
    const [, marked, finished] = await writeAll(transaction, work).catch(refuseMissing);
    checkMarks(marked, targets);
    const [session] = finished ?? [];
    if (session === undefined) throw leaseLost();
    const version = versionOf(session);
    const first = version.sequence - commit.inserted.length + 1;
    return { version, eventId, insertedIds: commit.inserted.map((_, at) => messageIdOf(first + at)), createdAt: now };
  };
  return database.transaction("commit the compaction", body, waiting);
}

/** An edit can break no other reference than the one to its message. */
function refuseMissing(error: unknown): never {
  throw codeOf(error) === FOREIGN_KEY_VIOLATION ? notInView("edit") : error;
}

const FOREIGN_KEY_VIOLATION = "23503";

interface Work {
  readonly schema: string;
  readonly sessionId: string;
  readonly eventId: string;
  readonly commit: Commit;
  readonly targets: CommitTargets;
  readonly locked: LockedSession;
}

async function writeAll(transaction: Transaction, work: Work): Promise<readonly (readonly Row[])[]> {
  const { commit, schema, sessionId } = work;
  const edits = commit.edits.map(({ body, attachments }) => detachBody(body, attachments));
  const inserted = commit.inserted.map(({ body, attachments }) => detachBody(body, attachments));
  const blobs = [...edits, ...inserted].flatMap((body) => body.blobs);
  const attached: readonly Statement[] =
    blobs.length === 0 ? [] : [[insertAttachments(schema, "$2", "$3"), [sessionId, ...attachmentValues(blobs)]]];
  const edited = edits.length === 0 ? [] : [editStatement(work, edits)];
  return transaction.pipeline([
    eventStatement(work),
    markStatement(work),
    finishStatement(work, inserted),
    ...edited,
    ...attached,
  ]);
}

function eventStatement({ schema, sessionId, eventId, commit, locked }: Work): Statement {
  const { head: previousId } = versionOf(locked.row);
  const marks = {
    id: eventId,
    sessionId,
    number: 0,
    previousId,
    createdAt: locked.now,
    undoneAt: null,
    purgedAt: null,
  };
  // In place of the number stands one more than the highest so far.
  const places = EVENT_COLUMNS.map((column, index) => {
    const place = `$${index + 1}`;
    if (column === "number")
      return `${place}::integer + (SELECT coalesce(max(number), 0) + 1
      FROM ${schema}.compaction_events WHERE session_id = $${EVENT_COLUMNS.indexOf("session_id") + 1})`;
    return JSON_COLUMNS.has(column) ? `${place}::text::json` : place;
  });
  const text = `INSERT INTO ${schema}.compaction_events (${EVENT_COLUMNS.join(", ")}) VALUES (${places.join(", ")})`;
  return [text, eventCells({ ...commit.event, ...marks }, commit.system)];
}

type Bodies = readonly { readonly body: string; readonly attachments: string | null }[];

/** Marks the rows that are in the view and may go. The counts show whether these were all. */
function markStatement({ schema, sessionId, eventId, targets }: Work): Statement {
  const text = `WITH marked AS (
      UPDATE ${schema}.messages m SET
        archived_by = CASE WHEN m.sequence = ANY($3::bigint[]) THEN $2::text END,
        edited_by = CASE WHEN m.sequence = ANY($4::bigint[]) THEN $2::text ELSE m.edited_by END
      WHERE m.session_id = $1 AND m.sequence = ANY($5::bigint[]) AND m.archived_by IS NULL
        AND (NOT m.is_preserved OR m.is_summary OR NOT m.sequence = ANY($3::bigint[]))
      RETURNING m.archived_by IS NOT NULL AS is_archived, m.edited_by IS NOT DISTINCT FROM $2::text AS is_edited
    )
    SELECT count(*) FILTER (WHERE is_archived) AS archived, count(*) FILTER (WHERE is_edited) AS edited FROM marked`;
  const { archived, edited } = targets;
  const all = [...new Set([...archived, ...edited])];
  const values = [sessionId, eventId, numberList(archived), numberList(edited), numberList(all)];
  return [text, values, "planned"];
}

function editStatement({ schema, sessionId, eventId, commit, targets }: Work, edits: Bodies): Statement {
  const text = `INSERT INTO ${schema}.message_edits (session_id, sequence, event_id, kind, attachments, body)
    SELECT $1, d.sequence, $2::text, d.kind, CASE WHEN d.attachments::text <> 'null' THEN d.attachments END, d.body
    FROM ROWS FROM (unnest($3::text::bigint[]), unnest($4::text::text[]), json_array_elements($5::text::json),
      json_array_elements($6::text::json)) AS d(sequence, kind, attachments, body)`;
  const values = [
    sessionId,
    eventId,
    numberList(targets.edited),
    textList(commit.edits.map(({ kind }) => kind)),
    jsonList(edits.map(({ attachments }) => attachments)),
    jsonList(edits.map(({ body }) => body)),
  ];
  return [text, values];
}

function checkMarks(rows: readonly Row[] | undefined, { archived, edited }: CommitTargets): void {
  const [row] = rows ?? [];
  if (row === undefined || numberIn(row, "archived") !== archived.length) throw notInView("archive");
  if (numberIn(row, "edited") !== edited.length) throw notInView("edit");
}

/** Looks at the lease once more: a wait may have come between. */
function finishStatement({ schema, sessionId, eventId, commit, locked }: Work, inserted: Bodies): Statement {
  const counters = countersAfterCompaction(countersOf(locked.row), {
    totalTokens: commit.totalTokens,
    isCompaction: commit.event.isCompaction,
    isOvertaken: versionOf(locked.row).sequence > commit.sequence,
  });
  const text = `WITH session AS (
      UPDATE ${schema}.sessions SET
        head_event_id = $2::text, last_sequence = last_sequence + $3::bigint, revision = revision + 1,
        total_tokens = $5::bigint, is_total_stale = $6::boolean, input_tokens = $7::bigint, output_tokens = $8::bigint,
        compaction_count = $9::integer, weak_passes = $10::integer, pass_tokens_after = $11::bigint,
        updated_at = $12::text::timestamptz
      WHERE id = $1 AND lease_token = $4::bigint AND lease_holder IS NOT NULL AND lease_expires_at > clock_timestamp()
      RETURNING id, last_sequence, revision, head_event_id, incarnation, updated_at
    ), added AS (
      INSERT INTO ${schema}.messages (session_id, sequence, order_key, role, is_preserved, is_summary, made_by, created_at,
        attachments, body)
      SELECT session.id, session.last_sequence - $3::bigint + b.number, b.order_key, b.role, b.is_preserved, true, $2::text,
        session.updated_at, CASE WHEN b.attachments::text <> 'null' THEN b.attachments END, b.body
      FROM session, ROWS FROM (
        unnest($13::text::double precision[]), unnest($14::text::text[]), unnest($15::text::boolean[]),
        json_array_elements($16::text::json), json_array_elements($17::text::json)
      ) WITH ORDINALITY AS b(order_key, role, is_preserved, attachments, body, number)
    )
    SELECT ${VERSION_TEXTS} FROM session`;
  const values = [
    sessionId,
    eventId,
    inserted.length,
    commit.lease.token,
    counters.totalTokens,
    counters.isTotalStale,
    counters.inputTokens,
    counters.outputTokens,
    counters.compactionCount,
    commit.passes.weak,
    commit.passes.tokensAfter,
    locked.now,
    numberList(commit.inserted.map(({ order }) => order)),
    textList(commit.inserted.map(({ role }) => role)),
    flagList(commit.inserted.map(({ isPinned }) => isPinned === true)),
    jsonList(inserted.map(({ attachments }) => attachments)),
    jsonList(inserted.map(({ body }) => body)),
  ];
  return [text, values];
}

export async function rollBack(
  database: Database,
  sessionId: string,
  rollback: Rollback,
  waiting: Waiting = {},
): Promise<RollbackResult> {
  const { schema } = database;
  const body = async (transaction: Transaction): Promise<RollbackResult> => {
    const { row, now } = await lockSession(transaction, { schema, sessionId });
    const inForce = (await transaction.query(inForceText(schema), [sessionId])).map(eventInForceOf);
    const { undoneIds, compactions, head } = planRollback(inForce, rollback);
    const after = countersAfterRollback(countersOf(row), compactions);
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

function inForceText(schema: string): string {
  return `SELECT e.id, e.is_compaction, ${columnText("e", "purged_at")} AS purged_at FROM ${schema}.compaction_events e
    WHERE e.session_id = $1 AND e.undone_at IS NULL ORDER BY e.number DESC`;
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
