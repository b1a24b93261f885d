/** The invariants of the SQL schema as data: queries, for SQLite and Postgres alike, that find nothing in a sound database. */

import { FORMAT_NAMES, type FormatName, formatRules } from "../../core/format-rules.ts";
import type { Finding } from "../../core/store/store-upkeep.ts";
import { type Row, textIn } from "./cells.ts";

export interface ExamineRule {
  readonly rule: string;
  /** Gives `session_id` and `subject`, one row for each breach. */
  readonly sql: string;
  readonly message: (subject: string) => string;
  readonly remedy: string | ((subject: string) => string);
}

/** SQL of one database. No part may fail on a column that is no JSON: a rule of its own finds that. */
interface ExamineDialect {
  /** Whether the search index has the message `m`. */
  readonly isIndexed: string;
  /** The kind of a column's JSON: `object`, `array`, `null`, `string` or `text`; anything else for another kind and for no JSON. */
  kindOf(column: string): string;
  /** One row for each reference in `t.attachments`, to stand in a FROM behind `t`. */
  readonly references: string;
  /** Of such a row: the hash of the content; null where it has none. */
  readonly hash: string;
  /** Whether the bytes of a row `a` do not match its hash; undefined where the database itself cannot tell. */
  readonly areOtherBytes?: string;
}

