/**
 * How plain text is read unit by unit: by state and column (a group of kinds), the state that follows and what that costs.
 * A state knows what piece the reader is in and how long it is so far. What depends on which letters or marks stand next to
 * one another is no part of it: see `pairs` in estimate-plain-tables.ts. Blanks are not paid for until it is known what they lead.
 */

import { blankRunTokens, breakTokens, leadTokens, unledTokens, wordTokens } from "./estimate-costs.ts";
import { AT, KIND, LENGTHS, WEIGHT_STEPS } from "./estimate-layout.ts";

export interface Step {
  readonly state: number;
  /** As `inSteps` gives it. */
  readonly cost: number;
  /** Whether it has to be seen first that no contraction begins here. */
  readonly afterWord: boolean;
}

export const COLUMN = {
  small: 0,
  capital: 1,
  digit: 2,
  space: 3,
  blank: 4,
  newline: 5,
  mark: 6,
  apostrophe: 7,
  /** All that is not plain. */
  other: 8,
} as const;
export const COLUMNS = 9;

/** From here on every further letter costs the same. */
const LETTERS_MAX = LENGTHS - 1;
/** Longer runs are too rare for states of their own. */
const BLANKS_MAX = 32;
const BREAKS_MAX = 3;

/** By how far they count. The state for a length is the number given here plus the length. */
export const STATE = numbered({
  start: 0,
  /** A mark that leads the word if a letter follows. */
  loneMark: 0,
  marks: 0,
  markBreaks: 0,
  oneDigit: 0,
  twoDigits: 0,
  breaks: BREAKS_MAX,
  /** Blanks of which the last is a space, and of which it is another. */
  spaces: BLANKS_MAX,
  blanks: BLANKS_MAX,
  small: LETTERS_MAX,
  capitals: LETTERS_MAX,
  /** A capital, or more than one, and small letters. */
  title: LETTERS_MAX,
  mixed: LETTERS_MAX,
  count: 0,
});

function numbered<Name extends string>(lengths: Readonly<Record<Name, number>>): Readonly<Record<Name, number>> {
  let next = 0;
  const entries = Object.entries<number>(lengths).map(([name, length]) => {
    const first = next;
    next += length + 1;
    return [name, first];
  });
  return Object.fromEntries(entries) as Record<Name, number>; // the names are those of `lengths`
}

/** Whole, since weights are stored in such steps. */
export function inSteps(tokens: number): number {
  return Math.round(tokens * WEIGHT_STEPS);
}

/** By state times `COLUMNS` plus column; undefined where the reader cannot go on without looking back. */
export function plainSteps(weights: ArrayLike<number>): readonly (Step | undefined)[] {
  const table = createTable(weights);
  table.over(STATE.start);
  addDigits(table);
  addMarks(table);
  addBreaks(table);
  addBlanks(table);
  addWords(table);
  return table.steps;
}

interface Table {
  readonly steps: readonly (Step | undefined)[];
  readonly weights: ArrayLike<number>;
  readonly digitTokens: number;
  step(from: number, column: number, state: number, tokens?: number): void;
  stop(from: number, column: number): void;
  /** The first letter of a word, with what the word costs for what leads it. */
  begin(from: number, tokens: number): void;
  mark(from: number, state: number, tokens?: number): void;
  /** All that may follow a piece which is over. */
  over(from: number): void;
}

