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
  readonly codes: Uint16Array;
  /** Of which `codes` are the units. */
  readonly memory: TextUnits;
  /** Kind of each unit of the window, then `KIND.end`. */
  readonly kinds: Uint8Array;
  /** The memory of `codes` and of `kinds`, two units at a time, the first of them in the lower half. */
  readonly codePairs: Uint32Array;
  readonly kindPairs: Uint16Array;
  readonly characters: Characters;
  readonly weights: ArrayLike<number>;
  /** One number; a plain field would be boxed anew at every addition. */
  readonly tokens: Float64Array;
  length: number;
  at: number;
}

/** After the last unit: `KIND.end` for any look ahead. Even, for the pairs. */
const LOOK_AHEAD = 2;

export function createScan(characters: Characters, weights: ArrayLike<number>, windowUnits: number): Scan {
  const units = windowUnits + (windowUnits & 1) + LOOK_AHEAD;
  const memory = createTextUnits(units);
  const codes = memory.units;
  const kinds = new Uint8Array(units);
  return {
    codes,
    memory,
    kinds,
    codePairs: new Uint32Array(codes.buffer),
    kindPairs: new Uint16Array(kinds.buffer),
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
  const { codes, kinds } = scan;
  const filled = Math.min(codes.length - LOOK_AHEAD, text.length - from);
  loadUnits(scan, text, from, filled);
  const length = from + filled < text.length ? lastBlank(kinds, filled) : filled;
  for (let index = length; index < length + LOOK_AHEAD; index++) {
    codes[index] = 0;
    kinds[index] = KIND.end;
  }
  scan.length = length;
  scan.at = 0;
  return from + length;
}

/** The units, and of what kind each is. */
function loadUnits(scan: Scan, text: string, from: number, length: number): void {
  const { codePairs, kindPairs } = scan;
  const kindOf = scan.characters.kinds;
  copyUnits(scan.memory, text, from, from + length);
  // Two at a time takes two thirds of the time.
  for (let pair = 0; pair < (length + 1) >> 1; pair++) {
    const codePair = codePairs[pair] as number;
    kindPairs[pair] = (kindOf[codePair & 0xffff] as number) | ((kindOf[codePair >>> 16] as number) << 8);
  }
}

/** How far back a window's end moves so as not to cut a word; a longer word is cut. */
const WORD_UNITS_MAX = 256;

function lastBlank(kinds: Uint8Array, length: number): number {
  for (let index = length - 1; index > Math.max(0, length - WORD_UNITS_MAX); index--) {
    if (kinds[index] === KIND.space) return index;
  }
  return length;
}
