/**
 * Rules about binary content: what is referred to is there, and is what its name says, and nothing else is kept. How references are read from a column differs,
 * so each database brings its own way. Only reads.
 */

import type { ExamineRule } from "./examine-rules.ts";

const BACKUP = "Restore the database from a backup.";

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
