/** Every rule that a database is examined by: one list for SQLite and Postgres, each in its own dialect where they differ. */

import { type AttachmentDialect, attachmentRules } from "./examine-attachments.ts";
import { jsonRules } from "./examine-json.ts";
import { EXAMINE_RULES, type ExamineRule } from "./examine-rules.ts";
import { type SessionDialect, sessionRules } from "./examine-session.ts";

export interface ExamineDialect extends AttachmentDialect, SessionDialect {}

export function examineRules(dialect: ExamineDialect): readonly ExamineRule[] {
  return [...EXAMINE_RULES, ...sessionRules(dialect), ...jsonRules(dialect.kindOf), ...attachmentRules(dialect)];
}
