/**
 * The tables from which plain text (Latin letters, digits, blanks, ASCII marks) is read, so that every unit takes the same few
 * instructions: text changes its kind every few units, and a branch that a processor cannot foresee costs as much as ten
 * of them. Exact, since weights are whole multiples of a fraction of a token.
 */

import { leadTokens, letterPairTokens, markBreakTokens, markPairTokens, markStartTokens } from "./estimate-costs.ts";
import { APOSTROPHE, KIND, MARK_CONTROL, PLAIN_KINDS } from "./estimate-layout.ts";
import { COLUMN, COLUMNS, inSteps, plainSteps, STATE, type Step } from "./estimate-plain-steps.ts";

export interface PlainTables {
  /** By unit: what it adds to the index of a step as the first of two, and as the second. */
  readonly firsts: Uint8Array;
  readonly seconds: Uint8Array;
  /** By state and two units, the second of which may be `NO_SECOND`: the next state's index, flags, and the cost on top. */
  readonly steps: Int32Array;
  /** What neighbours cost, by row and unit. A row is a unit times `PLAIN_UNITS`, plus `LONE` for a mark that may lead a word. */
  readonly pairs: Int16Array;
}

/** Units of plain text are below: ASCII, and the Latin letters of nearly all languages but Vietnamese. */
export const PLAIN_UNITS = 512;
/** Where to begin: between pieces, after a unit that makes no pair. */
export const START = 0;
export const START_ROW = "0".charCodeAt(0) * PLAIN_UNITS;
export const STATE_MASK = (1 << 14) - 1;
/** Flag: not for the tables to say, or not without a look at what follows. */
export const STOP = 1 << 14;
/** Flag: the last unit is a lone mark. As a number, the distance of the rows for such marks. */
export const LONE = PLAIN_UNITS * PLAIN_UNITS;
/** Flag: the first of two is, this many bits further down. */
export const LONE_FIRST_SHIFT = 1;
export const LONE_FIRST = LONE >> LONE_FIRST_SHIFT;
/** Leaves 13 bits, which is up to 8 tokens. */
export const COST_SHIFT = 19;

/** Stands for a second unit that is not read. */
export const NO_SECOND = COLUMNS;
const SECONDS = COLUMNS + 1;
const STATE_STEPS = COLUMNS * SECONDS;

export function plainTables(weights: ArrayLike<number>, kinds: Uint8Array): PlainTables {
  const columns = columnTable();
  const seconds = new Uint8Array(kinds.length).fill(COLUMN.other);
  for (let unit = 0; unit < PLAIN_UNITS; unit++) seconds[unit] = columns[kinds[unit] as number] as number;
  const firsts = seconds.map((column) => column * SECONDS);
  return { firsts, seconds, steps: stepTable(plainSteps(weights)), pairs: pairsByUnit(pairTable(weights), kinds) };
}

function columnTable(): Uint8Array {
  const columns = new Uint8Array(256).fill(COLUMN.other);
  columns.fill(COLUMN.small, KIND.lower, KIND.upper);
  columns.fill(COLUMN.capital, KIND.upper, KIND.digit);
  columns.fill(COLUMN.mark, KIND.punctuation, KIND.punctuation + MARK_CONTROL + 1);
  columns[KIND.digit] = COLUMN.digit;
  columns[KIND.space] = COLUMN.space;
  columns[KIND.blank] = COLUMN.blank;
  columns[KIND.newline] = COLUMN.newline;
  columns[APOSTROPHE] = COLUMN.apostrophe;
  return columns;
}

/** Two units at a time take a third less: each step has to wait for the one before it. */
function stepTable(single: readonly (Step | undefined)[]): Int32Array {
  const steps = new Int32Array(STATE.count * STATE_STEPS).fill(STOP);
  single.forEach((first, index) => {
    if (first === undefined) return;
    steps[index * SECONDS + NO_SECOND] = packed(first, first.cost) | (first.afterWord ? STOP : 0);
    if (first.afterWord) return;
    for (let column = 0; column < COLUMNS; column++) {
      const second = single[first.state * COLUMNS + column];
      if (second === undefined || second.afterWord) continue;
      const loneFirst = loneFlag(first) >> LONE_FIRST_SHIFT;
      steps[index * SECONDS + column] = packed(second, first.cost + second.cost) | loneFirst;
    }
  });
  return steps;
}

function packed(last: Step, cost: number): number {
  return (cost << COST_SHIFT) | loneFlag(last) | (last.state * STATE_STEPS);
}

function loneFlag({ state }: Step): number {
  return state === STATE.loneMark ? LONE : 0;
}

/** What `pairTable` gives by kinds. */
function pairsByUnit(byKind: Int16Array, kinds: Uint8Array): Int16Array {
  const pairs = new Int16Array(2 * LONE);
  const units = Array.from({ length: PLAIN_UNITS }, (_unused, unit) => unit);
  const plain = units.filter((unit) => (kinds[unit] as number) < PLAIN_KINDS);
  for (const first of plain) {
    for (const second of plain) {
      const at = first * PLAIN_UNITS + second;
      const atKinds = (kinds[first] as number) * PLAIN_KINDS + (kinds[second] as number);
      pairs[at] = byKind[atKinds] as number;
      pairs[at + LONE] = byKind[atKinds + LONE_KINDS] as number;
    }
  }
  return pairs;
}

/** Like `LONE`, by kinds. */
const LONE_KINDS = PLAIN_KINDS * PLAIN_KINDS;

function pairTable(weights: ArrayLike<number>): Int16Array {
  const pairs = new Int16Array(2 * LONE_KINDS);
  addMarkStarts(pairs, weights);
  addMarkPairs(pairs, weights);
  addLetterPairs(pairs, weights);
  return pairs;
}

function addMarkStarts(pairs: Int16Array, weights: ArrayLike<number>): void {
  const row = new Int16Array(PLAIN_KINDS);
  const fill = (spaced: boolean): void => {
    for (let mark = 0; mark <= MARK_CONTROL; mark++) {
      row[KIND.punctuation + mark] = inSteps(markStartTokens(mark, spaced, weights));
    }
  };
  fill(false);
  for (let before = 0; before < KIND.punctuation; before++) pairs.set(row, before * PLAIN_KINDS);
  fill(true);
  pairs.set(row, KIND.space * PLAIN_KINDS);
}

function addMarkPairs(pairs: Int16Array, weights: ArrayLike<number>): void {
  for (let mark = 0; mark <= MARK_CONTROL; mark++) {
    const kind = KIND.punctuation + mark;
    const row = kind * PLAIN_KINDS;
    for (let next = 0; next <= MARK_CONTROL; next++) {
      pairs[row + KIND.punctuation + next] = inSteps(markPairTokens(mark, next, weights));
    }
    pairs[row + KIND.newline] = inSteps(markBreakTokens(mark, weights));
    pairs.copyWithin(row + LONE_KINDS, row, row + PLAIN_KINDS);
    const lead = leadTokens(kind, weights) - markStartTokens(mark, false, weights); // so far it was paid for as a piece
    pairs.fill(inSteps(lead), row + LONE_KINDS, row + LONE_KINDS + KIND.digit);
  }
}

function addLetterPairs(pairs: Int16Array, weights: ArrayLike<number>): void {
  for (let before = 0; before < KIND.digit; before++) {
    const letters = before < KIND.upper ? KIND.upper : KIND.digit; // a capital after a small letter begins a word
    for (let letter = 0; letter < letters; letter++) {
      pairs[before * PLAIN_KINDS + letter] = inSteps(letterPairTokens(before, letter, weights));
    }
  }
}
