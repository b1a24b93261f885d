/** Checks the rules of the schema that no constraint can hold, in one reading transaction. Finds; mends nothing. */

import type { Finding } from "../../core/store/store.ts";
import { jsonRules } from "../sql/examine-json.ts";
import { EXAMINE_RULES, examineQuery, findingOf } from "../sql/examine-rules.ts";
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
    "BEGIN READ ONLY",
  );
  yield* found;
}

const RULES = [...EXAMINE_RULES, ...jsonRules((column) => `json_typeof(${column})`)];
