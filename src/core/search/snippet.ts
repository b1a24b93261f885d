/** The best place of a text as one short line: whole words, `…` where it was cut, never more than its bound. Pure. */

import { headOf, tailOf } from "../well-formed-text.ts";
import { searchForm } from "./search-words.ts";

export const SNIPPET_CHARACTERS_MAX = 200;

export interface Place {
  readonly at: number;
  readonly word: string;
  readonly weight: number;
}

export interface SnippetInput {
  readonly text: string;
  /** The text as it was searched: the places are places in it. */
  readonly form: string;
  readonly places: readonly Place[];
  /** Where the whole query stands; -1 for nowhere. */
  readonly phraseAt: number;
}

export function snippetOf({ text, form, places, phraseAt }: SnippetInput): string {
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
