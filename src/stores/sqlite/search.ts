/**
 * Full-text search with FTS5. Appending does not touch the index; a search first adds what came since, in bounded steps. The index
 * only proposes candidates: every store ranks them alike. Queries are words to it, never its query language.
 */

import { hash } from "node:crypto";
import { setImmediate as breathe } from "node:timers/promises";
import type { Role } from "../../core/message.ts";
import { bodyText } from "../../core/search/body-text.ts";
import { type Candidate, rankHits } from "../../core/search/rank-hits.ts";
import { indexText, searchWords } from "../../core/search/search-words.ts";
import { checkSessionId } from "../../core/store/session-id.ts";
import type { Hit } from "../../core/store/store.ts";
import { jsonIn, numberIn, type Row, textIn, textOrNullIn, timeIn } from "../sql/cells.ts";
import { messageIdOf } from "../sql/message-id.ts";
import type { Access } from "./access.ts";
import type { Database } from "./database.ts";
import { sessionRow } from "./session-rows.ts";

export async function searchMessages(
  access: Access,
  sessionId: string,
  { query, limit }: { query: string; limit: number },
): Promise<readonly Hit[]> {
  const words = [...new Set(searchWords(query))].slice(0, QUERY_WORDS_MAX);
  checkSessionId(sessionId);
  await catchUp(access, sessionId);
  if (words.length === 0) return [];
  // Words hold letters, digits and marks only; quoted, none of them can be an operator.
  const match = `session : "${sessionTerm(sessionId)}" AND words : (${words.map((word) => `"${word}"`).join(" OR ")})`;
  const rows = await access.read((database) => database.all(CANDIDATES, match, CANDIDATES_MAX));
  return rankHits(query, rows.map(candidateOf), limit);
}

const QUERY_WORDS_MAX = 32;
const CANDIDATES_MAX = 1_000;

const CANDIDATES = `SELECT sequence, role, archived_by, created_at, body FROM messages
WHERE row_id IN (SELECT rowid FROM message_search WHERE message_search MATCH ? ORDER BY rowid DESC LIMIT ?)
AND (archived_by IS NULL OR archived_by IS NOT made_by)`;

/** Messages that one transaction adds to the index: others can write in between. */
const INDEX_STEP = 500;

async function catchUp(access: Access, sessionId: string): Promise<void> {
  while (await access.read((database) => unindexed(database, sessionId) > 0)) {
    await access.write((database) => indexSome(database, sessionId));
    await breathe();
  }
}

function unindexed(database: Database, sessionId: string): number {
  const row = sessionRow(database, sessionId);
  return numberIn(row, "last_sequence") - numberIn(row, "indexed_sequence");
}

function indexSome(database: Database, sessionId: string): void {
  const session = sessionRow(database, sessionId);
  const term = sessionTerm(sessionId);
  const rows = database.all(UNINDEXED, sessionId, numberIn(session, "indexed_sequence"), INDEX_STEP);
  for (const row of rows) {
    const words = indexText(bodyText(jsonIn(row, "body")));
    database.run(
      "INSERT INTO message_search (rowid, session, words) VALUES (?, ?, ?)",
      numberIn(row, "row_id"),
      term,
      words,
    );
  }
  const last = rows.length < INDEX_STEP ? undefined : rows.at(-1);
  const indexed = last === undefined ? numberIn(session, "last_sequence") : numberIn(last, "sequence");
  database.run("UPDATE sessions SET indexed_sequence = ? WHERE id = ?", indexed, sessionId);
}

const UNINDEXED = `SELECT row_id, sequence, body FROM messages
WHERE session_id = ? AND sequence > ? ORDER BY sequence LIMIT ?`;

/** One word for the index, whatever the id is. */
function sessionTerm(sessionId: string): string {
  return hash("sha256", sessionId);
}

function candidateOf(row: Row): Candidate {
  const sequence = numberIn(row, "sequence");
  return {
    messageId: messageIdOf(sequence),
    sequence,
    // A constraint of the table holds the column to roles.
    role: textIn(row, "role") as Role,
    text: bodyText(jsonIn(row, "body")),
    archivedBy: textOrNullIn(row, "archived_by"),
    createdAt: timeIn(row, "created_at"),
  };
}
