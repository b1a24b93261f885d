/**
 * The fitted text model: which kind each UTF-16 unit has, where each coefficient lies in the one flat array of weights, and their values,
 * unpacked once from the generated text. The scanner and the fit (bench/estimator-fit.ts) share it, so they cannot disagree.
 */

import {
  EMOJI_RARITY_TEXT,
  KINDS_TEXT,
  PAIRS_TEXT,
  RARITY_TEXT,
  WEIGHTS_TEXT,
  WORDS_TEXT,
} from "./estimate-weights.ts";

/**
 * Kinds of UTF-16 units. A Latin letter's kind also says which letter it is (`lower` or `upper` plus its index), and that
 * of an ASCII mark which mark, so that the scanner needs one look-up for either. The order of the numbers matters where a
 * comment says so; the order of the lines is the one in which the fit's file names the kinds.
 */
export const KIND = {
  // Below 128: plain text, read unit by unit from tables (estimate-text.ts). Up to `digit`: Latin letters.
  lower: 0,
  upper: 32,
  digit: 64,
  space: 65,
  blank: 66,
  newline: 67,
  number: 130,
  /** Not a character: stands after the last one and ends every piece. */
  end: 131,
  // From here on: letters of other scripts.
  mark: 132,
  // Scripts written without spaces, merged by pairs of characters.
  han: 133,
  hiragana: 134,
  katakana: 135,
  hangul: 136,
  // Alphabets other than Latin, counted by word.
  cyrillic: 137,
  cyrillicUpper: 138,
  arabic: 139,
  hebrew: 140,
  greek: 141,
  devanagari: 142,
  thai: 143,
  otherScript: 144,
  // From `punctuation` to `surrogate`: what is neither letter nor number nor blank; the ASCII marks are plain.
  punctuation: 72,
  symbol: 128,
  surrogate: 129,
} as const;

/** Kinds of plain text are below. */
export const PLAIN_KINDS = 128;
/** The kind of `'`. */
export const APOSTROPHE = KIND.punctuation + 6;
export const SCRIPTS = KIND.otherScript - KIND.mark + 1;
export const LENGTHS = 17;
/** Latin letters: a to z, then four kinds of others. A power of two, for speed. */
export const LATIN = 32;
/** ASCII marks, control characters, a line break, symbols by rarity, emoji by rarity, joiner, selector, skin tone, repetition. */
export const MARKS = 45;
export const MARK_CONTROL = 32;
export const MARK_NEWLINE = 33;
export const MARK_SYMBOL = 34;
export const MARK_EMOJI = 37;
export const MARK_JOINER = 41;
export const MARK_SELECTOR = 42;
export const MARK_SKIN_TONE = 43;
export const MARK_SAME = 44;
export const CYRILLIC = 33;
/** U+0620 to U+064A, and one for all other letters of the script. */
export const ARABIC = 44;
export const PAIR_BITS = 1 << 16;
export const WORD_BITS = 1 << 18;
export const PREFIXES = 3 + MARKS;
export const PREFIX_SPACE = 1;
export const PREFIX_BLANK = 2;
export const PREFIX_MARK = 3;

/** A weight is stored in steps of this fraction of a token. */
export const WEIGHT_STEPS = 512;
/** The ranges whose rarities are stored (symbols and scripts, Han, Hangul, compatibility forms); the rest of the plane is rare. */
export const RARITY_RANGES: readonly (readonly [from: number, to: number])[] = [
  [0x80, 0x3400],
  [0x4e00, 0xa000],
  [0xac00, 0xd7a4],
  [0xf900, 0x10000],
];
export const RARE = 2;
/** Blocks of 128 characters between Armenian and Greek Extended, each with costs of its own; 0 is for those beyond. */
export const BLOCKS = 64;

