/** Every rule that a database is examined by: one list for SQLite and Postgres, each in its own dialect where they differ. */

import { type AttachmentDialect, attachmentRules } from "./examine-attachments.ts";
import { jsonRules } from "./examine-json.ts";
import { EXAMINE_RULES, type ExamineRule } from "./examine-rules.ts";

export interface ExamineDialect extends AttachmentDialect {
  /** As `jsonRules` asks for it. */
  kindOf(column: string): string;
}

export function examineRules(dialect: ExamineDialect): readonly ExamineRule[] {
  return [...EXAMINE_RULES, ...jsonRules(dialect.kindOf), ...attachmentRules(dialect)];
}
