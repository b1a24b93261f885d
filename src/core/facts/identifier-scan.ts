/** Finds strings that nobody can guess once they are gone: paths, URLs, names in code, long numbers, hashes, codes. One pass, no strings built. */

import { copyUnits, createTextUnits, type TextUnits } from "../text.ts";
import {
  CLASS,
  CLASS_TABLE,
  endsUrl,
  RUN_CHARS_MIN,
  type VisitIdentifier,
  visitRun,
  visitUrl,
} from "./identifier-runs.ts";

// Constants of their own: see `CLASS`.
const { lower: LOWER, upper: UPPER, digit: DIGIT, slash: SLASH, dash: DASH, beyond: BEYOND } = CLASS;
const CLASSES = CLASS_TABLE;

export function scanIdentifiers(text: string, visit: VisitIdentifier): void {
  visitStretches(text, (stretch) => {
    const { offset } = stretch;
    scanUnits(stretch, offset === 0 ? visit : (start, end, kind) => visit(start + offset, end + offset, kind));
  });
}

/** Each line of a text that starts with a capitalised word, as that word with its escaped line break: `\\nSummary`. */
export function scanLineStarts(text: string, visit: (word: string) => void): void {
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    let end = at + 1;
    while (end < text.length && (bitsOf(text, end) & (LOWER | UPPER)) !== 0) end++;
    if (end - at > 2 && bitsOf(text, at + 1) === UPPER && bitsOf(text, at + 2) === LOWER) {
      visit(`\\n${text.slice(at + 1, end)}`);
    }
  }
}

function bitsOf(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 128 ? (CLASSES[code] ?? 0) : LOWER;
}

/** Scans one stretch; positions count from its start. The unit after its last ends every run and every search. */
export function scanUnits({ units, pairs, length }: Stretch, visit: VisitIdentifier): void {
  const classes = CLASSES;
  // The place after the last run's end: no later run or scheme begins before it.
  let floor = 0;
  for (let at = 0; ; ) {
    at = nextTelling(pairs, at, length);
    if (at >= length) return;
    const code = units[at] as number;
    // The table has every unit, so that no read of it fails.
    const own = classes[code] as number;
    // Beyond ASCII, and only looks like one by its lower bits.
    if (own === 0) {
      at++;
      continue;
    }
    // A mark at the end of a word makes it no identifier.
    if (own > DIGIT && classes[units[at + 1] as number] === 0) {
      at += 2;
      floor = at;
      continue;
    }
    if (code === 47 && units[at + 1] === 47 && at > floor && units[at - 1] === 58) {
      const scheme = wordStart(units, at - 1, floor);
      if (scheme < at - 1) {
        at = visitUrl(units, scheme, at - 1, visit);
        floor = at;
        continue;
      }
    }
    // A run begins with the small letters before its first telling unit.
    const start = wordStart(units, at, floor);
    let flags = start < at ? LOWER : 0;
    let previous = flags;
    for (let bits = own; bits !== 0; bits = classes[units[++at] as number] as number) {
      if (bits === BEYOND) {
        if ((flags & SLASH) === 0) break;
        bits = LOWER;
      }
      flags |= bits | humpBetween(previous, bits);
      previous = bits;
    }
    // Plain words, capitalised or not, are never identifiers, but may begin a URL.
    if (flags > (LOWER | UPPER) || flags === UPPER) {
      // Short numbers are the most frequent of what is left.
      if (at - start >= RUN_CHARS_MIN) {
        const word = start > 0 ? behindMark(units, start, at) : start;
        visitRun(units, word, at, word === start ? flags : flags | DASH, visit);
      }
    } else if (flags !== 0 && units[at] === 58 && units[at + 1] === 47 && units[at + 2] === 47) {
      at = visitUrl(units, start, at, visit);
      floor = at;
      continue;
    }
    // The unit that ended the run belongs to no other.
    at++;
    floor = at;
  }
}

/** `HUMP` for a capital behind a small letter, otherwise 0. Without a branch, since a processor cannot predict where capitals stand. */
function humpBetween(previous: number, bits: number): number {
  return ((previous << 1) & bits & UPPER) << 7; // `LOWER << 1` is `UPPER`, `UPPER << 7` is `HUMP`
}

/** The start of the small letters before a unit. */
function wordStart(units: Uint16Array, end: number, floor: number): number {
  let start = end;
  while (start > floor && CLASSES[units[start - 1] as number] === LOWER) start--;
  return start;
}

/**
 * The first position from here on that may be more than a small letter, a blank or a mark that no identifier has: its unit is one of
 * `-` to `9`, `@` to `Z` or `_`, or looks so by its lower bits. Two units are tested at once, since most of any text is passed over
 * here. Adding 0x53 sets the eighth bit of what is not below `-`, adding 0x46 that of what is above `9`; where only one of the two
 * sets it, the unit is between them. The same for the other two ranges: doubling sets the bit of what is not below `@`.
 * Without a branch but the loop's own: a branch that the processor cannot predict costs as much as ten units.
 */