function createTable(weights: ArrayLike<number>): Table {
  const steps: (Step | undefined)[] = Array.from({ length: STATE.count * COLUMNS });
  const digitTokens = weights[AT.digits] as number; // the layout has as many weights as it names
  const step = (from: number, column: number, state: number, tokens = 0): void => {
    const afterWord = column === COLUMN.apostrophe && from > STATE.small;
    steps[from * COLUMNS + column] = { state, cost: inSteps(tokens), afterWord };
  };
  const begin = (from: number, tokens: number): void => {
    step(from, COLUMN.small, STATE.small + 1, tokens + wordTokens(1, 0, weights));
    step(from, COLUMN.capital, STATE.capitals + 1, tokens + wordTokens(1, 1, weights));
  };
  const mark = (from: number, state: number, tokens = 0): void => {
    step(from, COLUMN.mark, state, tokens);
    step(from, COLUMN.apostrophe, state, tokens);
  };
  const stop = (from: number, column: number): void => {
    steps[from * COLUMNS + column] = undefined;
  };
  const over = (from: number): void => {
    begin(from, unledTokens(weights));
    step(from, COLUMN.digit, STATE.oneDigit, digitTokens);
    step(from, COLUMN.space, STATE.spaces + 1);
    step(from, COLUMN.blank, STATE.blanks + 1);
    step(from, COLUMN.newline, STATE.breaks + 1, breakTokens(1, false, weights));
    mark(from, STATE.loneMark);
  };
  return { steps, weights, digitTokens, step, stop, begin, mark, over };
}

function addDigits(table: Table): void {
  table.over(STATE.oneDigit);
  table.over(STATE.twoDigits);
  table.step(STATE.oneDigit, COLUMN.digit, STATE.twoDigits);
  table.step(STATE.twoDigits, COLUMN.digit, STATE.start);
}

function addMarks(table: Table): void {
  for (const from of [STATE.loneMark, STATE.marks]) {
    table.over(from);
    table.mark(from, STATE.marks);
    table.step(from, COLUMN.newline, STATE.markBreaks);
  }
  table.begin(STATE.loneMark, 0); // the pair of mark and letter says what that costs
  table.over(STATE.markBreaks);
  table.step(STATE.markBreaks, COLUMN.newline, STATE.markBreaks);
}

function addBreaks(table: Table): void {
  for (let breaks = 1; breaks <= BREAKS_MAX; breaks++) {
    const from = STATE.breaks + breaks;
    table.over(from);
    const tokens = breakTokens(breaks + 1, false, table.weights) - breakTokens(breaks, false, table.weights);
    if (breaks < BREAKS_MAX) table.step(from, COLUMN.newline, from + 1, tokens);
    else table.stop(from, COLUMN.newline);
  }
}

/** All but the last blank are a piece; the last leads a word, a space leads marks too, else it is a piece as well. */
function addBlanks(table: Table): void {
  const { weights } = table;
  for (let run = 1; run <= BLANKS_MAX; run++) {
    const spaces = STATE.spaces + run;
    const blanks = STATE.blanks + run;
    const before = blankRunTokens(run - 1, weights);
    const all = before + blankRunTokens(1, weights);
    table.begin(spaces, before + leadTokens(KIND.space, weights));
    table.begin(blanks, before + leadTokens(KIND.blank, weights));
    table.mark(spaces, STATE.marks, before);
    table.mark(blanks, STATE.loneMark, all);
    for (const from of [spaces, blanks]) {
      table.step(from, COLUMN.digit, STATE.oneDigit, all + table.digitTokens);
      if (run === BLANKS_MAX) continue;
      table.step(from, COLUMN.space, spaces + 1);
      table.step(from, COLUMN.blank, blanks + 1);
    }
  }
}

function addWords(table: Table): void {
  const word = (letters: number, capitals: number): number => wordTokens(letters, capitals, table.weights);
  for (let letters = 1; letters <= LETTERS_MAX; letters++) {
    const next = Math.min(letters + 1, LETTERS_MAX);
    const small = (state: number, capitals: number): void => {
      table.over(state + letters);
      const tokens = word(letters + 1, capitals) - word(letters, capitals);
      table.step(state + letters, COLUMN.small, state + next, tokens);
    };
    small(STATE.small, 0);
    if (letters > 1) small(STATE.title, 1);
    if (letters > 2) small(STATE.mixed, 2);
    const from = STATE.capitals + letters;
    const mixed = letters === 1 ? STATE.title : STATE.mixed;
    table.over(from);
    table.step(from, COLUMN.capital, STATE.capitals + next, word(letters + 1, letters + 1) - word(letters, letters));
    table.step(from, COLUMN.small, mixed + next, word(letters + 1, letters) - word(letters, letters));
  }
  table.stop(STATE.capitals + LETTERS_MAX, COLUMN.small); // by now it is not known how many capitals there are
}
