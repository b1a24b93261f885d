/** What passes through an exchange: known prefixes, and a row for each request. */

import type { KnownPrefix, RequestRecord, RequestTotals } from "../../core/store/traffic.ts";
import { sessionMissing } from "../refusals.ts";
import { numberIn } from "../sql/cells.ts";
import {
  prefixOf,
  prefixSequence,
  REQUEST_COLUMNS,
  requestCells,
  requestOf,
  SUM_COLUMNS,
  totalsOf,
} from "../sql/traffic.ts";
import type { Database } from "./database.ts";
import { numberList, textList, timeText } from "./sql-text.ts";

export async function findPrefix(
  { schema, read }: Database,
  hashes: readonly string[],
): Promise<KnownPrefix | undefined> {
  const [row] = await read(
    `SELECT p.hash, p.session_id, p.sequence FROM unnest($1::text::text[]) WITH ORDINALITY AS h(hash, place)
     JOIN ${schema}.known_prefixes p ON p.hash = h.hash ORDER BY h.place DESC LIMIT 1`,
    [textList(hashes)],
    "planned",
  );
  return row && prefixOf(row);
}

export async function addPrefixes({ schema, write }: Database, prefixes: readonly KnownPrefix[]): Promise<void> {
  if (prefixes.length === 0) return;
  const textOf = (lockBound: string): string =>
    `INSERT INTO ${schema}.known_prefixes (hash, session_id, sequence)
     SELECT n.hash, s.id, n.sequence
     FROM ROWS FROM (unnest($1::text::text[]), unnest($2::text::text[]), unnest($3::text::bigint[]))
       WITH ORDINALITY AS n(hash, session_id, sequence, place) JOIN ${schema}.sessions s ON s.id = n.session_id
     WHERE ${lockBound} ORDER BY n.place ON CONFLICT DO NOTHING`;
  const values = [
    textList(prefixes.map(({ hash }) => hash)),
    textList(prefixes.map(({ sessionId }) => sessionId)),
    numberList(prefixes.map(prefixSequence)),
  ];
  await write("remember the prefixes", [textOf, values]);
}

export async function addRequest({ schema, write }: Database, record: RequestRecord): Promise<void> {
  const cells = requestCells(record);
  const places = REQUEST_COLUMNS.map((column, index) =>
    column === "session_id" ? "s.id" : `$${index + 1}::text::${COLUMN_TYPES[column] ?? "double precision"}`,
  );
  const textOf = (lockBound: string): string =>
    `INSERT INTO ${schema}.requests (${REQUEST_COLUMNS.join(", ")})
     SELECT ${places.join(", ")} FROM ${schema}.sessions s WHERE s.id = $1 AND ${lockBound} RETURNING number`;
  const values = cells.map((cell) => (typeof cell === "number" ? String(cell) : cell));
  const made = await write("record the request", [textOf, values]);
  if (made.length === 0) throw sessionMissing(record.sessionId);
}

/** Every other column holds a number that may be a fraction. */
const COLUMN_TYPES: Readonly<Record<string, string>> = {
  requested_at: "timestamptz",
  model: "text",
  event_id: "text",
  status: "integer",
  input_tokens: "bigint",
  cache_read_tokens: "bigint",
  cache_write_tokens: "bigint",
  output_tokens: "bigint",
};

const PAGE_ROWS = 500;

const REQUEST_TEXTS = REQUEST_COLUMNS.map((column) =>
  column === "requested_at" ? `${timeText("r.requested_at")} AS requested_at` : `r.${column}`,
).join(", ");

export async function* readRequests({ schema, read }: Database, sessionId: string): AsyncGenerator<RequestRecord> {
  for (let after = 0; ; ) {
    const rows = await read(
      `SELECT r.number, ${REQUEST_TEXTS} FROM ${schema}.requests r
       WHERE r.session_id = $1 AND r.number > $2::bigint ORDER BY r.number LIMIT ${PAGE_ROWS}`,
      [sessionId, after],
    );
    for (const row of rows) yield requestOf(row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) return;
    after = numberIn(last, "number");
  }
}

export async function readTotals(
  { schema, read }: Database,
  sessionIds: readonly string[],
): Promise<readonly RequestTotals[]> {
  const rows = await read(
    `SELECT sums.*, ${REQUEST_TEXTS} FROM unnest($1::text::text[]) WITH ORDINALITY AS wanted(id, place)
     JOIN LATERAL (SELECT ${SUM_COLUMNS} FROM ${schema}.requests WHERE session_id = wanted.id) AS sums ON sums.requests > 0
     JOIN LATERAL (
       SELECT * FROM ${schema}.requests WHERE session_id = wanted.id ORDER BY number DESC LIMIT 1
     ) AS r ON true
     ORDER BY wanted.place`,
    [textList(sessionIds)],
    "planned",
  );
  return rows.map((row) => totalsOf(row, row));
}