function nextTelling(pairs: Int32Array, from: number, end: number): number {
  // Of the first pair, the half before the start does not count.
  let wanted = 0x80_0080 - ((from & 1) << 7);
  let pair = from >> 1;
  // As far as the unit behind the end, which is a telling one. Not as far as the array: the engine takes its length for more than 32
  // bits, compares it at twice the cost, and where it is returned carries every position of the scan as a double.
  for (const last = end >> 1; pair <= last; pair++) {
    const low = (pairs[pair] as number) & 0x7f_007f; // inside the array
    const toNine = (low + 0x53_0053) ^ (low + 0x46_0046);
    const toZ = (low << 1) ^ (low + 0x25_0025);
    const underscore = (low + 0x21_0021) ^ (low + 0x20_0020);
    const telling = (toNine ^ toZ ^ underscore) & wanted;
    if (telling !== 0) return 2 * pair + 1 - ((telling >> 7) & 1);
    wanted = 0x80_0080;
  }
  return 2 * pair;
}

/** Where the run begins without what an escaped line break or a terminal's colour glues to it: `\\n`, `[34m`. */
function behindMark(units: Uint16Array, start: number, end: number): number {
  const before = units[start - 1];
  if (before === 92) return isEscapeLetter(units[start] as number) ? start + 1 : start;
  if (before !== 91 && before !== 59) return start;
  let at = start;
  while (at < end && at - start < COLOUR_DIGITS_MAX && CLASSES[units[at] as number] === DIGIT) at++;
  // `m` ends a colour, `K` the clearing of a line.
  return at > start && at < end && (units[at] === 109 || units[at] === 75) ? at + 1 : start;
}

const COLOUR_DIGITS_MAX = 3;

/** Of `\\n`, `\\r` and `\\t`. */
function isEscapeLetter(code: number): boolean {
  return code === 110 || code === 114 || code === 116;
}

/** A piece of a text as units. Valid during the call only. */
export interface Stretch {
  /** `length` units of the text from `offset` on, then one that ends every identifier, then zeros. */
  readonly units: Uint16Array;
  /** The same memory, two units at a time, the first of them in the lower half. */
  readonly pairs: Int32Array;
  readonly length: number;
  readonly offset: number;
}

/** Most texts are one stretch; still small beside any conversation. */
const STRETCH_UNITS = 32_768;
/** The longest look ahead is `://` after a word. Even, for `pairs`. */
const LOOK_AHEAD = 4;
/** `°`: ends runs and URLs, and is one of the units that a search for identifiers stops at, since by its lower bits it is a digit. */
const END = 0xb0;

let spare: Memory | undefined;

/**
 * Visits the units of a text, a stretch at a time, in memory that is used again: reading a string unit by unit asks each time how the
 * string is stored. A stretch never ends inside an identifier. A scan inside a scan gets its own memory.
 */
export function visitStretches(text: string, visit: (stretch: Stretch) => void): void {
  let memory = spare ?? createMemory(STRETCH_UNITS);
  // Taken out while in use, so that neither a scan inside this one nor one that throws can disturb the next.
  spare = undefined;
  for (let from = 0; from < text.length; ) {
    const end = stretchEnd(text, from);
    if (end - from > memory.capacity) memory = createMemory(end - from);
    fill(memory, text, from, end);
    const { units, pairs } = memory;
    visit({ units, pairs, length: end - from, offset: from });
    from = end;
  }
  if (memory.capacity === STRETCH_UNITS) spare = memory;
}

interface Memory extends TextUnits {
  readonly capacity: number;
  readonly pairs: Int32Array;
}

function createMemory(capacity: number): Memory {
  const memory = createTextUnits(capacity + (capacity & 1) + LOOK_AHEAD);
  return { ...memory, capacity, pairs: new Int32Array(memory.units.buffer) };
}

function fill(memory: Memory, text: string, from: number, end: number): void {
  const { units } = memory;
  const length = end - from;
  copyUnits(memory, text, from, end);
  units[length] = END;
  for (let at = length + 1; at < length + LOOK_AHEAD; at++) units[at] = 0;
}

/** The last boundary within a stretch's length; without one, the next boundary, however far. */
function stretchEnd(text: string, from: number): number {
  const furthest = from + STRETCH_UNITS;
  if (furthest >= text.length) return text.length;
  for (let at = furthest; at > from; at--) if (isBoundary(text.charCodeAt(at))) return at;
  let at = furthest + 1;
  while (at < text.length && !isBoundary(text.charCodeAt(at))) at++;
  return at;
}

/** Whether no identifier contains the unit or depends on what follows it. */
function isBoundary(code: number): boolean {
  return endsUrl(code) && CLASSES[code] === 0;
}
