/**
 * One compaction, one transaction: the event, its marks and edits, what it inserts, the session. The session's row is locked first,
 * so appends wait for the moment of the commit and for nothing else. All or nothing.
 */

import { countersAfterCompaction, isOvertaken } from "../../core/store/counters.ts";
import type { Commit, Committed, Waiting } from "../../core/store/store.ts";
import { flagIn, numberIn, type Row } from "../sql/cells.ts";
import { detachBody } from "../sql/detached-body.ts";
import { type CommitTargets, checkCommit, leaseLost, notInView } from "../sql/refusals.ts";
import { countersOf, EVENT_COLUMNS, eventCells, messageIdOf, versionOf } from "../sql/rows.ts";
import type { Database, Statement, Transaction } from "./database.ts";
import { codeOf } from "./failures.ts";
import { attachmentValues, insertAttachments } from "./messages.ts";
import { type LockedSession, lockSession } from "./sessions.ts";
import { flagList, JSON_COLUMNS, jsonList, numberList, textList, VERSION_TEXTS } from "./sql-text.ts";

export async function commit(
  database: Database,
  sessionId: string,
  { change, eventId, ...waiting }: Waiting & { readonly change: Commit; readonly eventId: string },
): Promise<Committed> {
  const { schema } = database;
  const body = async (transaction: Transaction): Promise<Committed> => {
    const locked = await lockSession(transaction, { schema, sessionId });
    const { row, now } = locked;
    const ground = {
      leaseToken: numberIn(row, "lease_token"),
      isLeaseLive: flagIn(row, "is_lease_live"),
      revision: numberIn(row, "revision"),
    };
    const targets = checkCommit(ground, change);
    const work: Work = { schema, sessionId, eventId, change, targets, locked };
    const [, marked, finished] = await writeAll(transaction, work).catch(refuseMissing);
    checkMarks(marked, targets);
    const [session] = finished ?? [];
    if (session === undefined) throw leaseLost();
    const version = versionOf(session);
    const first = version.sequence - change.inserted.length + 1;
    return { version, eventId, insertedIds: change.inserted.map((_, at) => messageIdOf(first + at)), createdAt: now };
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
  readonly change: Commit;
  readonly targets: CommitTargets;
  readonly locked: LockedSession;
}

async function writeAll(transaction: Transaction, work: Work): Promise<readonly (readonly Row[])[]> {
  const { change, schema, sessionId } = work;
  const edits = change.edits.map(({ body, attachments }) => detachBody(body, attachments));
  const inserted = change.inserted.map(({ body, attachments }) => detachBody(body, attachments));
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

function eventStatement({ schema, sessionId, eventId, change, locked }: Work): Statement {
  const { head } = versionOf(locked.row);
  const cells = eventCells(
    {
      ...change.event,
      id: eventId,
      sessionId,
      number: 0,
      previousId: head,
      createdAt: locked.now,
      undoneAt: null,
      purgedAt: null,
    },
    change.system,
  );
  const columns = EVENT_COLUMNS.filter((column) => column !== "number");
  const places = columns.map((column, index) =>
    JSON_COLUMNS.has(column) ? `$${index + 1}::text::json` : `$${index + 1}`,
  );
  const session = `$${columns.indexOf("session_id") + 1}`;
  const text = `INSERT INTO ${schema}.compaction_events (${columns.join(", ")}, number)
    VALUES (${places.join(", ")},
      (SELECT coalesce(max(number), 0) + 1 FROM ${schema}.compaction_events WHERE session_id = ${session}))`;
  return [text, columns.map((column) => cells[column])];
}

type Bodies = readonly { readonly body: string; readonly attachments: string | null }[];

/** Marks what is in the view and may go; how many that were tells whether all of them could be. */
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

function editStatement({ schema, sessionId, eventId, change, targets }: Work, edits: Bodies): Statement {
  const text = `INSERT INTO ${schema}.message_edits (session_id, sequence, event_id, kind, attachments, body)
    SELECT $1, d.sequence, $2::text, d.kind, CASE WHEN d.attachments::text <> 'null' THEN d.attachments END, d.body
    FROM ROWS FROM (unnest($3::text::bigint[]), unnest($4::text::text[]), json_array_elements($5::text::json),
      json_array_elements($6::text::json)) AS d(sequence, kind, attachments, body)`;
  const values = [
    sessionId,
    eventId,
    numberList(targets.edited),
    textList(change.edits.map(({ kind }) => kind)),
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
function finishStatement({ schema, sessionId, eventId, change, locked }: Work, inserted: Bodies): Statement {
  const counters = countersAfterCompaction(countersOf(locked.row), {
    totalTokens: change.totalTokens,
    isCompaction: change.event.isCompaction,
    isOvertaken: isOvertaken(change, versionOf(locked.row).sequence),
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
    change.lease.token,
    counters.totalTokens,
    counters.isTotalStale,
    counters.inputTokens,
    counters.outputTokens,
    counters.compactionCount,
    change.passes.weak,
    change.passes.tokensAfter,
    locked.now,
    numberList(change.inserted.map(({ order }) => order)),
    textList(change.inserted.map(({ role }) => role)),
    flagList(change.inserted.map(({ isPinned }) => isPinned === true)),
    jsonList(inserted.map(({ attachments }) => attachments)),
    jsonList(inserted.map(({ body }) => body)),
  ];
  return [text, values];
}
