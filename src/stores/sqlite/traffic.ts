/** What passes through an exchange: known prefixes, and a row for each request. Each function is part of a transaction that its caller began. */

import type { KnownPrefix, RequestRecord, RequestTotals } from "../../core/store/traffic.ts";
import { numberIn, type Row } from "../sql/cells.ts";
import {
  prefixOf,
  prefixSequence,
  REQUEST_COLUMNS,
  requestCells,
  requestOf,
  SUM_COLUMNS,
  totalsOf,
} from "../sql/traffic.ts";
import type { Connection } from "./connection.ts";
import { type Database, pages } from "./database.ts";
import { requireSession } from "./sessions.ts";

/** Most lists are known almost to their end. */
const HASHES_AT_ONCE = 64;

export function findPrefix(connection: Connection, hashes: readonly string[]): KnownPrefix | undefined {
  for (let end = hashes.length; end > 0; end -= HASHES_AT_ONCE) {
    const row = connection.get(FIND, JSON.stringify(hashes.slice(Math.max(0, end - HASHES_AT_ONCE), end)));
    if (row !== undefined) return prefixOf(row);
  }
  return undefined;
}

const FIND = `SELECT p.hash, p.session_id, p.sequence FROM json_each(?) h JOIN known_prefixes p ON p.hash = h.value
ORDER BY h.key DESC LIMIT 1`;

export function addPrefixes(connection: Connection, prefixes: readonly KnownPrefix[]): void {
  for (const prefix of prefixes) connection.run(ADD_PREFIX, prefix.hash, prefixSequence(prefix), prefix.sessionId);
}

const ADD_PREFIX = `INSERT INTO known_prefixes (hash, session_id, sequence) SELECT ?, id, ? FROM sessions WHERE id = ?
ON CONFLICT DO NOTHING`;

export function addRequest(connection: Connection, record: RequestRecord): void {
  requireSession(connection, record.sessionId);
  connection.run(ADD_REQUEST, ...requestCells(record));
}

const ADD_REQUEST = `INSERT INTO requests (${REQUEST_COLUMNS.join(", ")}) VALUES (${REQUEST_COLUMNS.map(() => "?").join(", ")})`;

export async function* readRequests(database: Database, sessionId: string): AsyncGenerator<RequestRecord> {
  const rows = pages(database, ({ all }, after: { readonly number: number; readonly row: Row } | undefined, limit) =>
    all(REQUESTS, sessionId, after?.number ?? 0, limit).map((row) => ({ number: numberIn(row, "number"), row })),
  );
  for await (const { row } of rows) yield requestOf(row);
}

const REQUESTS = `SELECT number, ${REQUEST_COLUMNS.join(", ")} FROM requests WHERE session_id = ? AND number > ?
ORDER BY number LIMIT ?`;

export function readTotals(connection: Connection, sessionIds: readonly string[]): readonly RequestTotals[] {
  return sessionIds.flatMap((id) => {
    const newest = connection.get(NEWEST, id);
    const sums = newest && connection.get(SUMS, id);
    return newest === undefined || sums === undefined ? [] : [totalsOf(sums, newest)];
  });
}

const NEWEST = `SELECT ${REQUEST_COLUMNS.join(", ")} FROM requests WHERE session_id = ? ORDER BY number DESC LIMIT 1`;
const SUMS = `SELECT ${SUM_COLUMNS} FROM requests WHERE session_id = ?`;
