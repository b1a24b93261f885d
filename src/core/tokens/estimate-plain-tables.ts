/**
 * Builds the tables that read plain text (Latin letters, digits, blanks, ASCII marks), so that every unit takes the same few
 * instructions: text changes its kind every few units, and a branch that a processor cannot predict costs as much as ten of them.
 * Exact, since weights are whole multiples of a fraction of a token.
 *
 * The reader looks up each unit by state and column (a group of kinds) and finds the next state and a cost. A state says which piece the
 * reader is in and how long the piece is so far. `pairs` holds what depends on neighbouring letters or marks. The cost of blanks is added
 * when it is known what follows them.
 */

import {
  APOSTROPHE,
  AT,
  KIND,
  LENGTHS,
  MARK_CONTROL,
  MARK_NEWLINE,
  PLAIN_KINDS,
  WEIGHT_STEPS,
} from "./estimate-model.ts";
import {
  blankRunTokens,
  breakTokens,
  leadTokens,
  letterPairTokens,
  markPairTokens,
  markStartTokens,
  wordTokens,
} from "./estimate-scan.ts";

interface Step {
  readonly state: number;
  /** As `inSteps` gives it. */
  readonly cost: number;
  /** Whether the reader first has to check that no contraction begins here. */
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
const COLUMNS = 9;

/** From here on every further letter costs the same. */
const LETTERS_MAX = LENGTHS - 1;
/** Longer runs are too rare for states of their own. */
const BLANKS_MAX = 32;
const BREAKS_MAX = 3;

/** The states, each with the greatest length that it counts. The state for a length is the first number of the name plus the length. */
const STATE = numbered({
  start: 0,
  /** A mark that leads the word if a letter follows. */
  loneMark: 0,
  marks: 0,
  markBreaks: 0,
  oneDigit: 0,
  twoDigits: 0,
  breaks: BREAKS_MAX,
  /** Blanks that end with a space; blanks that end with another blank. */
  spaces: BLANKS_MAX,
  blanks: BLANKS_MAX,
  small: LETTERS_MAX,
  capitals: LETTERS_MAX,
  /** Small letters after one capital, and after more than one. */
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

interface PlainTables {
  /** By unit: what it adds to the index of a step as the first of two, and as the second. */
  readonly firsts: Uint8Array;
  readonly seconds: Uint8Array;
  /** By state and two units, the second of which may be `NO_SECOND`: the next state's index, flags, and the cost on top. */
  readonly steps: Int32Array;
  /** What neighbours cost, by row and unit. A row is a unit times `UNITS`, plus `LONE` for a mark that may lead a word. */
  readonly pairs: Int16Array;
}

const UNITS = 512;
const LONE = UNITS * UNITS;
/** The first of two is a lone mark: `LONE`, so many bits further down. */
const LONE_SHIFT = 1;

/** How to read the tables. A step is the next state's index, flags, and a cost above them. */
export const PLAIN = {
  /** Units of plain text are below: ASCII, and the Latin letters of nearly all languages but Vietnamese. */
  UNITS,
  /** The row to begin with, after a unit that makes no pair; the state to begin with is 0. */
  START_ROW: "0".charCodeAt(0) * UNITS,
  STATE_MASK: (1 << 14) - 1,
  /** Flag: the tables do not know, or the reader has to look at what follows. */
  STOP: 1 << 14,
  /** Flag: the last unit is a lone mark. As a number, the distance of the rows for such marks. */
  LONE,
  /** Flag: the first of two units is a lone mark. */
  LONE_FIRST: LONE >> LONE_SHIFT,
  LONE_SHIFT,
  /** Leaves 13 bits, which is up to 8 tokens. */
  COST_SHIFT: 19,
  /** The column of a second unit that is not read. */
  NO_SECOND: COLUMNS,
} as const;

const SECONDS = COLUMNS + 1;
const STATE_STEPS = COLUMNS * SECONDS;

export function plainTables(weights: ArrayLike<number>, kinds: Uint8Array): PlainTables {
  const columns = columnTable();
  const seconds = new Uint8Array(kinds.length).fill(COLUMN.other);
  for (let unit = 0; unit < UNITS; unit++) seconds[unit] = columns[kinds[unit] as number] as number;
  const firsts = seconds.map((column) => column * SECONDS);
  return { firsts, seconds, steps: stepTable(plainSteps(weights)), pairs: pairTable(weights, kinds) };
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

/** Reading two units at a time takes a third less, since each step waits for the one before it. */
function stepTable(single: readonly (Step | undefined)[]): Int32Array {
  const steps = new Int32Array(STATE.count * STATE_STEPS).fill(PLAIN.STOP);
  single.forEach((first, index) => {
    if (first === undefined) return;
    steps[index * SECONDS + PLAIN.NO_SECOND] = packed(first, first.cost) | (first.afterWord ? PLAIN.STOP : 0);
    if (first.afterWord) return;
    for (let column = 0; column < COLUMNS; column++) {
      const second = single[first.state * COLUMNS + column];
      if (second === undefined || second.afterWord) continue;
      const loneFirst = loneFlag(first) >> LONE_SHIFT;
      steps[index * SECONDS + column] = packed(second, first.cost + second.cost) | loneFirst;
    }
  });
  return steps;
}

function packed(last: Step, cost: number): number {
  return (cost << PLAIN.COST_SHIFT) | loneFlag(last) | (last.state * STATE_STEPS);
}

function loneFlag({ state }: Step): number {
  return state === STATE.loneMark ? LONE : 0;
}

function pairTable(weights: ArrayLike<number>, kinds: Uint8Array): Int16Array {
  const byKind = Array.from({ length: 2 * PLAIN_KINDS * PLAIN_KINDS }, (_unused, index) => {
    const before = (index >> KIND_BITS) % PLAIN_KINDS;
    return inSteps(pairTokens(before, index % PLAIN_KINDS, index >= PLAIN_KINDS * PLAIN_KINDS, weights));
  });
  const pairs = new Int16Array(2 * LONE);
  const units = Array.from({ length: UNITS }, (_unused, unit) => unit);
  const plain = units.filter((unit) => (kinds[unit] as number) < PLAIN_KINDS);
  for (const first of plain) {
    for (const second of plain) {
      const at = (kinds[first] as number) * PLAIN_KINDS + (kinds[second] as number);
      pairs[first * UNITS + second] = byKind[at] as number;
      pairs[first * UNITS + second + LONE] = byKind[at + PLAIN_KINDS * PLAIN_KINDS] as number;
    }
  }
  return pairs;
}

const KIND_BITS = Math.log2(PLAIN_KINDS);

/** What two neighbours cost, by their kinds, on top of their steps. `isLone`: the first is a mark that may lead a word. */
function pairTokens(before: number, kind: number, isLone: boolean, weights: ArrayLike<number>): number {
  const mark = before - KIND.punctuation;
  if (kind >= KIND.punctuation) {
    const next = kind - KIND.punctuation;
    return mark >= 0 ? markPairTokens(mark, next, weights) : markStartTokens(next, before === KIND.space, weights);
  }
  if (mark >= 0) {
    if (kind === KIND.newline) return markPairTokens(mark, MARK_NEWLINE, weights);
    if (!isLone || kind >= KIND.digit) return 0;
    return leadTokens(before, weights) - markStartTokens(mark, false, weights); // so far it was paid for as a piece
  }
  const letters = before < KIND.upper ? KIND.upper : KIND.digit; // a capital after a small letter begins a word
  return before < KIND.digit && kind < letters ? letterPairTokens(before, kind, weights) : 0;
}

/** Indexed by state times `COLUMNS` plus column; undefined where the reader has to look back. */
function plainSteps(weights: ArrayLike<number>): readonly (Step | undefined)[] {
  const table = createTable(weights);
  table.over(STATE.start);
  table.over(STATE.oneDigit);
  table.over(STATE.twoDigits);
  table.step(STATE.oneDigit, COLUMN.digit, STATE.twoDigits);
  table.step(STATE.twoDigits, COLUMN.digit, STATE.start);
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
  /** Everything that may follow a finished piece. */
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
    begin(from, leadTokens(KIND.end, weights));
    step(from, COLUMN.digit, STATE.oneDigit, digitTokens);
    step(from, COLUMN.space, STATE.spaces + 1);
    step(from, COLUMN.blank, STATE.blanks + 1);
    step(from, COLUMN.newline, STATE.breaks + 1, breakTokens(1, false, weights));
    mark(from, STATE.loneMark);
  };
  return { steps, weights, digitTokens, step, stop, begin, mark, over };
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

/** All blanks but the last are a piece. The last leads a word, or marks if it is a space; otherwise it is a piece too. */
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
  table.stop(STATE.capitals + LETTERS_MAX, COLUMN.small); // the state no longer says how many capitals there are
}
