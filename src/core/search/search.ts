/**
 * A search, the same over every store: the store's index proposes messages, one ranking chooses among them. Where the caller has an
 * embedding model, what is near in meaning is found too. Bounded whatever is asked.
 */

import type { Hit, SearchScope, Waiting } from "../store/store.ts";
import { type Meaning, nearest } from "./embedding.ts";
import { type Candidate, rankHits } from "./rank-hits.ts";
import { queryTerms, type SearchRequest } from "./search-words.ts";
import { oneLineHead, SNIPPET_CHARACTERS_MAX } from "./snippet.ts";

/** What a store brings along for one session. */
export interface SearchSource {
  /** For each term the numbers of the newest messages that hold it, newest first; at most `CANDIDATES_MAX` are needed. */
  holders(terms: readonly string[], scope: SearchScope): Promise<readonly (readonly number[])[]>;
  /** In any order. */
  candidates(sequences: readonly number[]): Promise<Iterable<Candidate>>;
  /** Where the store was given an embedding model. */
  readonly meaning?: Meaning | undefined;
}

export async function search(
  source: SearchSource,
  { query, limit, scope, ...waiting }: SearchRequest & Waiting,
): Promise<readonly Hit[]> {
  const telling = queryTerms(query).filter(({ isTelling }) => isTelling);
  if (telling.length === 0 || limit <= 0) return [];
  const terms = telling.map(({ term }) => term);
  const chosen = chooseCandidates(await source.holders(terms, scope));
  const near = source.meaning === undefined ? [] : await nearest(source.meaning, { query, scope, ...waiting });
  const candidates = [...(await source.candidates([...new Set([...chosen, ...near])]))];
  if (source.meaning === undefined) return rankHits(query, candidates, { limit });
  const bySequence = new Map(candidates.map((candidate) => [candidate.sequence, candidate]));
  const nearHits = near.flatMap((sequence) => bySequence.get(sequence) ?? []).map(hitOf);
  return fused([rankHits(query, candidates, { limit: Math.max(limit, FUSED_MAX) }), nearHits]).slice(0, limit);
}

/** A hit that holds no word of the query is shown by its beginning. */
function hitOf({ messageId, role, text, archivedBy, createdAt }: Candidate): Hit {
  return { messageId, role, score: 0, snippet: oneLineHead(text, SNIPPET_CHARACTERS_MAX - 1), archivedBy, createdAt };
}

/** As many hits by words as are fused with those by meaning, where fewer are wanted. */
const FUSED_MAX = 100;

/** The usual constant of reciprocal rank fusion: the higher, the less the first ranks count before the others. */
const RANK_OFFSET = 60;

/** Each message once, as the first list has it, by the sum of its reciprocal ranks. */
function fused(lists: readonly (readonly Hit[])[]): readonly Hit[] {
  const byId = new Map<string, Hit>();
  for (const hits of lists) {
    for (const [rank, hit] of hits.entries()) {
      const known = byId.get(hit.messageId);
      byId.set(hit.messageId, { ...(known ?? hit), score: (known?.score ?? 0) + 1 / (RANK_OFFSET + rank + 1) });
    }
  }
  // Sorting is stable: of equals the one that words found comes first.
  return [...byId.values()].toSorted((a, b) => b.score - a.score);
}

/** As many messages as are ranked, and as many as a store needs to name for a term: terms that more of them hold are equally common. */
export const CANDIDATES_MAX = 1_000;

/**
 * The numbers of the messages to rank. `found` holds for each term the numbers of the newest messages with it, newest first. The
 * rarest terms choose first, so that a common one never keeps an old message from being found.
 */
export function chooseCandidates(found: readonly (readonly number[])[]): readonly number[] {
  const chosen = new Set<number>();
  // Sorting is stable: of equally common terms the first in the query goes first.
  for (const sequences of found.toSorted((a, b) => a.length - b.length)) {
    for (const sequence of sequences) {
      if (chosen.size === CANDIDATES_MAX) return [...chosen];
      chosen.add(sequence);
    }
  }
  return [...chosen];
}
