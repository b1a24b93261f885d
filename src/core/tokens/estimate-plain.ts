/**
 * Reads a window: plain text unit by unit from tables, anything else piece by piece. Adds up exactly what reading it all
 * piece by piece would.
 */

import { AT, KIND, PLAIN_KINDS, WEIGHT_STEPS } from "./estimate-layout.ts";
import { CHARACTERS, WEIGHT_VALUES } from "./estimate-model.ts";
import { COLUMN, inSteps } from "./estimate-plain-steps.ts";
import {
  COST_SHIFT,
  LONE,
  LONE_FIRST,
  LONE_FIRST_SHIFT,
  NO_SECOND,
  PLAIN_UNITS,
  plainTables,
  START,
  START_ROW,
  STATE_MASK,
  STOP,
} from "./estimate-plain-tables.ts";
import { contractionLength, scanPiece } from "./estimate-scan.ts";
import { add, loadKinds, type Scan } from "./estimate-window.ts";

// Constants of their own: the engine folds them into the hot loop, which it does not with properties and imports.
const { firsts: FIRSTS, seconds: SECONDS, steps: STEPS, pairs: PAIRS } = plainTables(WEIGHT_VALUES, CHARACTERS.kinds);
const CONTRACTION = inSteps(WEIGHT_VALUES[AT.contraction] as number);
const STOPS = STOP;
const LONE_LAST = LONE;
const LONE_BEFORE = LONE_FIRST;
const LONE_SHIFT = LONE_FIRST_SHIFT;
const ALONE = NO_SECOND;
const STATE = STATE_MASK;
const SHIFT = COST_SHIFT;
const ROW = PLAIN_UNITS;
const QUOTE = 39;
const BEGIN = START;
const BEGIN_ROW = START_ROW;
const { other: OTHER, space: SPACE, blank: BLANK } = COLUMN;

/** Reads the window from where it stands to its end. */
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

/** Whether the next piece is no plain one: what leads a piece is one unit. */
function isNearOther({ codes, at }: Scan): boolean {
  return SECONDS[codes[at] as number] === OTHER || SECONDS[codes[at + 1] as number] === OTHER;
}

/**
 * Stops before what is not plain, the window's end included, and where the tables do not know how to go on. Returns where the last piece
 * may have begun: at the start, or with the last apostrophe behind a word.
 */
function scanPlain(scan: Scan): number {
  const { codes } = scan;
  // Once more: of a constant that is named inside nested loops the engine forgets where its memory is.
  const firsts = FIRSTS;
  const seconds = SECONDS;
  const steps = STEPS;
  const pairs = PAIRS;
  let { at } = scan;
  let floor = at;
  let sum = 0;
  for (;;) {
    let state = BEGIN;
    let row = BEGIN_ROW;
    // The hot loop: two units at a time, by their codes. A call in it would make the engine look at the arrays anew at every turn.
    for (;;) {
      const first = codes[at] as number;
      const second = codes[at + 1] as number;
      const from = state + (firsts[first] as number);
      let step = steps[from + (seconds[second] as number)] as number;
      if ((step & STOPS) === 0) {
        const secondRow = first * ROW + ((step & LONE_BEFORE) << LONE_SHIFT);
        sum = (sum + (step >> SHIFT) + (pairs[row + first] as number) + (pairs[secondRow + second] as number)) | 0;
        row = second * ROW + (step & LONE_LAST);
        state = step & STATE;
        at += 2;
        continue;
      }
      step = steps[from + ALONE] as number;
      if ((step & STOPS) !== 0) break;
      sum = (sum + (step >> SHIFT) + (pairs[row + first] as number)) | 0;
      row = first * ROW + (step & LONE_LAST);
      state = step & STATE;
      at++;
    }
    if (codes[at] !== QUOTE) break;
    // It ends the word, either way: as a contraction, or as a mark that is read like the first one of a text.
    const suffix = contractionLength(codes, at + 1);
    if (suffix > 0) sum = (sum + CONTRACTION) | 0;
    at += suffix;
    floor = at;
  }
  add(scan, sum / WEIGHT_STEPS);
  scan.at = at;
  return floor;
}

/**
 * Goes back to where the piece before the stop may have begun, since what stops the loop may belong to it, and takes back
 * what was added for it. Blanks have not been paid for.
 */
function unread(scan: Scan, floor: number): void {
  const { kinds, at: stop } = scan;
  let end = stop;
  while (end > floor && isBlank(kinds[end - 1] as number)) end--;
  scan.at = end;
  if (stop === scan.length) return;
  let start = end;
  // A word that goes on: with a rarer letter, or behind too many capitals for the tables to count.
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

/** Whatever led the first word stays paid for: it is read again as a word that nothing leads, as it is taken back. */
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

function isLatin(kind: number): boolean {
  return kind < KIND.digit;
}

function isCapital(kind: number): boolean {
  return kind >= KIND.upper && kind < KIND.digit;
}

function isBetweenWords(kind: number): boolean {
  return kind > KIND.digit && kind < PLAIN_KINDS;
}
