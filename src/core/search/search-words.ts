/**
 * The terms by which messages are found: words without their endings, pairs of characters where a language puts no spaces, and days
 * in one form. They are the same for an index and for a query, in every store. Linear in the text. Pure.
 */

import { CompactionError } from "../errors.ts";
import type { SearchScope } from "../store/store.ts";
import { datesAskedFor, datesIn } from "./search-dates.ts";

/** All words of a text in the form in which they are compared, with their endings. */
export function searchWords(text: string): readonly string[] {
  return wordsOf(searchForm(text));
}

function wordsOf(form: string): readonly string[] {
  const words: string[] = [];
  for (const [run, word] of form.matchAll(RUNS)) {
    if (word === undefined) pushPairs(run, words);
    else words.push(cutWord(word));
  }
  return words;
}

/** Each term of a message once, a space between: all that an index needs to know. */
export function indexText(text: string, createdAt: string): string {
  return [...indexTerms(text, createdAt)].join(" ");
}

export function indexTerms(text: string, createdAt: string): ReadonlySet<string> {
  const form = searchForm(text);
  const terms = new Set<string>();
  for (const word of new Set(wordsOf(form))) terms.add(stemOf(word));
  for (const date of [...datesIn(form), ...datesIn(createdAt)]) terms.add(date);
  return terms;
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
const WORD_CHARACTERS_MAX = 64;

/** Scripts that put no spaces between words. */
const SCRIPTS = String.raw`\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}`;
const CHARACTERS = String.raw`\p{L}\p{N}\p{M}`;

const WORD_CHARACTER = new RegExp(`[${CHARACTERS}]`, "v");
/** A flag is a pair of its own kind of letters. What is joined to one picture is found by each of them. */
const PICTOGRAPH = String.raw`\p{Extended_Pictographic}|\p{RI}{2}`;

/** Of words that need no border to their neighbours. */
export const SPACELESS_CHARACTER = new RegExp(`[[${CHARACTERS}]&&[${SCRIPTS}]]|${PICTOGRAPH}`, "v");

const SPACED_RUN = new RegExp(`[[${CHARACTERS}]--[${SCRIPTS}]]+`, "vy");

const ASCII_MAX = 0x7f;

/** A digit or a small letter. */
function isPlain(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x7a);
}

/** Whether a word of a language with spaces can begin there: no letter of such a word stands before it. */
export function isWordStart(form: string, at: number): boolean {
  const code = form.charCodeAt(at - 1);
  // Before the first character there is no number, which is not greater either.
  if (!(code > ASCII_MAX)) return !isPlain(code);
  const before = /.$/su.exec(form.slice(Math.max(0, at - 2), at))?.[0] ?? "";
  return !WORD_CHARACTER.test(before) || SPACELESS_CHARACTER.test(before);
}

/** The word of a language with spaces that begins there; empty where none does. */
export function wordAt(form: string, at: number): string {
  let end = at;
  while (isPlain(form.charCodeAt(end))) end++;
  if (!(form.charCodeAt(end) > ASCII_MAX)) return cutWord(form.slice(at, end));
  // It may go on with another letter.
  SPACED_RUN.lastIndex = at;
  return cutWord(SPACED_RUN.exec(form)?.[0] ?? "");
}

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

/** Endings of English words, the longest first. Words of other languages lose them too, in texts and queries alike. */
const ENDINGS = ["ation", "ment", "ing", "ion", "ed", "es", "er", "ly", "s"];

/** One word loses at most two endings, as in `connections`. */
const ENDINGS_MAX = 2;
const STEM_CHARACTERS_MIN = 3;
const PLAIN_WORD = /^[a-z]{4,}$/;

/** The beginning of a word that its other forms share. Numbers, identifiers with digits and words in other scripts stay whole. */
export function stemOf(word: string): string {
  if (!PLAIN_WORD.test(word)) return word;
  let stem = word;
  for (let times = 0; times < ENDINGS_MAX; times++) {
    const ending = ENDINGS.find((each) => isEnding(stem, each));
    if (ending === undefined) break;
    stem = stem.slice(0, -ending.length);
  }
  // As in try and tries, hike and hiking.
  if (stem.length > STEM_CHARACTERS_MIN && /[eiy]$/.test(stem)) stem = stem.slice(0, -1);
  // As in run and running.
  if (stem.length > STEM_CHARACTERS_MIN && stem.at(-1) === stem.at(-2)) stem = stem.slice(0, -1);
  return stem;
}

function isEnding(word: string, ending: string): boolean {
  if (!word.endsWith(ending)) return false;
  const rest = word.slice(0, -ending.length);
  return rest.length >= STEM_CHARACTERS_MIN && /[aeiouy]/.test(rest) && !(ending === "s" && rest.endsWith("s"));
}

/** What a search asks for, checked the same way for every store. */
export interface SearchRequest {
  readonly query: string;
  readonly limit: number;
  readonly scope: SearchScope;
}

/** Throws `invalid-settings` for arguments that are none: not all callers are checked by a compiler. */
export function searchRequest(query: unknown, limit: unknown, scope: unknown = "all"): SearchRequest {
  if (typeof query !== "string") throw refused(`The query of a search must be a string, not ${typeof query}.`);
  if (!isLimit(limit)) {
    const given = typeof limit === "number" ? limit : `a ${typeof limit}`;
    throw refused(`The limit of a search must be a whole number from 0 on, not ${given}.`);
  }
  if (scope !== "all" && scope !== "archive") throw refused('The scope of a search must be "all" or "archive".');
  return { query, limit, scope };
}

function isLimit(limit: unknown): limit is number {
  return limit === Number.POSITIVE_INFINITY || (typeof limit === "number" && Number.isInteger(limit) && limit >= 0);
}

export interface QueryTerm {
  /** As an index has it. */
  readonly term: string;
  /** The words of the query that it stands for; none for a date. */
  readonly words: ReadonlySet<string>;
  /** A message must hold one of these: a single letter or digit finds nothing where the query has more to say. */
  readonly isTelling: boolean;
}

/** Each term once, days before words; of very long queries the first. */
export function queryTerms(query: string): readonly QueryTerm[] {
  const words = new Map<string, Set<string>>(datesAskedFor(searchForm(query)).map((date) => [date, new Set()]));
  for (const word of searchWords(query)) {
    const stem = stemOf(word);
    words.set(stem, (words.get(stem) ?? new Set()).add(word));
  }
  const isLong = (term: string): boolean => term.length > 1 || SPACELESS_CHARACTER.test(term);
  const terms = [...words].slice(0, QUERY_TERMS_MAX);
  const hasLong = terms.some(([term]) => isLong(term));
  return terms.map(([term, written]) => ({ term, words: written, isTelling: !hasLong || isLong(term) }));
}

const QUERY_TERMS_MAX = 32;

function refused(message: string): CompactionError {
  return new CompactionError("invalid-settings", message);
}
