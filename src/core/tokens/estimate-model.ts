/** The fitted text model, unpacked once from its generated text. How each part is packed: bench/weights-file.ts. */

import { KIND, kindOf, PAIR_BITS, RARE, RARITY_RANGES, WEIGHT_STEPS, WEIGHTS, WORD_BITS } from "./estimate-layout.ts";
import {
  EMOJI_RARITY_TEXT,
  KINDS_TEXT,
  PAIRS_TEXT,
  RARITY_TEXT,
  WEIGHTS_TEXT,
  WORDS_TEXT,
} from "./estimate-weights.ts";
import type { Characters } from "./estimate-window.ts";

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const UNITS = 65_536;
const EMOJI = 4_096;

/** Kinds are stored as capital letters in the order they are declared. */
const STORED_KINDS: readonly number[] = Object.values(KIND);
const FIRST_LETTER = 65;

const digits = digitValues();

export const WEIGHT_VALUES: Float64Array = Float64Array.from(
  { length: WEIGHTS },
  (_unused, index) => (digitAt(WEIGHTS_TEXT, 2 * index) * 64 + digitAt(WEIGHTS_TEXT, 2 * index + 1)) / WEIGHT_STEPS,
);

export const CHARACTERS: Characters = {
  kinds: unpackKinds(),
  rarity: unpackRarity(),
  emojiRarity: Uint8Array.from({ length: EMOJI }, (_unused, index) => tripleAt(EMOJI_RARITY_TEXT, index)),
  pairs: unpackBits(PAIRS_TEXT, PAIR_BITS),
  words: unpackBits(WORDS_TEXT, WORD_BITS),
};

function digitValues(): Uint8Array {
  const values = new Uint8Array(128);
  for (let value = 0; value < DIGITS.length; value++) values[DIGITS.charCodeAt(value)] = value;
  return values;
}

function digitAt(text: string, index: number): number {
  return digits[text.charCodeAt(index)] ?? 0;
}

function tripleAt(text: string, index: number): number {
  return (digitAt(text, Math.floor(index / 3)) >> ((index % 3) * 2)) & 3;
}

function unpackKinds(): Uint8Array {
  const kinds = new Uint8Array(UNITS);
  let at = 0;
  for (const [, length = "0", letter = "A"] of KINDS_TEXT.matchAll(/([0-9a-z]+)([A-Z])/g)) {
    const end = at + Number.parseInt(length, 36);
    const stored = STORED_KINDS[letter.charCodeAt(0) - FIRST_LETTER] ?? 0;
    for (; at < end; at++) kinds[at] = kindOf(stored, at);
  }
  return kinds;
}

function unpackRarity(): Uint8Array {
  const rarity = new Uint8Array(UNITS).fill(RARE);
  let stored = 0;
  for (const [from, to] of RARITY_RANGES) {
    for (let code = from; code < to; code++) rarity[code] = tripleAt(RARITY_TEXT, stored++);
  }
  return rarity;
}

function unpackBits(text: string, length: number): Uint8Array {
  const bytes = new Uint8Array(length / 8);
  for (let digit = 0; digit * 6 < length; digit++) {
    const bit = digit * 6;
    const shifted = digitAt(text, digit) << (bit & 7);
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | shifted;
    if ((bit >> 3) + 1 < bytes.length) bytes[(bit >> 3) + 1] = (bytes[(bit >> 3) + 1] ?? 0) | (shifted >> 8);
  }
  return bytes;
}
