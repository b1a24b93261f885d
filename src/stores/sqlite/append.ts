/** Appends a batch: numbers without gaps, the counters, the messages. Takes no lease. Part of one write transaction. */

import { countersAfterAppend, wholeUsage } from "../../core/store/counters.ts";
import type { Appended, Batch } from "../../core/store/store.ts";
import { messageIdOf } from "../../core/store/store-rules.ts";
import { countersOf, versionOf } from "../sql/rows.ts";
import type { Connection } from "./connection.ts";
import { insertMessage } from "./messages.ts";
import { sessionRow, writeSession } from "./sessions.ts";

export function appendBatch(connection: Connection, sessionId: string, batch: Batch, createdAt: string): Appended {
  const row = sessionRow(connection, sessionId);
  const before = versionOf(row);
  const { messages, turns, usage } = batch;
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
