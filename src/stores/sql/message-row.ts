/**
 * Rows of `messages` as stored messages. A query for them names the columns of `MESSAGE_COLUMNS`, with `body` and `attachments` as
 * text, taken from the edit in force where `is_edited` says so.
 */

import type { Role } from "../../core/message.ts";
import type { StoredMessage } from "../../core/store/store.ts";
import { flagIn, numberIn, type Row, textIn, textOrNullIn, timeIn } from "./cells.ts";
import { attachBody, hashesIn } from "./detached-body.ts";
import { messageIdOf } from "./message-id.ts";

export const MESSAGE_COLUMNS = [
  "sequence",
  "order_key",
  "role",
  "is_preserved",
  "is_summary",
  "made_by",
  "archived_by",
  "is_edited",
  "created_at",
  "attachments",
  "body",
] as const;

/** `bytes` holds what `hashesOf(rows)` names. */
export function storedMessages(rows: readonly Row[], bytes: ReadonlyMap<string, Uint8Array>): readonly StoredMessage[] {
  return rows.map((row) => storedMessage(row, bytes));
}

/** The attachments that these rows need. */
export function hashesOf(rows: readonly Row[]): readonly string[] {
  return hashesIn(rows.map((row) => textOrNullIn(row, "attachments")));
}

function storedMessage(row: Row, bytes: ReadonlyMap<string, Uint8Array>): StoredMessage {
  const sequence = numberIn(row, "sequence");
  return {
    id: messageIdOf(sequence),
    sequence,
    order: numberIn(row, "order_key"),
    // Only roles are ever written to that column; a constraint of the table holds it to them.
    role: textIn(row, "role") as Role,
    body: attachBody(textIn(row, "body"), textOrNullIn(row, "attachments"), bytes),
    isPinned: flagIn(row, "is_preserved"),
    isSummary: flagIn(row, "is_summary"),
    isEdited: flagIn(row, "is_edited"),
    madeBy: textOrNullIn(row, "made_by"),
    archivedBy: textOrNullIn(row, "archived_by"),
    createdAt: timeIn(row, "created_at"),
  };
}
