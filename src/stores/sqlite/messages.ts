/** Messages and their attachments: appended, inserted, read back as they were. Each write is part of a write transaction. */

import { countersAfterAppend, wholeUsage } from "../../core/store/counters.ts";
import type { AppendResult, Batch, NewMessage, StoredMessage } from "../../core/store/store.ts";
import { messageIdOf } from "../../core/store/store-rules.ts";
import { isBehind } from "../refusals.ts";
import { type Row, textIn } from "../sql/cells.ts";
import { type DetachedBody, detachBody } from "../sql/detached-body.ts";
import { countersOf, hashesOf, storedMessages, versionOf } from "../sql/rows.ts";
import type { Connection } from "./connection.ts";
import { sessionRow, writeSession } from "./sessions.ts";

/** Gives numbers without gaps. Takes no lease. */
export function appendBatch(connection: Connection, sessionId: string, batch: Batch, createdAt: string): AppendResult {
  const row = sessionRow(connection, sessionId);
  const before = versionOf(row);
  const { messages, turns, usage, after } = batch;
  if (after !== undefined && after !== before.sequence) throw isBehind();
  if (messages.length === 0 && turns === 0 && usage === undefined) return { ids: [], version: before, createdAt };
  const version = { ...before, sequence: before.sequence + messages.length };
  const counts = { messages: messages.length, turns, ...(usage !== undefined && { usage: wholeUsage(usage) }) };
  const counters = countersAfterAppend(countersOf(row), counts);
  const ids = messages.map((message, index) => {
    const sequence = before.sequence + index + 1;
    insertMessage(connection, { sessionId, sequence, order: sequence, madeBy: null, createdAt }, message);
    return messageIdOf(sequence);
  });
  writeSession(connection, sessionId, { version, counters, updatedAt: createdAt });
  return { ids, version, createdAt };
}

interface NewRow {
  readonly sessionId: string;
  readonly sequence: number;
  readonly order: number;
  /** The event that inserts it; null for what is appended. */
  readonly madeBy: string | null;
  readonly createdAt: string;
}

export function insertMessage(connection: Connection, row: NewRow, message: NewMessage): void {
  const { sessionId, sequence, order, madeBy, createdAt } = row;
  const detached = detachBody(message.body, message.attachments);
  keepBytes(connection, sessionId, detached);
  const flags = [message.isPinned === true, madeBy !== null] as const;
  const { attachments, body } = detached;
  connection.run(INSERT, sessionId, sequence, order, message.role, ...flags, madeBy, createdAt, attachments, body);
}

const INSERT = `INSERT INTO messages
(session_id, sequence, order_key, role, is_preserved, is_summary, made_by, created_at, attachments, body)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** The same content is kept once a session. */
export function keepBytes(connection: Connection, sessionId: string, { blobs }: DetachedBody): void {
  for (const { hash, bytes } of blobs) connection.run(KEEP, sessionId, hash, bytes);
}

const KEEP = "INSERT OR IGNORE INTO attachments (session_id, hash, bytes) VALUES (?, ?, ?)";

/** The columns of a message as it was written. */
export const WRITTEN_MESSAGE =
  "sequence, order_key, role, is_preserved, is_summary, made_by, archived_by, 0 AS is_edited, created_at, attachments, body";

/** The messages of these rows, with their binary content. */
export function messagesOf(connection: Connection, sessionId: string, rows: readonly Row[]): readonly StoredMessage[] {
  return storedMessages(rows, bytesOf(connection, sessionId, rows));
}

/** The binary content that these rows need, by its hash. */
export function bytesOf(
  connection: Connection,
  sessionId: string,
  rows: readonly Row[],
): ReadonlyMap<string, Uint8Array> {
  const hashes = hashesOf(rows);
  const found = hashes.length === 0 ? [] : connection.all(BYTES, sessionId, JSON.stringify(hashes));
  return new Map(
    found.flatMap((row) => (row.bytes instanceof Uint8Array ? [[textIn(row, "hash"), row.bytes] as const] : [])),
  );
}

const BYTES = "SELECT hash, bytes FROM attachments WHERE session_id = ? AND hash IN (SELECT value FROM json_each(?))";
