/**
 * Rules about binary content: what is referred to is there, and is what its name says. How references are read from a column differs,
 * so each database brings its own way. Only reads.
 */

import type { ExamineRule } from "./examine-rules.ts";

const BACKUP = "Restore the database from a backup.";

/** SQL of one database. Neither part may fail on a column that is no JSON: another rule tells of that. */
export interface AttachmentDialect {
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

export function attachmentRules({ references, hash, areOtherBytes }: AttachmentDialect): readonly ExamineRule[] {
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
  if (areOtherBytes === undefined) return [missing];
  const sql = `SELECT a.session_id, a.hash AS subject FROM attachments a WHERE ${areOtherBytes}`;
  return [missing, { ...ATTACHMENT_BYTES, sql }];
}
