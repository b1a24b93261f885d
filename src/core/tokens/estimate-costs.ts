/**
 * What the pieces of plain text cost: the one place that says which weights a word, a run of blanks or a pair of neighbours
 * reads. Every cost is a sum of reads of `weights`: the model is linear, and the fit sees its features by recording them.
 */

import { AT, KIND, LATIN, LENGTHS, MARK_NEWLINE, MARKS, PREFIX_BLANK, PREFIX_MARK } from "./estimate-layout.ts";

type Weights = ArrayLike<number>;

/** A word's letters but for their pairs. Capitals come first. */
export function wordTokens(letters: number, capitals: number, weights: Weights): number {
  const row = AT.wordLength + LENGTHS * caseOf(capitals, letters);
  if (letters < LENGTHS) return weights[row + letters - 1] as number;
  let tokens = weights[row + LENGTHS - 2] as number;
  for (let extra = LENGTHS - 1; extra < letters; extra++) tokens += weights[row + LENGTHS - 1] as number;
  return tokens;
}

function caseOf(capitals: number, letters: number): number {
  if (capitals === 0) return 0;
  if (capitals === letters) return letters === 1 ? 1 : 2;
  return capitals === 1 ? 1 : 3;
}

/** Two neighbouring letters of a word, by their kinds. */
export function letterPairTokens(before: number, letter: number, weights: Weights): number {
  const section = letter < KIND.upper ? AT.latinPair : AT.latinUpperPair;
  return weights[section + (before % LATIN) * LATIN + (letter % LATIN)] as number;
}

/** What a word costs for having the unit of a kind before it in its piece: a blank or an ASCII mark. A space costs nothing. */
export function leadTokens(lead: number, weights: Weights): number {
  if (lead === KIND.space) return 0;
  const prefix = lead === KIND.blank ? PREFIX_BLANK : PREFIX_MARK + lead - KIND.punctuation;
  return weights[AT.wordPrefix + prefix] as number;
}

/** What a word costs for having none. */
export function unledTokens(weights: Weights): number {
  return weights[AT.wordPrefix] as number;
}

/** The first of a run of marks. */
export function markStartTokens(mark: number, spaced: boolean, weights: Weights): number {
  return weights[AT.markStart + (spaced ? MARKS : 0) + mark] as number;
}

export function markPairTokens(before: number, mark: number, weights: Weights): number {
  return weights[AT.markPair + before * MARKS + mark] as number;
}

/** The line breaks directly after a run of marks, however many. */
export function markBreakTokens(before: number, weights: Weights): number {
  return markPairTokens(before, MARK_NEWLINE, weights);
}

/** The vocabulary's longest run of line breaks. */
const BREAKS_PER_TOKEN = 16;

/** A run of line breaks, with or without blanks between them. */
export function breakTokens(breaks: number, mixed: boolean, weights: Weights): number {
  let tokens = 0;
  for (let rest = breaks; rest > 0; rest -= BREAKS_PER_TOKEN) {
    tokens += weights[AT.newlineRun + (mixed ? 4 : 0) + Math.min(rest, 4) - 1] as number;
  }
  return tokens;
}

/** The vocabulary has runs of blanks of most lengths up to about 80. */
export function blankRunTokens(run: number, weights: Weights): number {
  if (run === 0) return 0;
  let tokens = 0;
  let rest = run;
  while (rest > 64) {
    tokens += weights[AT.blankRun + 7] as number;
    rest -= 64;
  }
  return tokens + (weights[AT.blankRun + Math.min(6, 31 - Math.clz32(rest))] as number);
}
