/**
 * Which messages answer a query best. All stores rank with this, so that they answer alike: an index only proposes candidates.
 * Deterministic: the same candidates give the same hits, in whatever order they come.
 */

import type { Role } from "../message.ts";
import type { Hit } from "../store/store.ts";
import { headOf, tailOf } from "../text.ts";
import {
  queryWords,
  SPACELESS_CHARACTER,
  searchForm,
  tellingWords,
  WORD_CHARACTER,
  WORD_CHARACTERS_MAX,
} from "./body-text.ts";

export interface Candidate {
  readonly messageId: string;
  readonly sequence: number;
  readonly role: Role;
  /** Everything readable in the message. */
  readonly text: string;
  /** Inserted by a compaction: it says again what originals say. */
  readonly isSummary: boolean;
  readonly archivedBy: string | null;
  readonly createdAt: string;
}

export function rankHits(query: string, candidates: Iterable<Candidate>, limit: number): readonly Hit[] {
  const words = queryWords(query);
  if (words.length === 0 || limit <= 0) return [];
  const telling = tellingWords(query);
  const phrase = words.length > 1 ? phraseOf(query) : "";
  const matches: Match[] = [];
  for (const candidate of candidates) {
    const match = matchOf(candidate, words, phrase);
    if (telling.some((word) => match.places.has(word))) matches.push(match);
  }
  const weights = weightsOf(words, matches);
  return matches
    .map((match) => ({ match, score: scoreOf(match, weights) }))
    .sort((a, b) => b.score - a.score || preferred(a.match.candidate, b.match.candidate))
    .slice(0, limit)
    .map(({ match, score }) => hitOf(match, score, weights));
}

/** Among equals, messages before summaries of them, then the newest. */
function preferred(a: Candidate, b: Candidate): number {
  return Number(a.isSummary) - Number(b.isSummary) || b.sequence - a.sequence;
}

/** Enough to find where a word stands beside the others. */
const PLACES_PER_WORD_MAX = 50;

/** What the whole query standing there adds to a score that is 1 when all words are found. */
const PHRASE_BONUS = 0.5;

/** Scores that differ by less are a tie. */
const SCORE_STEPS = 10_000;

interface Match {
  readonly candidate: Candidate;
  /** In the text's search form, by word. */
  readonly places: ReadonlyMap<string, readonly number[]>;
  /** -1 where the query does not stand as it was written. */
  readonly phraseAt: number;
  readonly form: string;
}

function phraseOf(query: string): string {
  return searchForm(query).trim().replaceAll(/\s+/g, " ");
}

function matchOf(candidate: Candidate, words: readonly string[], phrase: string): Match {
  const form = searchForm(candidate.text);
  const places = new Map<string, readonly number[]>();
  for (const word of words) {
    const found = placesOf(word, form);
    if (found.length > 0) places.set(word, found);
  }
  return { candidate, places, phraseAt: phrase === "" ? -1 : form.indexOf(phrase), form };
}

/** Where a word stands as a word; pairs of a language without spaces, and pictographs, stand anywhere. */
function placesOf(word: string, form: string): readonly number[] {
  const places: number[] = [];
  const isSpaceless = SPACELESS_CHARACTER.test(word);
  const isCut = word.length >= WORD_CHARACTERS_MAX - 1;
  let at = form.indexOf(word);
  while (at !== -1 && places.length < PLACES_PER_WORD_MAX) {
    const end = at + word.length;
    if (isSpaceless || (isBorder(before(form, at)) && (isCut || isBorder(after(form, end))))) places.push(at);
    at = form.indexOf(word, at + 1);
  }
  return places;
}

function isBorder(neighbour: string): boolean {
  return !WORD_CHARACTER.test(neighbour) || SPACELESS_CHARACTER.test(neighbour);
}

/** The character that ends there, pairs whole. */
function before(form: string, at: number): string {
  return /.$/su.exec(form.slice(Math.max(0, at - 2), at))?.[0] ?? "";
}

function after(form: string, end: number): string {
  const code = form.codePointAt(end);
  return code === undefined ? "" : String.fromCodePoint(code);
}

/** Rare words weigh more. A word is rare among the matches, whatever else an index proposed. */
function weightsOf(words: readonly string[], matches: readonly Match[]): ReadonlyMap<string, number> {
  return new Map(
    words.map((word) => {
      const holders = matches.reduce((count, { places }) => count + (places.has(word) ? 1 : 0), 0);
      return [word, Math.log(1 + matches.length / Math.max(1, holders))];
    }),
  );
}

