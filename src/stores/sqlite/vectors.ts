/** The vectors of a session's messages, for search by meaning. They go with their message; a fork takes copies along. */

import type { VectorShelf } from "../../core/search/embedding.ts";
import type { SearchScope } from "../../core/store/store.ts";
import { messageTextOf, messageVectorOf, SCOPES, vectorCell } from "../sql/rows.ts";
import type { Database } from "./database.ts";

export function vectorShelf(database: Database, sessionId: string): VectorShelf {
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
