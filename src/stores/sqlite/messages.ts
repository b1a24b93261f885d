/** Message rows with their attachments: written once, read back as they were. */

import type { NewMessage, StoredMessage } from "../../core/store/store.ts";
import { type Row, textIn } from "../sql/cells.ts";
import { type DetachedBody, detachBody } from "../sql/detached-body.ts";
import { hashesOf, MESSAGE_COLUMNS, storedMessages } from "../sql/rows.ts";
import type { Database } from "./database.ts";

interface NewRow {
  readonly sessionId: string;
  readonly sequence: number;
  readonly order: number;
  /** The event that inserts it; null for what is appended. */
  readonly madeBy: string | null;
  readonly createdAt: string;
}

export function insertMessage(database: Database, row: NewRow, message: NewMessage): void {
  const detached = detachBody(message.body, message.attachments);
  keepBytes(database, row.sessionId, detached);
  database.run(
    INSERT,
    row.sessionId,
    row.sequence,
    row.order,
    message.role,
    message.isPinned === true,
    row.madeBy !== null,
    row.madeBy,
    row.createdAt,
    detached.attachments,
    detached.body,
  );
}

const INSERT = `INSERT INTO messages
(session_id, sequence, order_key, role, is_preserved, is_summary, made_by, created_at, attachments, body)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** The same content is kept once a session. */
export function keepBytes(database: Database, sessionId: string, { blobs }: DetachedBody): void {
  for (const { hash, bytes } of blobs) {
    database.run(
      "INSERT OR IGNORE INTO attachments (session_id, hash, bytes) VALUES (?, ?, ?)",
      sessionId,
      hash,
      bytes,
    );
  }
}

/** The columns of a message as it was appended. */
export const APPENDED_COLUMNS = MESSAGE_COLUMNS.map((column) =>
  column === "is_edited" ? "0 AS is_edited" : column,
).join(", ");

export function readMessages(database: Database, sessionId: string, rows: readonly Row[]): readonly StoredMessage[] {
  return storedMessages(rows, bytesFor(database, sessionId, hashesOf(rows)));
}

export function bytesFor(
  database: Database,
  sessionId: string,
  hashes: readonly string[],
): ReadonlyMap<string, Uint8Array> {
  if (hashes.length === 0) return NO_BYTES;
  const rows = database.all(
    "SELECT hash, bytes FROM attachments WHERE session_id = ? AND hash IN (SELECT value FROM json_each(?))",
    sessionId,
    JSON.stringify(hashes),
  );
  return new Map(
    rows.flatMap((row) => (row.bytes instanceof Uint8Array ? [[textIn(row, "hash"), row.bytes] as const] : [])),
  );
}

const NO_BYTES: ReadonlyMap<string, Uint8Array> = new Map();
