/** The vectors of a session's messages, for search by meaning. They go with their message; a fork takes copies along. */

import type { VectorShelf } from "../../core/search/embedding.ts";
import { messageTextOf, messageVectorOf, SCOPES, vectorCell } from "../sql/rows.ts";
import type { Database } from "./database.ts";
import { numberList, textList } from "./sql-text.ts";

export function vectorShelf(database: Database, sessionId: string): VectorShelf {
  const { schema } = database;
  return {
    newest: async () => {
      const text = `SELECT sequence, vector FROM ${schema}.message_vectors WHERE session_id = $1 ORDER BY sequence DESC LIMIT 1`;
      return (await database.read(text, [sessionId])).map(messageVectorOf)[0];
    },
    texts: async (after, limit) => {
      const text = `SELECT m.sequence, m.body::text AS body FROM ${schema}.messages m
        WHERE m.session_id = $1 AND m.sequence > $2::bigint ORDER BY m.sequence LIMIT $3::integer`;
      return (await database.read(text, [sessionId, after, limit])).map(messageTextOf);
    },
    add: async (vectors, waiting) => {
      if (vectors.length === 0) return;
      // Another process may have purged a message, or given it its vector.
      const textOf = (lockBound: string): string =>
        `INSERT INTO ${schema}.message_vectors (session_id, sequence, vector)
         SELECT m.session_id, m.sequence, v.vector
         FROM ROWS FROM (unnest($2::text::bigint[]), unnest($3::text::text[])) AS v(sequence, vector)
         JOIN ${schema}.messages m ON m.session_id = $1 AND m.sequence = v.sequence WHERE ${lockBound}
         ON CONFLICT (session_id, sequence) DO UPDATE SET vector = excluded.vector`;
      const cells = textList(vectors.map(({ vector }) => vectorCell(vector)));
      const values = [sessionId, numberList(vectors.map(({ sequence }) => sequence)), cells];
      await database.write("keep the vectors", [textOf, values], waiting);
    },
    clear: async (waiting) => {
      const textOf = (lockBound: string): string =>
        `DELETE FROM ${schema}.message_vectors WHERE session_id = $1 AND ${lockBound}`;
      await database.write("clear the vectors", [textOf, [sessionId]], waiting);
    },
    page: async (after, scope, limit) => {
      const text = `SELECT v.sequence, v.vector FROM ${schema}.message_vectors v
        JOIN ${schema}.messages m ON m.session_id = v.session_id AND m.sequence = v.sequence
        WHERE v.session_id = $1 AND v.sequence > $2::bigint AND ${SCOPES[scope]} ORDER BY v.sequence LIMIT $3::integer`;
      return (await database.read(text, [sessionId, after, limit])).map(messageVectorOf);
    },
  };
}
