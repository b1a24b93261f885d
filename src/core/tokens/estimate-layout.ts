/**
 * The shape of the text model: which kind each UTF-16 unit has, where each coefficient lies in the one flat array of weights, and
 * which of them a piece of plain text reads. Shared by the scanner and by the fit (bench/estimator-fit.ts), so that the two can never disagree.
 */

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

/** Where each section of the weights begins. */
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

export function blockOf(code: number): number {
  return code < 0x2000 ? code >> 7 : 0;
}

/** Hash of a word up to this letter, for the set of words that the vocabulary holds whole. */
export function hashLetter(hash: number, code: number): number {
  return Math.imul(hash ^ code, 0x01000193);
}

export const WORD_HASH_START = 0x811c9dc5 | 0;

/** The two bits of a word in the set: a word is in it when both are set (one stranger in thirty is taken for known). */
export function wordBit(hash: number, which: 0 | 1): number {
  let mixed = hash ^ (hash >>> 16);
  mixed = Math.imul(mixed, which === 0 ? 0x85ebca6b : 0xc2b2ae35);
  mixed ^= mixed >>> 13;
  return (Math.imul(mixed, 0x27d4eb2f) >>> 12) & (WORD_BITS - 1);
}

/** Hash of two neighbouring characters, for the set of pairs that the vocabulary holds as one. */
export function pairBit(first: number, second: number): number {
  return (Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b)) >>> 16;
}

/**
 * What the pieces of plain text cost: which weights a word, a run of blanks or a pair of neighbours reads. Every cost is a sum of reads
 * of `weights`: the model is linear, and the fit sees its features by recording them.
 */
type Weights = ArrayLike<number>;

/** A word's letters but for their pairs. Capitals come first. */
export function wordTokens(letters: number, capitals: number, weights: Weights): number {
  const row = AT.wordLength + LENGTHS * caseOf(capitals, letters);
  if (letters < LENGTHS) return weights[row + letters - 1] as number;
  let tokens = weights[row + LENGTHS - 2] as number;
  for (let extra = LENGTHS - 1; extra < letters; extra++) tokens += weights[row + LENGTHS - 1] as number;
  return tokens;
}

function caseOf(capitals: number, letters: number): number {
  if (capitals === 0) return 0;
  if (capitals === letters) return letters === 1 ? 1 : 2;
  return capitals === 1 ? 1 : 3;
}

/** Two neighbouring letters of a word, by their kinds. */
export function letterPairTokens(before: number, letter: number, weights: Weights): number {
  const section = letter < KIND.upper ? AT.latinPair : AT.latinUpperPair;
  return weights[section + (before % LATIN) * LATIN + (letter % LATIN)] as number;
}

/** What a word costs for having the unit of a kind before it in its piece: a blank or an ASCII mark. A space costs nothing. */
export function leadTokens(lead: number, weights: Weights): number {
  if (lead === KIND.space) return 0;
  const prefix = lead === KIND.blank ? PREFIX_BLANK : PREFIX_MARK + lead - KIND.punctuation;
  return weights[AT.wordPrefix + prefix] as number;
}

/** What a word costs for having none. */
export function unledTokens(weights: Weights): number {
  return weights[AT.wordPrefix] as number;
}

/** The first of a run of marks. */
export function markStartTokens(mark: number, spaced: boolean, weights: Weights): number {
  return weights[AT.markStart + (spaced ? MARKS : 0) + mark] as number;
}

export function markPairTokens(before: number, mark: number, weights: Weights): number {
  return weights[AT.markPair + before * MARKS + mark] as number;
}

/** The line breaks directly after a run of marks, however many. */
export function markBreakTokens(before: number, weights: Weights): number {
  return markPairTokens(before, MARK_NEWLINE, weights);
}

/** The vocabulary's longest run of line breaks. */
const BREAKS_PER_TOKEN = 16;

/** A run of line breaks, with or without blanks between them. */
export function breakTokens(breaks: number, mixed: boolean, weights: Weights): number {
  let tokens = 0;
  for (let rest = breaks; rest > 0; rest -= BREAKS_PER_TOKEN) {
    tokens += weights[AT.newlineRun + (mixed ? 4 : 0) + Math.min(rest, 4) - 1] as number;
  }
  return tokens;
}

/** The vocabulary has runs of blanks of most lengths up to about 80. */
export function blankRunTokens(run: number, weights: Weights): number {
  if (run === 0) return 0;
  let tokens = 0;
  let rest = run;
  while (rest > 64) {
    tokens += weights[AT.blankRun + 7] as number;
    rest -= 64;
  }
  return tokens + (weights[AT.blankRun + Math.min(6, 31 - Math.clz32(rest))] as number);
}
