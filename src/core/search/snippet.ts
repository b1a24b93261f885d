/** A text as one short line: the place that answers a query best, or its beginning. Pure. */

import { headOf, tailOf } from "../text.ts";
import { searchForm } from "./search-words.ts";

export const SNIPPET_CHARACTERS_MAX = 200;

/** Where a term of the query stands in the searched form of a text. */
interface Place {
  readonly at: number;
  readonly term: string;
}

export interface SnippetInput {
  readonly text: string;
  /** The text as it was searched: the places are places in it. */
  readonly form: string;
  readonly places: readonly Place[];
  /** By term. */
  readonly weights: ReadonlyMap<string, number>;
  /** Where the whole query stands; -1 for nowhere. */
  readonly phraseAt: number;
  readonly charactersMax: number;
}

/** The best place of a text as one short line: whole words, `…` where it was cut, never longer than its bound. */
export function snippetOf({ text, form, places, weights, phraseAt, charactersMax }: SnippetInput): string {
  const reach = charactersMax - LEAD_CHARACTERS - 20;
  const at = placeInText(text, form, phraseAt === -1 ? bestPlace(places, weights, reach) : phraseAt);
  const rawMax = RAW_TIMES * charactersMax;
  const from = startNear(text, at);
  const line = oneLine(text.slice(from, from + rawMax));
  const lead = from === 0 ? "" : "…";
  const room = charactersMax - lead.length;
  const isWhole = from + rawMax >= text.length && line.length <= room;
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
const RAW_TIMES = 4;

/** The place from which the most is in reach, each term counted once; the first of equals. */
function bestPlace(places: readonly Place[], weights: ReadonlyMap<string, number>, reach: number): number {
  const sorted = [...places].sort((a, b) => a.at - b.at);
  let best = { at: 0, weight: -1 };
  for (const [index, { at }] of sorted.entries()) {
    const terms = new Set<string>();
    for (let next = index; next < sorted.length; next++) {
      const place = sorted[next];
      if (place === undefined || place.at > at + reach) break;
      terms.add(place.term);
    }
    const weight = [...terms].reduce((sum, term) => sum + (weights.get(term) ?? 0), 0);
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
  return blank < head.length / 2 ? head : head.slice(0, blank);
}

/** The beginning as one line. */
export function oneLineHead(text: string, charactersMax: number): string {
  // Blanks shrink to one, so more is read than is shown.
  const line = text
    .slice(0, 4 * charactersMax)
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length <= charactersMax && text.length <= 4 * charactersMax ? line : `${headOf(line, charactersMax)}…`;
}
