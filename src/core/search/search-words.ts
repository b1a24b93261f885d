/**
 * The words by which messages are found, the same in every store. Whatever a store's own index makes of text, it is given these
 * words and no text. A word holds letters, digits and their marks only, or is one pictograph; the languages written without spaces give
 * pairs of neighbouring characters instead. Stores keep words: who changes how they are made has every index made anew by a migration.
 *
 * To an index that splits text, give `indexText` and let it split at spaces alone: FTS5 does with `tokenize = 'ascii'`, which
 * splits at no character beyond ASCII; Postgres does with `array_to_tsvector(words)`, matched by `'word'::tsquery`, which ask
 * no parser at all. Other tokenizers split within some words, because they know fewer characters.
 */

import { CompactionError } from "../errors.ts";
import type { SearchScope } from "../store/store.ts";

export function searchWords(text: string): readonly string[] {
  const words: string[] = [];
  for (const [run, word] of searchForm(text).matchAll(RUNS)) {
    if (word === undefined) pushPairs(run, words);
    else words.push(cutWord(word));
  }
  return words;
}

/** Each word once, a space between: all that an index needs to know. */
export function indexText(text: string): string {
  return [...new Set(searchWords(text))].join(" ");
}

/**
 * How text is compared: compatible forms (full width, ligatures) and cases are one, and a letter is found with and without its accent.
 * Marks of other scripts (vowel signs, voicing) make another letter, and stay.
 */
export function searchForm(text: string): string {
  // Nothing of it has more than one form.
  if (ASCII.test(text)) return text.toLowerCase();
  return text.normalize("NFKD").replaceAll(ACCENTS, "").normalize("NFKC").toLowerCase();
}

const ASCII = /^[\0-\x7f]*$/;

/** The block of marks over and under letters; and those that choose how a pictograph looks. */
const ACCENTS = /[\u0300-\u036f\ufe00-\ufe0f]/g;

/** Longer words are cut here: generated tokens would only make an index large. */
export const WORD_CHARACTERS_MAX = 64;

/** Scripts that put no spaces between words. */
const SCRIPTS = String.raw`\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}`;
const CHARACTERS = String.raw`\p{L}\p{N}\p{M}`;

export const WORD_CHARACTER = new RegExp(`[${CHARACTERS}]`, "v");
/** A flag is a pair of its own kind of letters. What is joined to one picture is found by each of them. */
const PICTOGRAPH = String.raw`\p{Extended_Pictographic}|\p{RI}{2}`;

/** Of words that need no border to their neighbours. */
export const SPACELESS_CHARACTER = new RegExp(`[[${CHARACTERS}]&&[${SCRIPTS}]]|${PICTOGRAPH}`, "v");

/** A word of a language with spaces is captured, a run of characters of one without and a pictograph are not. */
const RUNS = new RegExp(`([[${CHARACTERS}]--[${SCRIPTS}]]+)|[[${CHARACTERS}]&&[${SCRIPTS}]]+|${PICTOGRAPH}`, "gv");

function cutWord(word: string): string {
  if (word.length <= WORD_CHARACTERS_MAX) return word;
  // By units, as every store counts; half of a pair is given up.
  const cut = word.slice(0, WORD_CHARACTERS_MAX);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

function pushPairs(run: string, words: string[]): void {
  const characters = Array.from(run);
  if (characters.length === 1) words.push(run);
  for (let index = 1; index < characters.length; index++) {
    words.push(`${characters[index - 1]}${characters[index]}`);
  }
}

/** What a search asks for, checked the same way for every store. */
export interface SearchRequest {
  readonly query: string;
  readonly limit: number;
  readonly scope: SearchScope;
}

/** Throws `invalid-settings` for arguments of the wrong type: not all callers are checked by a compiler. */
export function searchRequest(query: unknown, limit: number, scope: unknown = "all"): SearchRequest {
  if (typeof query !== "string") throw refused(`The query of a search must be a string, not ${typeof query}.`);
  if (scope !== "all" && scope !== "archive") throw refused('The scope of a search must be "all" or "archive".');
  return { query, limit, scope };
}

/** Each word once; of very long queries the first. */
export function queryWords(query: string): readonly string[] {
  return [...new Set(searchWords(query))].slice(0, QUERY_WORDS_MAX);
}

/** The words of which a message must hold one: a single letter or digit finds nothing where the query has more to say. */
export function tellingWords(query: string): readonly string[] {
  const words = queryWords(query);
  const telling = words.filter((word) => word.length > 1 || SPACELESS_CHARACTER.test(word));
  return telling.length > 0 ? telling : words;
}

const QUERY_WORDS_MAX = 32;

function refused(message: string): CompactionError {
  return new CompactionError("invalid-settings", message);
}
