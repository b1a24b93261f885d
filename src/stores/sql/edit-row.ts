/** Rows of `message_edits` as the edits of an event. A query names `sequence`, `kind`, and `attachments` and `body` as text. */

import type { EditKind, StoredEdit } from "../../core/store/store.ts";
import { numberIn, type Row, textIn, textOrNullIn } from "./cells.ts";
import { attachBody } from "./detached-body.ts";
import { messageIdOf } from "./message-id.ts";

/** `bytes` holds what `hashesOf(rows)` names. */
export function storedEdits(rows: readonly Row[], bytes: ReadonlyMap<string, Uint8Array>): readonly StoredEdit[] {
  return rows.map((row) => ({
    messageId: messageIdOf(numberIn(row, "sequence")),
    // Only kinds are ever written to that column.
    kind: textIn(row, "kind") as EditKind,
    body: attachBody(textIn(row, "body"), textOrNullIn(row, "attachments"), bytes),
  }));
}
