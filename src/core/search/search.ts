/**
 * A search, the same over every store: the store's index proposes messages, one ranking chooses among them. Where the caller has an
 * embedding model, what is near in meaning is found too. Bounded whatever is asked.
 */

import type { Hit, SearchScope } from "../store/store.ts";
import { type Candidate, rankHits } from "./rank-hits.ts";
import { queryTerms, type SearchRequest } from "./search-words.ts";

/** What a store brings along for one session; `Of` is what one state of it is read from. */
export interface SearchSource {
  /** For each term the numbers of the newest messages that hold it, newest first; at most `CANDIDATES_MAX` are needed. */
  holders(terms: readonly string[], scope: SearchScope): Promise<readonly (readonly number[])[]>;
  /** In any order. */
  candidates(sequences: readonly number[]): Promise<Iterable<Candidate>>;
}

export async function search(source: SearchSource, { query, limit, scope }: SearchRequest): Promise<readonly Hit[]> {
  const telling = queryTerms(query).filter(({ isTelling }) => isTelling);
  if (telling.length === 0 || limit <= 0) return [];
  const terms = telling.map(({ term }) => term);
  const chosen = chooseCandidates(await source.holders(terms, scope));
  return rankHits(query, await source.candidates(chosen), { limit });
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
