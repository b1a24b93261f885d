/** Rules about the kind of JSON that a column holds. How a kind is told differs, so each database brings its own way. Only reads. */

import { FORMAT_NAMES, type FormatName, formatRules } from "../../core/format-rules.ts";
import type { ExamineRule } from "./examine.ts";

const BACKUP = "Restore the database from a backup.";

/**
 * `kindOf` is SQL for the kind of a column's JSON: `object`, `array`, `null`, `string` or `text`, anything else for another kind, and
 * for what is no JSON at all. It must not fail on what is none.
 */
export function jsonRules(kindOf: (column: string) => string): readonly ExamineRule[] {
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

/** Looks for the keys anywhere in the text, which is enough to tell what was never a message. */
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

/** SQL of one database. Neither part may fail on a column that is no JSON: another rule tells of that. */
export interface AttachmentDialect {
  /** As `jsonRules` asks for it. */
  kindOf(column: string): string;
  /** One row for each reference in `t.attachments`, to stand in a FROM behind `t`. */
  readonly references: string;
  /** Of such a row: the name of the content; null where it has none. */
  readonly hash: string;
  /** Whether the bytes of a row `a` are not those of its name; undefined where the database itself cannot tell. */
  readonly areOtherBytes?: string;
}

export const ATTACHMENT_BYTES = {
  rule: "attachment-bytes",
  message: (subject: string) => `The bytes of attachment ${subject} are not those it was stored with.`,
  remedy: BACKUP,
} as const;

export function attachmentRules({
  kindOf,
  references,
  hash,
  areOtherBytes,
}: AttachmentDialect): readonly ExamineRule[] {
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
