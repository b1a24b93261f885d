/** A schema as text, from the catalogue: what is in the database, not what was asked for. The same on every supported version of Postgres. */

import type { Pool } from "pg";

export async function describeSchema(pool: Pool, schema: string): Promise<string> {
  const parts: string[] = [];
  for (const query of QUERIES) {
    const { rows } = await pool.query<{ text: string }>(query, [schema]);
    parts.push(...rows.map(({ text }) => text.trim()));
  }
  const quoted = `"${schema.replaceAll('"', '""')}"`;
  return `${parts.join(";\n\n").replaceAll(`${quoted}.`, "").replaceAll(`'${schema}'`, "SCHEMA")};\n`;
}

const HERE = "(SELECT n.oid FROM pg_namespace n WHERE n.nspname = $1)";

const QUERIES = [
  // Constraints that only say NOT NULL are rows of the catalogue from version 18 on; the columns say it already.
  `SELECT format(E'CREATE TABLE %s (\\n  %s\\n)%s', c.relname, string_agg(line, E',\\n  ' ORDER BY place, line),
      coalesce(' WITH (' || array_to_string(c.reloptions, ', ') || ')', '')) AS text
    FROM pg_class c JOIN LATERAL (
      SELECT a.attnum::integer AS place, concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod),
        CASE WHEN a.attcollation <> 0 AND k.collname <> 'default' THEN 'COLLATE "' || k.collname || '"' END,
        CASE WHEN a.attstorage <> t.typstorage THEN 'STORAGE ' || CASE a.attstorage WHEN 'e' THEN 'EXTERNAL' ELSE a.attstorage::text END END,
        CASE WHEN a.attnotnull THEN 'NOT NULL' END, 'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid)) AS line
      FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_collation k ON k.oid = a.attcollation
      LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
      WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      UNION ALL SELECT 10000, 'CONSTRAINT ' || o.conname || ' ' || pg_get_constraintdef(o.oid)
      FROM pg_constraint o WHERE o.conrelid = c.oid AND o.contype <> 'n'
    ) AS lines ON true
    WHERE c.relnamespace = ${HERE} AND c.relkind = 'r' GROUP BY c.relname, c.reloptions ORDER BY c.relname`,
  `SELECT i.indexdef AS text FROM pg_indexes i WHERE i.schemaname = $1 AND NOT EXISTS (
      SELECT FROM pg_constraint o WHERE o.connamespace = ${HERE} AND o.conname = i.indexname) ORDER BY i.indexname`,
  `SELECT 'CREATE VIEW ' || c.relname || E' AS\\n' || rtrim(pg_get_viewdef(c.oid, true), ';') AS text
    FROM pg_class c WHERE c.relnamespace = ${HERE} AND c.relkind = 'v' ORDER BY c.relname`,
  `SELECT pg_get_functiondef(p.oid) AS text FROM pg_proc p WHERE p.pronamespace = ${HERE} ORDER BY p.proname`,
  `SELECT pg_get_triggerdef(t.oid) AS text FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE c.relnamespace = ${HERE} AND NOT t.tgisinternal ORDER BY t.tgname`,
];
