/**
 * Which messages are worth ranking. A store says for each word which messages hold it; the rarest words choose first, so that a
 * common word never keeps an old message from being found. Pure, and all that decides it in every store.
 */

/** As many messages as are ranked, and as many as a store needs to name for a word: words that more of them hold are equally common. */
export const CANDIDATES_MAX = 1_000;

/** The numbers of the messages to rank. `found` has for each word the numbers of the newest that hold it, newest first. */
export function chooseCandidates(found: readonly (readonly number[])[]): readonly number[] {
  const chosen = new Set<number>();
  // Sorting is stable: of equally common words the first in the query goes first.
  for (const sequences of found.toSorted((a, b) => a.length - b.length)) {
    for (const sequence of sequences) {
      if (chosen.size === CANDIDATES_MAX) return [...chosen];
      chosen.add(sequence);
    }
  }
  return [...chosen];
}