export function examineRules(dialect: ExamineDialect): readonly ExamineRule[] {
  return [...EXAMINE_RULES, ...sessionRules(dialect), ...jsonRules(dialect), ...attachmentRules(dialect)];
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

const BACKUP = "Restore the database from a backup.";
const RESTORE = "Somebody wrote to the tables by hand, or the disk lost data: restore the database from a backup.";

/** Of a session `s`. */
const PRESENT = "(SELECT count(*) FROM messages m WHERE m.session_id = s.id)";
const APPENDED = "(SELECT count(*) FROM messages m WHERE m.session_id = s.id AND m.made_by IS NULL)";

/** Events count up, and what they inserted names them: a gap in either shows that an event was deleted. */
const NO_EVENT_DELETED = `(SELECT coalesce(max(e.number), 0) - count(*) FROM compaction_events e WHERE e.session_id = s.id) = 0
  AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id AND m.made_by IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM compaction_events e WHERE e.id = m.made_by AND e.session_id = m.session_id))`;

const PURGED = "SELECT 1 FROM compaction_events e WHERE e.session_id = s.id AND e.purged_at IS NOT NULL";

/** Of an event `e`: rows that it took out of the view and that are there. */
const ARCHIVED = `(SELECT count(*) FROM messages m WHERE m.session_id = e.session_id AND m.archived_by = e.id
  AND coalesce(m.made_by, '') <> e.id)`;

/** A purge of an undone event deletes what that event had inserted, and that number is not stored: then only appended rows count. */
const BEYOND_PURGE = `SELECT t.session_id, CAST(t.missing - t.purged AS TEXT) AS subject FROM (
  SELECT s.id AS session_id,
    CASE WHEN EXISTS (${PURGED} AND e.undone_at IS NOT NULL) THEN s.message_count - ${APPENDED}
      ELSE s.last_sequence - ${PRESENT} END AS missing,
    (SELECT coalesce(sum(e.messages_removed - ${ARCHIVED}), 0) FROM compaction_events e
      WHERE e.session_id = s.id AND e.purged_at IS NOT NULL AND e.undone_at IS NULL) AS purged
  FROM sessions s WHERE EXISTS (${PURGED}) AND ${NO_EVENT_DELETED}) t
  WHERE t.missing > t.purged`;

const GAPS = `SELECT g.session_id, 'm' || g.low || CASE WHEN g.low = g.high THEN '' ELSE ' to m' || g.high END AS subject FROM (
  SELECT n.session_id, n.sequence - 1 AS high,
    coalesce(lag(n.sequence) OVER (PARTITION BY n.session_id ORDER BY n.sequence), 0) + 1 AS low
  FROM (SELECT m.session_id, m.sequence FROM messages m JOIN sessions s ON s.id = m.session_id AND m.sequence <= s.last_sequence
    UNION ALL SELECT s.id, s.last_sequence + 1 FROM sessions s) n) g
  JOIN sessions s ON s.id = g.session_id
  WHERE g.low <= g.high AND NOT EXISTS (${PURGED}) AND ${NO_EVENT_DELETED}`;

const MISSING_RULES: readonly ExamineRule[] = [
  {
    rule: "message-missing",
    sql: GAPS,
    message: (subject) => `Missing without a purge that would explain it: ${subject}.`,
    remedy: RESTORE,
  },
  {
    rule: "message-missing",
    sql: BEYOND_PURGE,
    message: (subject) => `More messages are missing than were purged: ${subject} more.`,
    remedy: RESTORE,
  },
  {
    rule: "archive-incomplete",
    sql: `SELECT e.session_id, e.id || ' has ' || ${ARCHIVED} || ' of ' || e.messages_removed AS subject FROM compaction_events e
      WHERE e.undone_at IS NULL AND e.purged_at IS NULL AND ${ARCHIVED} < e.messages_removed`,
    message: (subject) => `A compaction in force has not all that it took out of the view in its archive: ${subject}.`,
    remedy: `A rollback would not bring the view back as it was. ${RESTORE}`,
  },
  {
    rule: "summary-missing",
    // Where no row is missing at all, the summary was never a row of its own, or a purge has been carried over by an import.
    sql: `SELECT e.session_id, e.id AS subject FROM compaction_events e JOIN sessions s ON s.id = e.session_id
      WHERE e.undone_at IS NULL AND e.summary_content <> '' AND e.system_edit IS NULL AND ${PRESENT} < s.last_sequence
        AND NOT EXISTS (${PURGED})
        AND NOT EXISTS (SELECT 1 FROM messages m WHERE m.session_id = e.session_id AND m.made_by = e.id)
        AND NOT EXISTS (SELECT 1 FROM message_edits d WHERE d.session_id = e.session_id AND d.event_id = e.id)`,
    message: (subject) => `The summary that compaction ${subject} put into the view is not there.`,
    remedy: `Its text is in compaction_events.summary_content; a rollback of it brings back what it stood for. ${RESTORE}`,
  },
];

const REOPEN_AFTER_ROLLBACK =
  "Roll the newest compaction back; if that is refused, restore the database from a backup.";

const inForce = (session: string) =>
  `SELECT id FROM compaction_events WHERE session_id = ${session} AND undone_at IS NULL ORDER BY number DESC LIMIT 1`;

const EXAMINE_RULES: readonly ExamineRule[] = [
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

const COUNTERS = [
  "turn_count",
  "message_count",
  "compaction_count",
  "total_tokens",
  "input_tokens",
  "output_tokens",
  "context_tokens",
];

const INDEX_AGAIN =
  "Nothing is lost, but searches miss messages. Set sessions.indexed_sequence to 0: the next search makes the index anew.";

function sessionRules({ isIndexed }: ExamineDialect): readonly ExamineRule[] {
  return [
    {
      rule: "format-known",
      sql: `SELECT s.id AS session_id, s.format AS subject FROM sessions s
        WHERE s.format NOT IN (${FORMAT_NAMES.map((format) => `'${format}'`).join(", ")})`,
      message: (subject) => `The session's format is ${JSON.stringify(subject)}, which does not exist.`,
      remedy: `The session cannot be opened. Set sessions.format to the one it had: ${FORMAT_NAMES.join(", ")}.`,
    },
    {
      rule: "counter-negative",
      sql: COUNTERS.map(
        (column) => `SELECT s.id AS session_id, '${column}' AS subject FROM sessions s WHERE s.${column} < 0`,
      ).join(" UNION ALL "),
      message: (subject) => `The session's ${subject} is below zero.`,
      remedy: (subject) =>
        `Nothing is lost; the count is only shown. Set sessions.${subject} to what it should be, or 0.`,
    },
    {
      rule: "lease-without-end",
      sql: `SELECT s.id AS session_id, s.lease_holder AS subject FROM sessions s
        WHERE s.lease_holder IS NOT NULL AND s.lease_expires_at IS NULL`,
      message: (subject) =>
        `The lease of ${JSON.stringify(subject)} never ends, so nobody else can compact the session.`,
      remedy: "Set sessions.lease_holder to null.",
    },
    {
      rule: "summary-flag",
      sql: `SELECT m.session_id, 'm' || m.sequence AS subject FROM messages m WHERE m.made_by IS NOT NULL AND NOT m.is_summary`,
      message: (subject) => `Message ${subject} was inserted by a compaction, and passes for an appended one.`,
      remedy: "Set its is_summary to true.",
    },
    {
      rule: "index-beyond-last",
      sql: `SELECT s.id AS session_id, CAST(s.indexed_sequence AS TEXT) AS subject FROM sessions s
        WHERE s.indexed_sequence > s.last_sequence OR s.indexed_sequence < 0`,
      message: (subject) => `The search index says that it goes up to message ${subject}, which does not exist.`,
      remedy: INDEX_AGAIN,
    },
    {
      rule: "index-incomplete",
      sql: `SELECT m.session_id, CAST(count(*) AS TEXT) AS subject FROM messages m JOIN sessions s ON s.id = m.session_id
        WHERE m.sequence <= s.indexed_sequence AND NOT ${isIndexed} GROUP BY m.session_id`,
      message: (subject) => `The search index lacks messages that it says it has: ${subject}.`,
      remedy: INDEX_AGAIN,
    },
  ];
}

function jsonRules({ kindOf }: ExamineDialect): readonly ExamineRule[] {
  const isNot = (column: string, kinds: readonly string[]): string =>
    `${column} IS NOT NULL AND ${kindOf(column)} NOT IN (${kinds.map((kind) => `'${kind}'`).join(", ")})`;
  const columns = (table: string, owner: string, kinds: Kinds): string =>
    Object.entries(kinds)
      .map(
        ([column, known]) =>
          `SELECT ${owner} AS session_id, '${column}' AS subject FROM ${table} WHERE ${isNot(column, known)}`,
      )
      .join(" UNION ALL ");
  const bodies = (table: string): string =>
    `SELECT session_id, 'm' || sequence AS subject FROM ${table} WHERE ${isNot("body", ["object", "string", "text"])}
      OR (${isNot("attachments", ["array"])})`;
  const strange = (table: string): string =>
    `SELECT b.session_id, 'm' || b.sequence AS subject FROM ${table} b JOIN sessions s ON s.id = b.session_id
      WHERE ${kindOf("b.body")} = 'object' AND (${FORMAT_NAMES.flatMap(lacksKeys).join(" OR ")})`;
  return [
    {
      rule: "body-shape",
      sql: `${strange("messages")} UNION ALL ${strange("message_edits")}`,
      message: (subject) => `The body of message ${subject} is no message of the session's format.`,
      remedy: `Requests cannot be made while it is in the view. ${BACKUP}`,
    },
    {
      rule: "body-json",
      sql: `${bodies("messages")} UNION ALL ${bodies("message_edits")}`,
      message: (subject) =>
        `The body of message ${subject}, or what it says of its attachments, is not the JSON it was.`,
      remedy: BACKUP,
    },
    {
      rule: "session-json",
      sql: columns("sessions", "id", SESSION_KINDS),
      message: (subject) => `The session's ${subject} is no JSON object.`,
      remedy: `The session cannot be opened. ${BACKUP} Without one, set sessions.metadata or sessions.base to an object by hand.`,
    },
    {
      rule: "event-json",
      sql: columns("compaction_events", "session_id", EVENT_KINDS),
      message: (subject) => `The column ${subject} of a compaction is not the JSON it was.`,
      remedy: BACKUP,
    },
  ];
}

/** Looks for the keys anywhere in the text, which is enough to recognise JSON that was never a message. */
function lacksKeys(format: FormatName): readonly string[] {
  const lacks = formatRules(format).messageKeys.map((key) => `CAST(b.body AS TEXT) NOT LIKE '%"${key}"%'`);
  return lacks.length === 0 ? [] : [`(s.format = '${format}' AND ${lacks.join(" AND ")})`];
}

type Kinds = Readonly<Record<string, readonly string[]>>;

const SESSION_KINDS: Kinds = { base: ["object"], metadata: ["object"] };

/** An event that another program recorded has no plan. */
const EVENT_KINDS: Kinds = {
  plan: ["object", "array", "null"],
  details: ["object", "array", "null"],
  preserved_message_ids: ["array"],
  system_edit: ["object"],
};

export const ATTACHMENT_BYTES = {
  rule: "attachment-bytes",
  message: (subject: string) => `The bytes of attachment ${subject} are not those it was stored with.`,
  remedy: BACKUP,
} as const;

function attachmentRules(dialect: ExamineDialect): readonly ExamineRule[] {
  const { kindOf, references, hash, areOtherBytes } = dialect;
  const lost = (table: string): string =>
    `SELECT t.session_id, ${hash} AS subject FROM ${table} t, ${references}
      WHERE t.attachments IS NOT NULL AND ${hash} IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM attachments a WHERE a.session_id = t.session_id AND a.hash = ${hash})`;
  const missing: ExamineRule = {
    rule: "attachment-missing",
    sql: `${lost("messages")} UNION ${lost("message_edits")}`,
    message: (subject) => `The attachment ${subject} is referred to and not there.`,
    remedy: BACKUP,
  };
  const named = (table: string): string =>
    `SELECT t.session_id, ${hash} AS hash FROM ${table} t, ${references} WHERE t.attachments IS NOT NULL`;
  const isUnreadable = (table: string): string =>
    `EXISTS (SELECT 1 FROM ${table} t WHERE t.session_id = a.session_id AND t.attachments IS NOT NULL
      AND ${kindOf("t.attachments")} <> 'array')`;
  const unneeded: ExamineRule = {
    rule: "attachment-unneeded",
    sql: `SELECT a.session_id, a.hash AS subject FROM attachments a
      LEFT JOIN (${named("messages")} UNION ${named("message_edits")}) needed
        ON needed.session_id = a.session_id AND needed.hash = a.hash
      WHERE needed.hash IS NULL AND NOT ${isUnreadable("messages")} AND NOT ${isUnreadable("message_edits")}`,
    message: (subject) => `The attachment ${subject} is kept, and no message refers to it.`,
    remedy: "Nothing is lost; it only takes room. Delete that row of attachments.",
  };
  if (areOtherBytes === undefined) return [missing, unneeded];
  const sql = `SELECT a.session_id, a.hash AS subject FROM attachments a WHERE ${areOtherBytes}`;
  return [missing, unneeded, { ...ATTACHMENT_BYTES, sql }];
}
