/**
 * The invariants of the SQL schema as data: each rule is a query that finds nothing in a sound database. Plain SQL that SQLite and
 * Postgres both understand, over the tables of `schema.sql`. Only reads.
 */

import type { Finding } from "../../core/store/store.ts";
import { type Row, textIn } from "./cells.ts";
import { APPENDED, MISSING_RULES, PRESENT, RESTORE } from "./examine-missing.ts";

export interface ExamineRule {
  readonly rule: string;
  /** Gives `session_id` and `subject`, one row for each breach. */
  readonly sql: string;
  readonly message: (subject: string) => string;
  readonly remedy: string | ((subject: string) => string);
}

/** The rule's query for all sessions, or for the one whose id is bound at `placeholder`; bounded, because one defect may have many rows. */
export function examineQuery({ sql }: ExamineRule, placeholder?: string): string {
  const where = placeholder === undefined ? "" : ` WHERE found.session_id = ${placeholder}`;
  return `SELECT found.session_id, found.subject FROM (${sql}) AS found${where} ORDER BY 1, 2 LIMIT ${FINDINGS_PER_RULE_MAX}`;
}

export function findingOf(rule: ExamineRule, row: Row): Finding {
  const subject = textIn(row, "subject");
  return {
    sessionId: textIn(row, "session_id"),
    rule: rule.rule,
    message: rule.message(subject),
    remedy: typeof rule.remedy === "string" ? rule.remedy : rule.remedy(subject),
  };
}

const FINDINGS_PER_RULE_MAX = 100;

const REOPEN_AFTER_ROLLBACK =
  "Roll the newest compaction back; if that is refused, restore the database from a backup.";

const inForce = (session: string) =>
  `SELECT id FROM compaction_events WHERE session_id = ${session} AND undone_at IS NULL ORDER BY number DESC LIMIT 1`;

