/**
 * Search over archive and view. Words are indexed when somebody searches, not when a message is appended; the index proposes,
 * the shared ranking decides, so all stores answer alike.
 */

import { hash } from "node:crypto";
import { bodyText } from "../../core/search/body-text.ts";
import type { Embed, VectorShelf } from "../../core/search/embedding.ts";
import { CANDIDATES_MAX, type SearchSource, search } from "../../core/search/search.ts";
import { indexTerms, type SearchRequest } from "../../core/search/search-words.ts";
import type { Hit, SearchScope, Waiting } from "../../core/store/store.ts";
import { sessionMissing } from "../refusals.ts";
import { jsonIn, numberIn, type Row, timeIn } from "../sql/cells.ts";
import { candidateOf, messageTextOf, messageVectorOf, SCOPES, vectorCell } from "../sql/rows.ts";
import type { Database } from "./database.ts";
import { columnText, numberList, textList, WRITTEN_MESSAGE } from "./sql-text.ts";

const MESSAGES_PER_BATCH = 500;

/** Keeps a tsvector below its limit of 1 MB: a word has at most 64 characters. */
const WORDS_PER_PART = 4_000;

export async function searchMessages(
  database: Database,
  sessionId: string,
  { query, limit, scope, embed, ...waiting }: SearchRequest & Waiting & { readonly embed: Embed | undefined },
): Promise<readonly Hit[]> {
  await catchUp(database, sessionId, waiting);
  const source: SearchSource = {
    holders: (terms) => holdersOf(database, sessionId, { terms, scope }),
    candidates: async (sequences) => {
      const rows = await database.read(
        `SELECT ${WRITTEN_MESSAGE} FROM unnest($2::text::bigint[]) AS chosen(sequence)
         JOIN ${database.schema}.messages m ON m.session_id = $1 AND m.sequence = chosen.sequence`,
        [sessionId, numberList(sequences)],
        "planned",
      );
      return rows.map(candidateOf);
    },
    meaning: embed && { embed, shelf: vectorShelf(database, sessionId) },
  };
  return search(source, { query, limit, scope, ...waiting });
}

/** For each term the numbers of the newest messages that hold it, newest first. */
async function holdersOf(
  database: Database,
  sessionId: string,
  { terms, scope }: { readonly terms: readonly string[]; readonly scope: SearchScope },
): Promise<readonly (readonly number[])[]> {
  const { schema } = database;
  const rows = await database.read(
    // Step by step: with stale statistics the planner would otherwise search the words anew for every message. The session is asked
    // for by its word alone, so that the index of the words is used and not all of the session read.
    `SELECT word.place::integer AS place, holder.sequence
     FROM unnest($2::text::text[]) WITH ORDINALITY AS word(query, place) CROSS JOIN LATERAL (
       SELECT found.sequence FROM (
         SELECT DISTINCT w.sequence FROM ${schema}.message_search w
         WHERE w.words @@ word.query::tsquery ORDER BY w.sequence DESC OFFSET 0
       ) AS found CROSS JOIN LATERAL (
         SELECT 1 FROM ${schema}.messages m
         WHERE m.session_id = $1 AND m.sequence = found.sequence AND ${SCOPES[scope]} OFFSET 0
       ) AS kept ORDER BY found.sequence DESC LIMIT ${CANDIDATES_MAX}
     ) AS holder ORDER BY word.place, holder.sequence DESC`,
    [sessionId, textList(terms.map((term) => queryText(sessionId, term)))],
  );
  const found = terms.map((): number[] => []);
  for (const row of rows) found[numberIn(row, "place") - 1]?.push(numberIn(row, "sequence"));
  return found;
}

/** Bounded by the number that was the last when the search began, so that appends cannot keep it busy. */
async function catchUp(database: Database, sessionId: string, waiting: Waiting): Promise<void> {
  const { schema } = database;
  const [session] = await database.read(
    `SELECT indexed_sequence, last_sequence FROM ${schema}.sessions WHERE id = $1`,
    [sessionId],
  );
  if (session === undefined) throw sessionMissing(sessionId);
  let indexed = numberIn(session, "indexed_sequence");
  const last = numberIn(session, "last_sequence");
  while (indexed < last) {
    const rows = await database.read(
      `SELECT m.sequence, ${columnText("m", "created_at")} AS created_at, m.body::text AS body FROM ${schema}.messages m
       WHERE m.session_id = $1 AND m.sequence > $2::bigint ORDER BY m.sequence LIMIT ${MESSAGES_PER_BATCH}`,
      [sessionId, indexed],
    );
    const final = rows.at(-1);
    const isDone = rows.length < MESSAGES_PER_BATCH || final === undefined;
    indexed = isDone ? last : numberIn(final, "sequence");
    await writeWords(database, { sessionId, rows, indexed }, waiting);
  }
}

interface RowBatch {
  readonly sessionId: string;
  readonly rows: readonly Row[];
  /** Everything up to here is in the index afterwards. */
  readonly indexed: number;
}

/** Another process may index the same rows, or purge one, at the same time. */
async function writeWords(database: Database, { sessionId, rows, indexed }: RowBatch, waiting: Waiting): Promise<void> {
  const { schema } = database;
  const parts = rows.flatMap((row) => partsOf(row));
  const textOf = (lockBound: string): string =>
    `WITH part AS (
       SELECT * FROM ROWS FROM (unnest($2::text::bigint[]), unnest($3::text::integer[]), unnest($4::text::text[]))
         AS p(sequence, part, words)
     ), added AS (
       INSERT INTO ${schema}.message_search (session_id, sequence, part, words)
       SELECT m.session_id, m.sequence, part.part, array_to_tsvector(string_to_array(part.words, ' ') || $5::text)
       FROM part JOIN ${schema}.messages m ON m.session_id = $1 AND m.sequence = part.sequence
       ON CONFLICT DO NOTHING
     )
     UPDATE ${schema}.sessions SET indexed_sequence = greatest(indexed_sequence, $6::bigint) WHERE id = $1 AND ${lockBound}`;
  const values = [
    sessionId,
    numberList(parts.map(({ sequence }) => sequence)),
    numberList(parts.map(({ part }) => part)),
    textList(parts.map(({ words }) => words)),
    sessionWord(sessionId),
    indexed,
  ];
  await database.write("index the session", [textOf, values], waiting);
}

function partsOf(row: Row): readonly { readonly sequence: number; readonly part: number; readonly words: string }[] {
  const words = [...indexTerms(bodyText(jsonIn(row, "body")), timeIn(row, "created_at"))];
  const sequence = numberIn(row, "sequence");
  // A message without words gets a part too; otherwise it would look like one that the index lacks.
  return Array.from({ length: Math.max(1, Math.ceil(words.length / WORDS_PER_PART)) }, (_, part) => ({
    sequence,
    part,
    words: words.slice(part * WORDS_PER_PART, (part + 1) * WORDS_PER_PART).join(" "),
  }));
}

/** No word of a text, because of its colon. */
function sessionWord(sessionId: string): string {
  return `session:${hash("sha256", sessionId)}`;
}

/** Terms hold letters, digits, marks and pictographs only, so quoting them is all that is needed. */
function queryText(sessionId: string, term: string): string {
  return `'${sessionWord(sessionId)}' & '${term}'`;
}

/** Vectors go with their message; a fork takes copies along. */
function vectorShelf(database: Database, sessionId: string): VectorShelf {
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
