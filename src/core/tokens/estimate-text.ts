/**
 * The default estimate of a text's tokens: a linear model over the pieces a byte-pair tokenizer would split it into, fitted
 * to exact o200k counts of text in every script (bench/estimator-fit.ts; how well it does: `npm run estimator` in bench/).
 * Linear time on any input, no regular expression, nothing allocated per piece. Never exact: see `palimpsest/tokens/exact`.
 */

import { copyUnits, createTextUnits } from "../text.ts";
import { AT, CHARACTERS, type Characters, KIND, PLAIN_KINDS, WEIGHT_STEPS, WEIGHT_VALUES } from "./estimate-model.ts";
import { COLUMN, inSteps, PLAIN, plainTables } from "./estimate-plain-tables.ts";
import { contractionLength, isCapital, isLatin, type Scan, scanPiece } from "./estimate-scan.ts";

/** After the last unit: the end for any look ahead. */
const LOOK_AHEAD = 2;
/** Room behind the units of a window: for the look ahead, and for whole fours of kinds. */
const MARGIN_UNITS = 4;
/** Not a character: ends plain text, and does not complete half an emoji before it. */
const END_CODE = 0xe000;

/** Small enough for a processor's nearest cache, large enough that most messages are one window. */
const WINDOW_UNITS = 8_192;
/** Scratch space. Every call fills it afresh and returns before another can begin, so nothing is ever shared. */
const scan = createScan(CHARACTERS, WEIGHT_VALUES, WINDOW_UNITS);

// Constants of their own: the engine folds them into the hot loop, which it does not with properties and imports.
const { firsts: FIRSTS, seconds: SECONDS, steps: STEPS, pairs: PAIRS } = plainTables(WEIGHT_VALUES, CHARACTERS.kinds);
const CONTRACTION = inSteps(WEIGHT_VALUES[AT.contraction] as number);
const { STOP, LONE, LONE_FIRST, LONE_SHIFT, NO_SECOND, STATE_MASK, COST_SHIFT, UNITS, START_ROW } = PLAIN;
const QUOTE = 39;
const { other: OTHER, space: SPACE, blank: BLANK } = COLUMN;

/** Tokens of a text. Fractional, so that sums of many short texts do not gather rounding errors. */
export function estimateText(text: string): number {
  scan.tokens[0] = 0;
  for (let from = 0; from < text.length; ) {
    from = loadCodes(scan, text, from);
    scanWindow(scan);
  }
  return scan.tokens[0] ?? 0;
}

/** Reads the window: plain text unit by unit from tables, anything else piece by piece. The sum is that of reading all piece by piece. */
export function scanWindow(scan: Scan): void {
  while (scan.at < scan.length) {
    const from = scan.at;
    const floor = scanPlain(scan);
    const stop = scan.at;
    if (stop === scan.length && !endsBlank(scan)) return;
    if (!scan.hasKinds) loadKinds(scan);
    if (stop > from) unread(scan, floor);
    do scanPiece(scan);
    while (scan.at < scan.length && (scan.at <= stop || isNearOther(scan)));
  }
}

/** Whether the last unit is a blank. */
function endsBlank({ codes, length }: Scan): boolean {
  const column = SECONDS[codes[length - 1] as number] as number;
  return column === SPACE || column === BLANK;
}

/** Whether the next piece is not plain: at most one unit leads a piece. */
function isNearOther({ codes, at }: Scan): boolean {
  return SECONDS[codes[at] as number] === OTHER || SECONDS[codes[at + 1] as number] === OTHER;
}

/**
 * Stops at the window's end, before a unit that is not plain, and where the tables do not know how to go on. Returns the earliest place
 * where the last piece may have begun: the start, or the last apostrophe after a word.
 */
function scanPlain(scan: Scan): number {
  const { codes } = scan;
  // Locals, because the engine reloads the memory of a module constant inside nested loops.
  const firsts = FIRSTS;
  const seconds = SECONDS;
  const steps = STEPS;
  const pairs = PAIRS;
  let { at } = scan;
  let floor = at;
  let sum = 0;
  for (;;) {
    let state = 0;
    let row = START_ROW;
    // The hot loop: two units at a time, by their codes. A call in it would make the engine reload the arrays at every turn.
    for (;;) {
      const first = codes[at] as number;
      const second = codes[at + 1] as number;
      const from = state + (firsts[first] as number);
      let step = steps[from + (seconds[second] as number)] as number;
      if ((step & STOP) === 0) {
        const secondRow = first * UNITS + ((step & LONE_FIRST) << LONE_SHIFT);
        sum = (sum + (step >> COST_SHIFT) + (pairs[row + first] as number) + (pairs[secondRow + second] as number)) | 0;
        row = second * UNITS + (step & LONE);
        state = step & STATE_MASK;
        at += 2;
        continue;
      }
      step = steps[from + NO_SECOND] as number;
      if ((step & STOP) !== 0) break;
      sum = (sum + (step >> COST_SHIFT) + (pairs[row + first] as number)) | 0;
      row = first * UNITS + (step & LONE);
      state = step & STATE_MASK;
      at++;
    }
    if (codes[at] !== QUOTE) break;
    // The apostrophe ends the word: as a contraction, or as a mark that begins a new piece.
    const suffix = contractionLength(codes, at + 1);
    if (suffix > 0) sum = (sum + CONTRACTION) | 0;
    at += suffix;
    floor = at;
  }
  scan.tokens[0] = (scan.tokens[0] as number) + sum / WEIGHT_STEPS;
  scan.at = at;
  return floor;
}

