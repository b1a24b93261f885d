/**
 * Which messages answer a query best, by BM25. All stores rank with this, so that they answer alike: an index only proposes
 * candidates. Deterministic: the same candidates give the same hits, in whatever order they come.
 */

import type { Role } from "../message.ts";
import type { Hit } from "../store/store.ts";
import { datesIn } from "./search-dates.ts";
import {
  isWordStart,
  type QueryTerm,
  queryTerms,
  SPACELESS_CHARACTER,
  searchForm,
  stemOf,
  wordAt,
} from "./search-words.ts";
import { SNIPPET_CHARACTERS_MAX, snippetOf } from "./snippet.ts";

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

export interface RankOptions {
  readonly limit: number;
  /** The most characters of a snippet. */
  readonly snippetMax?: number;
}

export function rankHits(
  query: string,
  candidates: Iterable<Candidate>,
  { limit, snippetMax = SNIPPET_CHARACTERS_MAX }: RankOptions,
): readonly Hit[] {
  const terms = queryTerms(query);
  if (terms.length === 0 || limit <= 0) return [];
  const phrase = terms.length > 1 ? phraseOf(query) : "";
  const matches: Match[] = [];
  for (const candidate of candidates) {
    const match = matchOf(candidate, terms, phrase);
    if (terms.some(({ term, isTelling }) => isTelling && match.counts.has(term))) matches.push(match);
  }
  const weights = weightsOf(terms, matches);
  const lengthMean = matches.reduce((sum, match) => sum + lengthOf(match), 0) / matches.length;
  return matches
    .map((match) => ({ match, score: scoreOf(match, weights, lengthMean) }))
    .sort((a, b) => b.score - a.score || preferred(a.match.candidate, b.match.candidate))
    .slice(0, limit)
    .map(({ match: { candidate, form, phraseAt }, score }) => {
      const { messageId, role, archivedBy, createdAt, text } = candidate;
      const places = terms.flatMap(({ term }) => placesOf(term, form, PLACES_MAX).map(({ at }) => ({ at, term })));
      const snippet = snippetOf({ text, form, places, weights, phraseAt, charactersMax: snippetMax });
      return { messageId, role, score, snippet, archivedBy, createdAt };
    });
}

/** Among equals, messages before summaries of them, then the newest. */
function preferred(a: Candidate, b: Candidate): number {
  return Number(a.isSummary) - Number(b.isSummary) || b.sequence - a.sequence;
}

interface Match {
  readonly candidate: Candidate;
  /** How often each term stands in the text, other forms of the query's words counted in part. */
  readonly counts: ReadonlyMap<string, number>;
  /** -1 where the query does not stand as it was written. */
  readonly phraseAt: number;
  readonly form: string;
}

function phraseOf(query: string): string {
  return searchForm(query).trim().replaceAll(/\s+/g, " ");
}

/** What another form of a word counts beside the word itself. */
const OTHER_FORM = 0.6;

function matchOf(candidate: Candidate, terms: readonly QueryTerm[], phrase: string): Match {
  const form = searchForm(candidate.text);
  const counts = new Map<string, number>();
  const hasDates = terms.some(({ words }) => words.size === 0);
  const dates = new Set(hasDates ? [...datesIn(form), ...datesIn(candidate.createdAt)] : []);
  for (const { term, words } of terms) {
    const found = placesOf(term, form, COUNT_MAX);
    const count = found.reduce((sum, { word }) => sum + (words.has(word) ? 1 : OTHER_FORM), dates.has(term) ? 1 : 0);
    if (count > 0) counts.set(term, count);
  }
  return { candidate, counts, phraseAt: phrase === "" ? -1 : form.indexOf(phrase), form };
}

/** More of a term hardly changes a score. */
const COUNT_MAX = 20;

/** Enough to find where a term stands beside the others. */
const PLACES_MAX = 50;

/** Whether a word of the term stands in the text; not for languages without spaces, pictographs and dates. */
export function holdsWord(term: string, form: string): boolean {
  return placesOf(term, form, 1).length > 0;
}

/** Where words of the term stand; pairs of a language without spaces, and pictographs, stand anywhere. */
function placesOf(term: string, form: string, most: number): readonly { readonly at: number; readonly word: string }[] {
  const places: { at: number; word: string }[] = [];
  const isSpaceless = SPACELESS_CHARACTER.test(term);
  for (let at = form.indexOf(term); at !== -1 && places.length < most; at = form.indexOf(term, at + 1)) {
    if (isSpaceless) places.push({ at, word: term });
    else if (isWordStart(form, at)) {
      const word = wordAt(form, at);
      if (stemOf(word) === term) places.push({ at, word });
    }
  }
  return places;
}

/** Rare terms weigh more. A term is rare among the matches, whatever else an index proposed. */
function weightsOf(terms: readonly QueryTerm[], matches: readonly Match[]): ReadonlyMap<string, number> {
  return new Map(
    terms.map(({ term }) => {
      const holders = matches.reduce((count, { counts }) => count + (counts.has(term) ? 1 : 0), 0);
      return [term, Math.log(1 + (matches.length - holders + 0.5) / (holders + 0.5))];
    }),
  );
}

/** How soon more of the same term counts no more. */
const SATURATION = 1.2;

/** How much a long text has to say a term more often; 0 for not at all, 1 in proportion. */
const LENGTH_SHARE = 0.5;

/** In characters; shorter texts count as this long, because a short text is not a better answer by itself. */
const LENGTH_MIN = 100;

/** What the whole query standing there adds to a score that is about 1 when all terms are found. */
const PHRASE_BONUS = 0.5;

/** Scores that differ by less are a tie. */
const SCORE_STEPS = 10_000;

function lengthOf({ form }: Match): number {
  return Math.max(LENGTH_MIN, form.length);
}

function scoreOf(match: Match, weights: ReadonlyMap<string, number>, lengthMean: number): number {
  const relative = 1 - LENGTH_SHARE + (LENGTH_SHARE * lengthOf(match)) / lengthMean;
  let [found, all] = [0, 0];
  for (const [term, weight] of weights) {
    const count = match.counts.get(term) ?? 0;
    all += weight;
    found += (weight * count * (SATURATION + 1)) / (count + SATURATION * relative);
  }
  const score = found / all + (match.phraseAt === -1 ? 0 : PHRASE_BONUS);
  return Math.round(score * SCORE_STEPS) / SCORE_STEPS;
}
