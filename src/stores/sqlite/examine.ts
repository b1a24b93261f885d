/** Checks every invariant of a SQLite store: those of the schema, of the file itself, and that attachments are what their names say. Only reads. */

import { hash } from "node:crypto";
import type { Finding } from "../../core/store/store-upkeep.ts";
import { numberIn, textIn } from "../sql/cells.ts";
import { examineQuery, examineRules, findingOf } from "../sql/examine.ts";
import { ATTACHMENT_BYTES } from "../sql/examine-content.ts";
import { type Access, pages } from "./access.ts";
import { checkSession } from "./sessions.ts";

export async function* examineStore(
  access: Access,
  sessionId: string | undefined,
): AsyncGenerator<Finding, void, undefined> {
  if (sessionId === undefined) yield* await access.read(({ all }) => all("PRAGMA quick_check").flatMap(damageIn));
  else await access.read((database) => checkSession(database, sessionId));
  for (const rule of RULES) {
    yield* await access.read(({ all }) => {
      const rows = sessionId === undefined ? all(examineQuery(rule)) : all(examineQuery(rule, "?"), sessionId);
      return rows.map((row) => findingOf(rule, row));
    });
  }
  yield* examineBytes(access, sessionId);
}

const BACKUP = "Restore the database from a backup.";

function damageIn(row: Readonly<Record<string, unknown>>): readonly Finding[] {
  const text = textIn(row, "quick_check");
  if (text === "ok") return [];
  return [{ sessionId: "", rule: "file-sound", message: `SQLite says of the file: ${text}`, remedy: BACKUP }];
}

const RULES = examineRules({
  // The index's own list of its rows, which is read without asking the index.
  isIndexed: "EXISTS (SELECT 1 FROM message_search_docsize w WHERE w.id = m.row_id)",
  kindOf: (column) => `CASE WHEN json_valid(${column}) THEN json_type(${column}) ELSE 'no JSON' END`,
  references: "json_each(CASE WHEN json_valid(t.attachments) THEN t.attachments END) r",
  hash: "json_extract(CASE WHEN r.type = 'object' THEN r.value END, '$.hash')",
});

/** SQLite has no digest of its own. */
async function* examineBytes(access: Access, sessionId: string | undefined): AsyncGenerator<Finding, void, undefined> {
  const found = pages<BytesRow>(access, ({ all }, after, limit) =>
    all(BYTES, after?.rowId ?? 0, sessionId ?? null, sessionId ?? null, limit).map((row) => ({
      rowId: numberIn(row, "row_id"),
      sessionId: textIn(row, "session_id"),
      name: textIn(row, "hash"),
      isSound: row.bytes instanceof Uint8Array && hash("sha256", row.bytes) === row.hash,
    })),
  );
  for await (const { sessionId: owner, name, isSound } of found) {
    if (isSound) continue;
    const { rule, message, remedy } = ATTACHMENT_BYTES;
    yield { sessionId: owner, rule, message: message(name), remedy };
  }
}

interface BytesRow {
  readonly rowId: number;
  readonly sessionId: string;
  readonly name: string;
  readonly isSound: boolean;
}

const BYTES = `SELECT rowid AS row_id, session_id, hash, bytes FROM attachments
WHERE rowid > ? AND (? IS NULL OR session_id = ?) ORDER BY rowid LIMIT ?`;