/** Goes back to where the piece before the stop may have begun, and subtracts what was added for it. */
function unread(scan: Scan, floor: number): void {
  const { kinds, at: stop } = scan;
  let end = stop;
  while (end > floor && isBlank(kinds[end - 1] as number)) end--;
  scan.at = end;
  if (stop === scan.length) return;
  let start = end;
  // The word goes on: with a rarer letter, or after more capitals than the tables count.
  if (end === stop && isLatin(kinds[stop] as number)) start = wordStart(kinds, end, floor);
  // Marks and line breaks go on with what is not plain.
  if (start === end) while (start > floor && isBetweenWords(kinds[start - 1] as number)) start--;
  if (start < end) takeBack(scan, start, end);
}

/** Capitals, then small letters. */
function wordStart(kinds: Uint8Array, end: number, floor: number): number {
  let start = end;
  while (start > floor && (kinds[start - 1] as number) < KIND.upper) start--;
  while (start > floor && isCapital(kinds[start - 1] as number)) start--;
  return start;
}

/** The cost of the unit that led the first word stays: the word is subtracted, and read again, as one that nothing leads. */
function takeBack(scan: Scan, start: number, end: number): void {
  const { kinds, tokens } = scan;
  const before = tokens[0] as number;
  const kind = kinds[end] as number;
  kinds[end] = KIND.end;
  scan.at = start;
  while (scan.at < end) scanPiece(scan);
  kinds[end] = kind;
  tokens[0] = 2 * before - (tokens[0] as number);
  scan.at = start;
}

function isBlank(kind: number): boolean {
  return kind === KIND.space || kind === KIND.blank;
}

function isBetweenWords(kind: number): boolean {
  return kind > KIND.digit && kind < PLAIN_KINDS;
}

export function createScan(characters: Characters, weights: ArrayLike<number>, windowUnits: number): Scan {
  const units = ((windowUnits + 3) & ~3) + MARGIN_UNITS;
  const memory = createTextUnits(units);
  const codes = memory.units;
  const kinds = new Uint8Array(units);
  return {
    codes,
    memory,
    kinds,
    hasKinds: false,
    codePairs: new Uint32Array(codes.buffer),
    kindFours: new Uint32Array(kinds.buffer),
    characters,
    weights,
    tokens: new Float64Array(1),
    length: 0,
    at: 0,
  };
}

/** Moves the window to a place in a text; returns where the next window begins. */
export function loadWindow(scan: Scan, text: string, from: number): number {
  const next = loadCodes(scan, text, from);
  loadKinds(scan);
  return next;
}

/** The same without the kinds. */
export function loadCodes(scan: Scan, text: string, from: number): number {
  const { codes } = scan;
  const filled = Math.min(codes.length - MARGIN_UNITS, text.length - from);
  copyUnits(scan.memory, text, from, from + filled);
  const length = from + filled < text.length ? lastSpace(codes, filled) : filled;
  for (let index = length; index < length + LOOK_AHEAD; index++) codes[index] = END_CODE;
  scan.length = length;
  scan.at = 0;
  scan.hasKinds = false;
  return from + length;
}

/** Of what kind each unit of the window is. */
export function loadKinds(scan: Scan): void {
  const { codePairs, kindFours, kinds, length } = scan;
  const kindOf = scan.characters.kinds;
  // Four at a time takes half of the time.
  for (let four = 0; four < (length + 3) >> 2; four++) {
    const low = codePairs[2 * four] as number;
    const high = codePairs[2 * four + 1] as number;
    kindFours[four] =
      (kindOf[low & 0xffff] as number) |
      ((kindOf[low >>> 16] as number) << 8) |
      ((kindOf[high & 0xffff] as number) << 16) |
      ((kindOf[high >>> 16] as number) << 24);
  }
  for (let index = length; index < length + LOOK_AHEAD; index++) kinds[index] = KIND.end;
  scan.hasKinds = true;
}

/** How far back a window's end moves so as not to cut a word; a longer word is cut. */
const WORD_UNITS_MAX = 256;

function lastSpace(codes: Uint16Array, length: number): number {
  const from = Math.max(0, length - WORD_UNITS_MAX) + 1;
  const space = codes.subarray(from, length).lastIndexOf(" ".charCodeAt(0));
  return space < 0 ? length : from + space;
}
