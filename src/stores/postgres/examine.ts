/** Checks the rules of the schema that no constraint can hold, in one reading transaction. Finds; mends nothing. */

import type { Finding } from "../../core/store/store-upkeep.ts";
import { examineQuery, examineRules, findingOf } from "../sql/examine.ts";
import type { Database } from "./database.ts";

export async function* examine(database: Database, sessionId?: string): AsyncGenerator<Finding> {
  const isOne = sessionId !== undefined;
  const found = await database.transaction(
    "examine the store",
    async ({ query }) => {
      // The rules name no schema, because SQLite has none.
      await query(`SET LOCAL search_path = ${database.schema}`, []);
      const findings: Finding[] = [];
      for (const rule of RULES) {
        const rows = await query(examineQuery(rule, isOne ? "$1" : undefined), isOne ? [sessionId] : []);
        findings.push(...rows.map((row) => findingOf(rule, row)));
      }
      return findings;
    },
    { begin: "BEGIN READ ONLY" },
  );
  yield* found;
}

const RULES = examineRules({
  isIndexed:
    "EXISTS (SELECT 1 FROM message_search w WHERE w.session_id = m.session_id AND w.sequence = m.sequence AND w.part = 0)",
  kindOf: (column) => `json_typeof(${column})`,
  // As text, because JSON operators refuse a column with `\u0000` anywhere in it. Quotes within strings are escaped, so this is a key.
  references: `regexp_matches(t.attachments::text, '"hash"[[:space:]]*:[[:space:]]*"([0-9a-f]{64})"', 'g') r(found)`,
  hash: "r.found[1]",
  areOtherBytes: "encode(sha256(a.bytes), 'hex') <> a.hash",
});
