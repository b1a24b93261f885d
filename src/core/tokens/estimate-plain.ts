/**
 * Reads a window: plain text unit by unit from tables, anything else piece by piece. Adds up exactly what reading it all
 * piece by piece would.
 */

import { APOSTROPHE, AT, KIND, PLAIN_KINDS, WEIGHT_STEPS } from "./estimate-layout.ts";
import { WEIGHT_VALUES } from "./estimate-model.ts";
import { inSteps } from "./estimate-plain-steps.ts";
import {
  COST_SHIFT,
  LONE,
  LONE_FIRST,
  LONE_FIRST_SHIFT,
  NO_SECOND,
  plainTables,
  START,
  START_ROW,
  STATE_MASK,
  STOP,
} from "./estimate-plain-tables.ts";
import { contractionLength, scanPiece } from "./estimate-scan.ts";
import { add, type Scan } from "./estimate-window.ts";

// Constants of their own: the engine folds them into the hot loop, which it does not with properties and imports.
const { firsts: FIRSTS, seconds: SECONDS, steps: STEPS, pairs: PAIRS } = plainTables(WEIGHT_VALUES);
const CONTRACTION = inSteps(WEIGHT_VALUES[AT.contraction] as number);
const STOPS = STOP;
const LONE_LAST = LONE;
const LONE_BEFORE = LONE_FIRST;
const LONE_SHIFT = LONE_FIRST_SHIFT;
const ALONE = NO_SECOND;
const STATE = STATE_MASK;
const SHIFT = COST_SHIFT;
const ROW = PLAIN_KINDS;
const QUOTE = APOSTROPHE;
const BEGIN = START;
const BEGIN_ROW = START_ROW;

/** Reads the window from where it stands to its end. */
export function scanWindow(scan: Scan): void {
  while (scan.at < scan.length) {
    const from = scan.at;
    scanPlain(scan);
    const stop = scan.at;
    if (stop > from) unread(scan, from);
    if (scan.at === scan.length) return;
    do scanPiece(scan);
    while (scan.at < scan.length && (scan.at <= stop || isNearOther(scan)));
  }
}

/** Whether the next piece is no plain one: what leads a piece is one unit. */
function isNearOther({ kinds, at }: Scan): boolean {
  return (kinds[at] as number) >= ROW || (kinds[at + 1] as number) >= ROW;
}

/**
 * The hot loop: two units at a time. Stops before what is not plain, the window's end included, and where the tables do
 * not know how to go on.
 */
function scanPlain(scan: Scan): void {
  const { kinds } = scan;
  let { at } = scan;
  let sum = 0;
  let state = BEGIN;
  let row = BEGIN_ROW;
  for (;;) {
    const first = kinds[at] as number;
    const second = kinds[at + 1] as number;
    const from = state + (FIRSTS[first] as number);
    let step = STEPS[from + (SECONDS[second] as number)] as number;
    if ((step & STOPS) === 0) {
      const secondRow = first * ROW + ((step & LONE_BEFORE) >> LONE_SHIFT);
      sum = (sum + (step >> SHIFT) + (PAIRS[row + first] as number) + (PAIRS[secondRow + second] as number)) | 0;
      row = second * ROW + (step & LONE_LAST);
      state = step & STATE;
      at += 2;
      continue;
    }
    step = STEPS[from + ALONE] as number;
    if ((step & STOPS) !== 0) {
      if (first !== QUOTE) break;
      const suffix = contractionLength(kinds, at + 1);
      if (suffix > 0) {
        sum = (sum + CONTRACTION) | 0;
        at += suffix;
        state = BEGIN;
        row = BEGIN_ROW;
        continue;
      }
    }
    sum = (sum + (step >> SHIFT) + (PAIRS[row + first] as number)) | 0;
    row = first * ROW + (step & LONE_LAST);
    state = step & STATE;
    at++;
  }
  add(scan, sum / WEIGHT_STEPS);
  scan.at = at;
}

/**
 * Goes back to where the piece before the stop may have begun, since what stops the loop may belong to it, and takes back
 * what was added for it. Blanks have not been paid for.
 */
function unread(scan: Scan, from: number): void {
  const { kinds, at: stop } = scan;
  let end = stop;
  while (end > from && isBlank(kinds[end - 1] as number)) end--;
  scan.at = end;
  if (stop === scan.length) return;
  // Either capitals, too many for the tables to count, or marks and line breaks, which go on with what is not plain.
  const sameRun = isLatin(kinds[end - 1] as number) ? isCapital : isBetweenWords;
  let start = end;
  while (start > from && sameRun(kinds[start - 1] as number)) start--;
  if (start < end) takeBack(scan, start, end);
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