const SIZES = {
  /** By case (lower, Capital, UPPER, MIXed) and length; the last of each row is for every further letter. */
  wordLength: 4 * LENGTHS,
  /** By what stands directly before the word and belongs to its piece. */
  wordPrefix: PREFIXES,
  contraction: 1,
  latinPair: LATIN * LATIN,
  latinUpperPair: LATIN * LATIN,
  digits: 1,
  number: 1,
  blankRun: 8,
  newlineRun: 8,
  /** By whether a space stands before. */
  markStart: 2 * MARKS,
  markPair: MARKS * MARKS,
  /** By script and rarity. */
  character: 4 * 4,
  characterPair: 4,
  /** The first of a run, with what leads it: by script, prefix, and rarity or pair. */
  characterStart: 4 * 3 * 5,
  /** A word that the vocabulary holds whole, by script and prefix. */
  knownWord: SCRIPTS * 3,
  scriptPrefix: SCRIPTS * 3,
  scriptLetter: SCRIPTS * 3,
  blockLetter: BLOCKS * 3,
  blockMark: BLOCKS,
  cyrillicPair: CYRILLIC * CYRILLIC,
  arabicPair: ARABIC * ARABIC,
} as const;

type Section = keyof typeof SIZES;

export const AT: Readonly<Record<Section, number>> = offsets();
export const WEIGHTS = Object.values(SIZES).reduce((sum, size) => sum + size, 0);

function offsets(): Record<Section, number> {
  let next = 0;
  const entries = Object.entries(SIZES).map(([name, size]) => {
    const at = next;
    next += size;
    return [name, at];
  });
  return Object.fromEntries(entries) as Record<Section, number>; // the keys are those of SIZES
}

/** A kind as it is stored, made whole: a Latin letter or an ASCII mark gets its index. */
export function kindOf(stored: number, code: number): number {
  if (stored === KIND.lower || stored === KIND.upper) return stored + latinIndex(code);
  return stored === KIND.punctuation ? stored + asciiMark(code) : stored;
}

function asciiMark(code: number): number {
  if (code < 33 || code === 127) return MARK_CONTROL;
  if (code < 48) return code - 33;
  if (code < 65) return code - 43;
  return code < 97 ? code - 69 : code - 95;
}

function latinIndex(code: number): number {
  if (code < 128) return (code | 32) - 97;
  if (code < 0x100) return 26;
  if (code < 0x180) return 27;
  return code >= 0x1e00 && code < 0x1f00 ? 28 : 29;
}

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

/** How each part is packed: bench/weights-file.ts. */
const weightBytes = Buffer.from(WEIGHTS_TEXT, "base64");
export const WEIGHT_VALUES: Float64Array = Float64Array.from(
  { length: WEIGHTS },
  (_unused, index) => ((weightBytes[2 * index] ?? 0) | ((weightBytes[2 * index + 1] ?? 0) << 8)) / WEIGHT_STEPS,
);

const UNITS = 65_536;
const EMOJI = 4_096;

export const CHARACTERS: Characters = {
  kinds: unpackKinds(),
  rarity: unpackRarity(),
  emojiRarity: unpackTwoBits(EMOJI_RARITY_TEXT).subarray(0, EMOJI),
  pairs: Buffer.from(PAIRS_TEXT, "base64"),
  words: Buffer.from(WORDS_TEXT, "base64"),
};

/** Each run is its length in base 36 and a kind, as a capital letter in the order in which `KIND` declares them. */
function unpackKinds(): Uint8Array {
  const stored = Object.values(KIND);
  const kinds = new Uint8Array(UNITS);
  let at = 0;
  for (const [, length = "0", letter = "A"] of KINDS_TEXT.matchAll(/([0-9a-z]+)([A-Z])/g)) {
    const end = at + Number.parseInt(length, 36);
    const kind = stored[letter.charCodeAt(0) - 65] ?? 0;
    for (; at < end; at++) kinds[at] = kindOf(kind, at);
  }
  return kinds;
}

function unpackRarity(): Uint8Array {
  const rarity = new Uint8Array(UNITS).fill(RARE);
  const stored = unpackTwoBits(RARITY_TEXT);
  let next = 0;
  for (const [from, to] of RARITY_RANGES) {
    rarity.set(stored.subarray(next, next + to - from), from);
    next += to - from;
  }
  return rarity;
}

/** Four values per byte, the first of them in the lowest bits. */
function unpackTwoBits(text: string): Uint8Array {
  const bytes = Buffer.from(text, "base64");
  return Uint8Array.from(
    { length: 4 * bytes.length },
    (_unused, index) => ((bytes[index >> 2] ?? 0) >> (2 * (index & 3))) & 3,
  );
}