function scoreOf({ places, phraseAt }: Match, weights: ReadonlyMap<string, number>): number {
  let [found, all] = [0, 0];
  for (const [word, weight] of weights) {
    all += weight;
    if (places.has(word)) found += weight;
  }
  const score = found / all + (phraseAt === -1 ? 0 : PHRASE_BONUS);
  return Math.round(score * SCORE_STEPS) / SCORE_STEPS;
}

function hitOf({ candidate, places, phraseAt, form }: Match, score: number, weights: ReadonlyMap<string, number>): Hit {
  const { messageId, role, archivedBy, createdAt, text } = candidate;
  const all: Place[] = [...places].flatMap(([word, found]) =>
    found.map((at) => ({ at, word, weight: weights.get(word) ?? 0 })),
  );
  return { messageId, role, score, snippet: snippetOf({ text, form, places: all, phraseAt }), archivedBy, createdAt };
}

/** As many messages as are ranked, and as many as a store needs to name for a word: words that more of them hold are equally common. */
export const CANDIDATES_MAX = 1_000;

/**
 * The numbers of the messages to rank. `found` holds for each word the numbers of the newest messages with it, newest first. The
 * rarest words choose first, so that a common word never keeps an old message from being found.
 */
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

export const SNIPPET_CHARACTERS_MAX = 200;

interface Place {
  readonly at: number;
  readonly word: string;
  readonly weight: number;
}

interface SnippetInput {
  readonly text: string;
  /** The text as it was searched: the places are places in it. */
  readonly form: string;
  readonly places: readonly Place[];
  /** Where the whole query stands; -1 for nowhere. */
  readonly phraseAt: number;
}

/** The best place of a text as one short line: whole words, `…` where it was cut, never longer than its bound. */
function snippetOf({ text, form, places, phraseAt }: SnippetInput): string {
  const at = placeInText(text, form, phraseAt === -1 ? bestPlace(places) : phraseAt);
  const from = startNear(text, at);
  const line = oneLine(text.slice(from, from + RAW_CHARACTERS_MAX));
  const lead = from === 0 ? "" : "…";
  const room = SNIPPET_CHARACTERS_MAX - lead.length;
  const isWhole = from + RAW_CHARACTERS_MAX >= text.length && line.length <= room;
  return isWhole ? lead + line : `${lead}${wholeWords(headOf(line, room - 1), line)}…`;
}

/** Where in the text a place of its searched form stands. Compatible forms may be longer or shorter: `…` is searched as three dots. */
function placeInText(text: string, form: string, at: number): number {
  if (text.length === form.length) return at;
  let [inText, inForm] = [0, 0];
  for (const character of text) {
    const length = searchForm(character).length;
    if (inForm + length > at) break;
    inText += character.length;
    inForm += length;
  }
  return Math.min(inText, text.length);
}

/** How much of what stands before the place is shown. */
const LEAD_CHARACTERS = 60;

/** Blanks shrink to one, so more is read than is shown. */
const RAW_CHARACTERS_MAX = 4 * SNIPPET_CHARACTERS_MAX;

/** A place counts for what stands this far behind it. */
const REACH_CHARACTERS = SNIPPET_CHARACTERS_MAX - LEAD_CHARACTERS - 20;

/** From which the most is in reach, each word counted once; the first of equals. */
function bestPlace(places: readonly Place[]): number {
  const sorted = [...places].sort((a, b) => a.at - b.at);
  let best = { at: 0, weight: -1 };
  for (const [index, { at }] of sorted.entries()) {
    const words = new Map<string, number>();
    for (let next = index; next < sorted.length; next++) {
      const place = sorted[next];
      if (place === undefined || place.at > at + REACH_CHARACTERS) break;
      words.set(place.word, place.weight);
    }
    const weight = [...words.values()].reduce((sum, each) => sum + each, 0);
    if (weight > best.weight) best = { at, weight };
  }
  return best.at;
}

/** The beginning of a word, at most so far before the place; the text's own beginning when that is near. */
function startNear(text: string, at: number): number {
  if (at <= LEAD_CHARACTERS) return 0;
  const lead = tailOf(text.slice(0, at), LEAD_CHARACTERS);
  const blank = lead.search(/\s/);
  return at - lead.length + (blank === -1 ? 0 : blank + 1);
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** The head without the word that was cut through, unless that would leave too little: some languages have no spaces. */
function wholeWords(head: string, line: string): string {
  if (head.length === line.length || line[head.length] === " ") return head.trimEnd();
  const blank = head.lastIndexOf(" ");
  return blank < SNIPPET_CHARACTERS_MAX / 2 ? head : head.slice(0, blank);
}