export const EXAMINE_RULES: readonly ExamineRule[] = [
  {
    rule: "head-in-force",
    sql: `SELECT s.id AS session_id, coalesce(s.head_event_id, 'none') AS subject FROM sessions s
      WHERE coalesce(s.head_event_id, '') <> coalesce((${inForce("s.id")}), '')`,
    message: (subject) => `The session's head is ${subject}, which is not its newest compaction in force.`,
    remedy: RESTORE,
  },
  {
    rule: "compaction-count",
    sql: `SELECT s.id AS session_id, CAST(s.compaction_count AS TEXT) AS subject FROM sessions s
      WHERE s.compaction_count <> (SELECT count(*) FROM compaction_events e
        WHERE e.session_id = s.id AND e.undone_at IS NULL AND e.is_compaction)`,
    message: (subject) => `The session counts ${subject} compactions, which is not how many are in force.`,
    remedy: "Nothing is lost; the count is only shown. Set sessions.compaction_count to the number in force.",
  },
  {
    rule: "sequence-beyond-last",
    sql: `SELECT m.session_id, 'm' || m.sequence AS subject FROM messages m
      JOIN sessions s ON s.id = m.session_id WHERE m.sequence > s.last_sequence`,
    message: (subject) => `Message ${subject} has a number that the session has not given out yet.`,
    remedy: "Set sessions.last_sequence to the highest number of its messages before anything is appended.",
  },
  ...MISSING_RULES,
  {
    rule: "message-count",
    sql: `SELECT s.id AS session_id, CAST(${APPENDED} AS TEXT) AS subject FROM sessions s
      WHERE ${PRESENT} = s.last_sequence AND s.message_count <> ${APPENDED}`,
    message: (subject) => `The session's count of appended messages is wrong: all of them are there, ${subject}.`,
    remedy: (subject) => `Nothing is lost; the count is only shown. Set sessions.message_count to ${subject}.`,
  },
  {
    rule: "message-count",
    sql: `SELECT s.id AS session_id, CAST(s.message_count AS TEXT) AS subject FROM sessions s
      WHERE ${PRESENT} <> s.last_sequence AND (s.message_count < ${APPENDED}
        OR s.message_count + (SELECT count(*) FROM messages m WHERE m.session_id = s.id AND m.made_by IS NOT NULL) > s.last_sequence)`,
    message: (subject) => `The session counts ${subject} appended messages, which cannot be.`,
    remedy: RESTORE,
  },
  {
    rule: "order-of-appended",
    sql: `SELECT m.session_id, 'm' || m.sequence AS subject FROM messages m
      WHERE m.made_by IS NULL AND m.order_key <> m.sequence`,
    message: (subject) => `Message ${subject} was appended, yet does not stand at its own number.`,
    remedy: "Set its order_key to its sequence.",
  },
  {
    rule: "order-unique",
    sql: `SELECT m.session_id, 'm' || max(m.sequence) AS subject FROM messages m
      WHERE m.archived_by IS NULL GROUP BY m.session_id, m.order_key HAVING count(*) > 1`,
    message: (subject) => `Message ${subject} stands at the same place of the view as another one.`,
    remedy: REOPEN_AFTER_ROLLBACK,
  },
  {
    rule: "archived-by-in-force",
    sql: `SELECT m.session_id, 'm' || m.sequence AS subject FROM messages m
      JOIN compaction_events e ON e.id = m.archived_by AND e.session_id = m.session_id
      WHERE e.undone_at IS NOT NULL AND coalesce(m.made_by, '') <> m.archived_by`,
    message: (subject) => `Message ${subject} is archived by a compaction that was undone.`,
    remedy: "Set its archived_by to null: it belongs in the view.",
  },
  {
    rule: "archived-by-gone",
    sql: `SELECT m.session_id, m.archived_by || ' archived ' || count(*) AS subject FROM messages m
      WHERE m.archived_by IS NOT NULL AND NOT EXISTS (SELECT 1 FROM compaction_events e
        WHERE e.id = m.archived_by AND e.session_id = m.session_id) GROUP BY m.session_id, m.archived_by`,
    message: (subject) =>
      `A compaction is gone, and what it took out of the view is kept but in no view any more: ${subject}.`,
    remedy:
      "Restore the database from a backup, or keep it as it is: `palimpsest export --all` still has those messages. " +
      "Do not clear archived_by while a summary stands for them, or they are in the view twice.",
  },
  {
    rule: "made-by-in-force",
    sql: `SELECT m.session_id, 'm' || m.sequence AS subject FROM messages m
      JOIN compaction_events e ON e.id = m.made_by
      WHERE (e.undone_at IS NOT NULL AND m.archived_by IS NULL) OR (e.undone_at IS NULL AND m.archived_by = m.made_by)`,
    message: (subject) =>
      `Message ${subject} is a summary that is shown though it was undone, or hidden though it was not.`,
    remedy: RESTORE,
  },
  {
    rule: "edit-in-force",
    sql: `SELECT m.session_id, 'm' || m.sequence AS subject FROM messages m
      WHERE m.edited_by IS NOT NULL AND NOT EXISTS (SELECT 1 FROM message_edits d
        JOIN compaction_events e ON e.id = d.event_id AND e.undone_at IS NULL
        WHERE d.session_id = m.session_id AND d.sequence = m.sequence AND d.event_id = m.edited_by)
      UNION SELECT d.session_id, 'm' || d.sequence AS subject FROM message_edits d
      JOIN compaction_events e ON e.id = d.event_id AND e.undone_at IS NULL
      JOIN messages m ON m.session_id = d.session_id AND m.sequence = d.sequence
      LEFT JOIN compaction_events n ON n.id = m.edited_by
      WHERE n.id IS NULL OR n.number < e.number`,
    message: (subject) => `Message ${subject} is not shown with the newest edit in force.`,
    remedy: RESTORE,
  },
  {
    rule: "event-chain",
    sql: `SELECT e.session_id, e.id AS subject FROM compaction_events e
      JOIN compaction_events p ON p.id = e.previous_id
      WHERE p.session_id <> e.session_id OR p.number >= e.number OR (e.undone_at IS NULL AND p.undone_at IS NOT NULL)`,
    message: (subject) => `Compaction ${subject} rests on one that is of another session, later, or undone.`,
    remedy: RESTORE,
  },
];
