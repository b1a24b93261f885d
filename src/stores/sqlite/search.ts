/**
 * Full-text search with FTS5. Appending does not touch the index; a search first adds what came since, in bounded steps. The index
 * only proposes candidates: every store ranks them alike. Queries are words to it, never its query language.
 */

import { hash } from "node:crypto";
import { setImmediate as breathe } from "node:timers/promises";
import { bodyText } from "../../core/search/body-text.ts";
import type { Embed, VectorShelf } from "../../core/search/embedding.ts";
import { CANDIDATES_MAX, type SearchSource, search } from "../../core/search/search.ts";
import { indexText, type SearchRequest } from "../../core/search/search-words.ts";
import type { Hit, SearchScope, Waiting } from "../../core/store/store.ts";
import { checkSessionId } from "../../core/store/store-rules.ts";
import { jsonIn, numberIn, timeIn } from "../sql/cells.ts";
import { candidateOf, messageTextOf, messageVectorOf, SCOPES, vectorCell } from "../sql/rows.ts";
import type { Connection } from "./connection.ts";
import type { Database } from "./database.ts";
import { sessionRow } from "./sessions.ts";

export async function searchMessages(
  database: Database,
  sessionId: string,
  { query, limit, scope, embed, ...waiting }: SearchRequest & Waiting & { readonly embed: Embed | undefined },
): Promise<readonly Hit[]> {
  checkSessionId(sessionId);
  await catchUp(database, sessionId, waiting);
  const source: SearchSource = {
    holders: (terms) =>
      database.read((connection) => terms.map((term) => holdersOf(connection, { sessionId, term, scope }))),
    candidates: async (sequences) => {
      const rows = await database.read(({ all }) => all(CANDIDATES, sessionId, JSON.stringify(sequences)));
      return rows.map(candidateOf);
    },
    meaning: embed && { embed, shelf: vectorShelf(database, sessionId) },
  };
  return search(source, { query, limit, scope, ...waiting });
}

/** The newest messages that hold the term, newest first. */
function holdersOf(
  connection: Connection,
  { sessionId, term, scope }: { sessionId: string; term: string; scope: SearchScope },
): readonly number[] {
  // Terms hold letters, digits, marks and pictographs only; quoted, none of them can be an operator.
  const match = `session : "${sessionTerm(sessionId)}" AND words : "${term}"`;
  return connection.all(HOLDERS[scope], match, CANDIDATES_MAX).map((row) => numberIn(row, "sequence"));
}

/** From the index to the messages and never the other way. */
const holders = (condition: string): string => `SELECT m.sequence
FROM message_search CROSS JOIN messages m ON m.row_id = message_search.rowid
WHERE message_search MATCH ? AND ${condition} ORDER BY message_search.rowid DESC LIMIT ?`;

const HOLDERS: Readonly<Record<SearchScope, string>> = {
  all: holders(SCOPES.all),
  archive: holders(SCOPES.archive),
};

const CANDIDATES = `SELECT sequence, role, is_summary, archived_by, created_at, body FROM messages
WHERE session_id = ? AND sequence IN (SELECT value FROM json_each(?))`;

/** Messages that one transaction adds to the index: others can write in between. */
const INDEX_STEP = 500;

async function catchUp(database: Database, sessionId: string, waiting: Waiting): Promise<void> {
  while (await database.read((connection) => unindexed(connection, sessionId) > 0)) {
    await database.write((connection) => indexSome(connection, sessionId), waiting);
    await breathe();
  }
}

function unindexed(connection: Connection, sessionId: string): number {
  const row = sessionRow(connection, sessionId);
  return numberIn(row, "last_sequence") - numberIn(row, "indexed_sequence");
}

function indexSome(connection: Connection, sessionId: string): void {
  const session = sessionRow(connection, sessionId);
  const term = sessionTerm(sessionId);
  const rows = connection.all(UNINDEXED, sessionId, numberIn(session, "indexed_sequence"), INDEX_STEP);
  for (const row of rows) {
    const words = indexText(bodyText(jsonIn(row, "body")), timeIn(row, "created_at"));
    connection.run(INDEX, numberIn(row, "row_id"), term, words);
  }
  const last = rows.length < INDEX_STEP ? undefined : rows.at(-1);
  const indexed = last === undefined ? numberIn(session, "last_sequence") : numberIn(last, "sequence");
  connection.run("UPDATE sessions SET indexed_sequence = ? WHERE id = ?", indexed, sessionId);
}

const UNINDEXED = `SELECT row_id, sequence, created_at, body FROM messages
WHERE session_id = ? AND sequence > ? ORDER BY sequence LIMIT ?`;

const INDEX = "INSERT OR REPLACE INTO message_search (rowid, session, words) VALUES (?, ?, ?)";

/** One word for the index, whatever the id is. */
function sessionTerm(sessionId: string): string {
  return hash("sha256", sessionId);
}

/** Vectors go with their message; a fork takes copies along. */
function vectorShelf(database: Database, sessionId: string): VectorShelf {
  return {
    newest: async () => (await database.read(({ all }) => all(NEWEST, sessionId))).map(messageVectorOf)[0],
    texts: async (after, limit) =>
      (await database.read(({ all }) => all(TEXTS, sessionId, after, limit))).map(messageTextOf),
    add: async (vectors, waiting) => {
      if (vectors.length === 0) return;
      const cells = JSON.stringify(vectors.map(({ sequence, vector }) => [sequence, vectorCell(vector)]));
      await database.write(({ run }) => run(ADD, cells, sessionId), waiting);
    },
    clear: async (waiting) => {
      await database.write(({ run }) => run("DELETE FROM message_vectors WHERE session_id = ?", sessionId), waiting);
    },
    page: async (after, scope, limit) =>
      (await database.read(({ all }) => all(PAGES[scope], sessionId, after, limit))).map(messageVectorOf),
  };
}

const NEWEST = "SELECT sequence, vector FROM message_vectors WHERE session_id = ? ORDER BY sequence DESC LIMIT 1";

const TEXTS = "SELECT sequence, body FROM messages WHERE session_id = ? AND sequence > ? ORDER BY sequence LIMIT ?";

/** Another process may have purged a message, or given it its vector. */
const ADD = `INSERT OR REPLACE INTO message_vectors (session_id, sequence, vector)
SELECT m.session_id, m.sequence, json_extract(v.value, '$[1]')
FROM json_each(?) v JOIN messages m ON m.session_id = ? AND m.sequence = json_extract(v.value, '$[0]')`;

const page = (condition: string): string => `SELECT v.sequence, v.vector FROM message_vectors v
JOIN messages m ON m.session_id = v.session_id AND m.sequence = v.sequence
WHERE v.session_id = ? AND v.sequence > ? AND ${condition} ORDER BY v.sequence LIMIT ?`;

const PAGES: Readonly<Record<SearchScope, string>> = { all: page(SCOPES.all), archive: page(SCOPES.archive) };
