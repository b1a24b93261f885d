/**
 * A window onto a text for the text model: units and their kinds in typed arrays, and what the text costs so far. Filled
 * again for every text; holds nothing else.
 */

import { copyUnits, createTextUnits, type TextUnits } from "../text-units.ts";
import { KIND } from "./estimate-layout.ts";

/** What the model knows of characters. */
export interface Characters {
  /** Kind of each UTF-16 unit. */
  readonly kinds: Uint8Array;
  /** How rare a character is, 0 to 3: tokens it takes alone, less one. */
  readonly rarity: Uint8Array;
  /** The same for U+1F000 to U+1FFFF. */
  readonly emojiRarity: Uint8Array;
  /** Bits of the pairs of characters that the vocabulary holds as one. */
  readonly pairs: Uint8Array;
  /** Bits of the words, in alphabets other than Latin, that the vocabulary holds whole. */
  readonly words: Uint8Array;
}

/** A window onto a text. Typed arrays, since reading a string unit by unit asks each time how the string is stored. */
export interface Scan {
  /** The units of the window, then `END_CODE`. */
  readonly codes: Uint16Array;
  /** Of which `codes` are the units. */
  readonly memory: TextUnits;
  /** Kind of each unit of the window, then `KIND.end`. */
  readonly kinds: Uint8Array;
  /** Whether `kinds` are those of this window: most windows are read by their codes alone. */
  hasKinds: boolean;
  /** The memory of `codes` in twos and that of `kinds` in fours, the first of them in the lowest bits. */
  readonly codePairs: Uint32Array;
  readonly kindFours: Uint32Array;
  readonly characters: Characters;
  readonly weights: ArrayLike<number>;
  /** One number; a plain field would be boxed anew at every addition. */
  readonly tokens: Float64Array;
  length: number;
  at: number;
}

/** After the last unit: the end for any look ahead. */
const LOOK_AHEAD = 2;
/** What a window has room for behind its units: those, and whole fours for the kinds. */
const MARGIN_UNITS = 4;
/** Not a character: ends plain text, and tells nothing of half an emoji before it. */
const END_CODE = 0xe000;

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

/** Adds to what the text costs so far. */
export function add(scan: Scan, tokens: number): void {
  scan.tokens[0] = (scan.tokens[0] as number) + tokens;
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
const SPACE = 32;

function lastSpace(codes: Uint16Array, length: number): number {
  for (let index = length - 1; index > Math.max(0, length - WORD_UNITS_MAX); index--) {
    if (codes[index] === SPACE) return index;
  }
  return length;
}
