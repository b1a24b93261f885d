/** Compares texts by the content words they share: enough to tell whether they speak of the same thing, never of meaning. */

import { visitContentWords } from "./content-words.ts";

export function wordsOf(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  visitContentWords(text, (word) => words.add(word));
  return words;
}

const STEM_CHARS = 6;

/** Beginnings of words, so that "publish" and "published" are one. */
export function stemsOf(text: string): ReadonlySet<string> {
  const stems = new Set<string>();
  visitContentWords(text, (word) => stems.add(word.slice(0, STEM_CHARS)));
  return stems;
}

const SAME_SHARE = 0.6;
const ITEMS_COMPARED_MAX = 200;

/** Whether most content words of an item occur together in one of the others. */
export function matcher(others: readonly string[]): (item: string) => boolean {
  const { add, matches } = growingMatcher();
  others.slice(0, ITEMS_COMPARED_MAX).forEach(add);
  return matches;
}

export interface GrowingMatcher {
  add(other: string): void;
  matches(item: string): boolean;
}

/** The same where the others come one by one. */
export function growingMatcher(): GrowingMatcher {
  /** Which of the others have a word; most words are in few of them. */
  const holders = new Map<string, number[]>();
  let others = 0;
  return {
    add(other) {
      for (const stem of stemsOf(other)) {
        const known = holders.get(stem);
        if (known === undefined) holders.set(stem, [others]);
        else known.push(others);
      }
      others++;
    },
    matches(item) {
      const stems = stemsOf(item);
      if (stems.size < 2) return false;
      const shared = new Uint32Array(others);
      for (const stem of stems)
        for (const holder of holders.get(stem) ?? []) {
          const count = (shared[holder] ?? 0) + 1;
          if (count >= SAME_SHARE * stems.size) return true;
          shared[holder] = count;
        }
      return false;
    },
  };
}

/** Whether they have any content word in common. */
export function sharesWords(text: string, other: string): boolean {
  const stems = stemsOf(other);
  let isShared = false;
  visitContentWords(text, (word) => {
    isShared ||= stems.has(word.slice(0, STEM_CHARS));
  });
  return isShared;
}

/** The share of a text's content words that occur in others, taken together; of scripts without blanks, of its pairs of characters. */
export function sharedTopic(text: string, others: readonly string[]): number {
  const topics = [...topicsOf(text)];
  const known = new Set<string>();
  for (const other of others) for (const topic of topicsOf(other)) known.add(topic);
  return topics.length === 0 ? 0 : topics.filter((topic) => known.has(topic)).length / topics.length;
}

/** Characters alone are shared by any two texts. */
function topicsOf(text: string): ReadonlySet<string> {
  const topics = new Set<string>();
  let before = "";
  visitContentWords(text, (word) => {
    const isCharacter = word.length === 1 && word.charCodeAt(0) > 0x3000;
    if (!isCharacter) topics.add(word.slice(0, STEM_CHARS));
    else if (before !== "") topics.add(before + word);
    before = isCharacter ? word : "";
  });
  return topics;
}
