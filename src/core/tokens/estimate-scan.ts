/**
 * One step of the text model: reads one piece of text (a word with what leads it, a group of digits, a run of marks, a
 * run of blanks, a run of characters) and adds what it costs. The pieces are those a byte-pair tokenizer splits text into
 * before merging, so a piece never costs less than its share, whatever the text.
 *
 * The fit reads all text this way; an estimate only what is not plain (estimate-text.ts).
 * Each unit is looked at a constant number of times, so time is linear on any input; nothing is allocated.
 */

import type { TextUnits } from "../text.ts";
import {
  APOSTROPHE,
  ARABIC,
  AT,
  type Characters,
  CYRILLIC,
  KIND,
  LATIN,
  LENGTHS,
  MARK_EMOJI,
  MARK_JOINER,
  MARK_NEWLINE,
  MARK_SAME,
  MARK_SELECTOR,
  MARK_SKIN_TONE,
  MARK_SYMBOL,
  MARKS,
  PREFIX_BLANK,
  PREFIX_MARK,
  PREFIX_SPACE,
  WORD_BITS,
} from "./estimate-model.ts";

// Constants of their own: the engine folds them into the code, which it does not with properties and imports.
const { digit: DIGIT, space: SPACE, blank: BLANK, newline: NEWLINE, upper: UPPER, end: END } = KIND;
const { punctuation: PUNCTUATION, symbol: SYMBOL, surrogate: SURROGATE, number: NUMBER } = KIND;
const { mark: SCRIPT, han: HAN, hangul: HANGUL, cyrillic: ALPHABETS } = KIND;

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

/** Adds to what the text costs so far. */
function add(scan: Scan, tokens: number): void {
  scan.tokens[0] = (scan.tokens[0] as number) + tokens;
}

/** Reads one piece; must not be called at the end of the window. */
export function scanPiece(scan: Scan): void {
  const { at, kinds } = scan;
  const kind = kinds[at] as number;
  if (isLatin(kind)) scanWord(scan, at, leadTokens(END, scan.weights));
  else if (kind === DIGIT) scanDigits(scan);
  else if (kind < PUNCTUATION) scanBlanks(scan);
  else if (isMark(kind)) scanMarkPiece(scan, kind);
  else if (kind === NUMBER) {
    // A digit of another script, a fraction, a circled number.
    add(scan, scan.weights[AT.number] as number);
    scan.at += 1;
  } else scanLetters(scan, at, 0);
}

export function isLatin(kind: number): boolean {
  return kind < DIGIT;
}

/** An ASCII mark, a symbol, half an emoji. */
function isMark(kind: number): boolean {
  return kind >= PUNCTUATION && kind <= SURROGATE;
}

/** A letter of a script other than Latin. */
function isScript(kind: number): boolean {
  return kind >= SCRIPT;
}

function scanLetters(scan: Scan, start: number, prefix: number): void {
  const kind = scan.kinds[start] as number;
  if (kind >= HAN && kind <= HANGUL) scanCharacters(scan, start, prefix);
  else scanScript(scan, start, prefix);
}

/** A Latin word is capitals, then small letters: it ends where a capital follows a small letter. */
function scanWord(scan: Scan, start: number, lead: number): void {
  const { kinds, weights } = scan;
  let small = start;
  while (isCapital(kinds[small] as number)) small++;
  let end = small;
  while ((kinds[end] as number) < UPPER) end++;
  let tokens = lead + wordTokens(end - start, small - start, weights);
  for (let at = start + 1; at < end; at++) {
    tokens += letterPairTokens(kinds[at - 1] as number, kinds[at] as number, weights);
  }
  const suffix = kinds[end] === APOSTROPHE ? contractionLength(scan.codes, end + 1) : 0;
  if (suffix > 0) tokens += weights[AT.contraction] as number;
  add(scan, tokens);
  scan.at = end + suffix;
}

export function isCapital(kind: number): boolean {
  return kind >= UPPER && kind < DIGIT;
}

const LOWER_BIT = 32;
const [S, T, M, D, R, V, E, L] = ["s", "t", "m", "d", "r", "v", "e", "l"].map((letter) => letter.charCodeAt(0));

/** Units of `'s`, `'t`, `'m`, `'d`, `'re`, `'ve`, `'ll` from the apostrophe on; 0 for anything else. `at` is behind the apostrophe. */
export function contractionLength(codes: Uint16Array, at: number): number {
  const letter = (codes[at] as number) | LOWER_BIT;
  if (letter === S || letter === T || letter === M || letter === D) return 2;
  const second = (codes[at + 1] as number) | LOWER_BIT;
  if (letter === R || letter === V) return second === E ? 3 : 0;
  return letter === L && second === L ? 3 : 0;
}

/** Up to three. */
function scanDigits(scan: Scan): void {
  const { at, kinds } = scan;
  add(scan, scan.weights[AT.digits] as number);
  scan.at += kinds[at + 1] !== DIGIT ? 1 : kinds[at + 2] !== DIGIT ? 2 : 3;
}

/** Blanks up to the last line break are one piece; else all but the last, which leads what follows or stands alone. */
function scanBlanks(scan: Scan): void {
  const { kinds, weights } = scan;
  const start = scan.at;
  let at = start;
  let afterBreaks = start;
  let breaks = 0;
  for (let kind = kinds[at]; ; kind = kinds[at]) {
    if (kind === NEWLINE) {
      breaks++;
      afterBreaks = at + 1;
    } else if (kind !== SPACE && kind !== BLANK) break;
    at++;
  }
  if (breaks > 0) {
    add(scan, breakTokens(breaks, afterBreaks - start > breaks, weights));
    scan.at = afterBreaks;
    return;
  }
  const run = at - start - (kinds[at] === END ? 0 : 1);
  if (run === 0) scanLed(scan, start);
  else {
    add(scan, blankRunTokens(run, weights));
    scan.at = start + run; // the last blank leads what follows, and is the next piece
  }
}

/** A blank with what it leads: a word, or marks after a space; or the blank alone. */
function scanLed(scan: Scan, blank: number): void {
  const { kinds, weights } = scan;
  const spaced = kinds[blank] === SPACE;
  const next = kinds[blank + 1] as number;
  if (isLatin(next)) scanWord(scan, blank + 1, leadTokens(kinds[blank] as number, weights));
  else if (isScript(next)) scanLetters(scan, blank + 1, spaced ? PREFIX_SPACE : PREFIX_BLANK);
  else if (spaced && isMark(next)) scanMarks(scan, blank + 1, true);
  else {
    add(scan, blankRunTokens(1, weights));
    scan.at = blank + 1;
  }
}

/** A mark with the word it leads, or a run of marks. */
function scanMarkPiece(scan: Scan, kind: number): void {
  const { at, kinds } = scan;
  const next = kinds[at + 1] as number;
  if (isLatin(next) && kind < SYMBOL) scanWord(scan, at + 1, leadTokens(kind, scan.weights));
  else if (isScript(next) && kind !== SURROGATE) {
    scanLetters(scan, at + 1, PREFIX_MARK + markOf(scan, kind, at));
  } else scanMarks(scan, at, false);
}

/** A run of marks, symbols and emoji, with the line breaks directly after it. */
function scanMarks(scan: Scan, start: number, spaced: boolean): void {
  const { codes, kinds, weights } = scan;
  let at = start;
  let kind = kinds[at] as number;
  let tokens = 0;
  let before = -1;
  let previous = -1;
  do {
    const code = codes[at] as number;
    const wide = kind === SURROGATE;
    const whole = wide ? (code << 16) | (codes[at + 1] as number) : code;
    const mark = whole === previous && code > 127 ? MARK_SAME : markOf(scan, kind, at);
    tokens += before < 0 ? markStartTokens(mark, spaced, weights) : markPairTokens(before, mark, weights);
    before = mark;
    previous = whole;
    at += wide && kinds[at + 1] === SURROGATE ? 2 : 1;
    kind = kinds[at] as number;
  } while (isMark(kind));
  if (kind === NEWLINE) {
    tokens += markPairTokens(before, MARK_NEWLINE, weights);
    while (kinds[at] === NEWLINE) at++;
  }
  add(scan, tokens);
  scan.at = at;
}

function markOf(scan: Scan, kind: number, at: number): number {
  if (kind < SYMBOL) return kind - PUNCTUATION;
  const code = scan.codes[at] as number;
  if (code === 0x200d) return MARK_JOINER;
  if (code === 0xfe0f) return MARK_SELECTOR;
  if (kind === SYMBOL) return MARK_SYMBOL + Math.min(2, scan.characters.rarity[code] as number);
  const low = scan.codes[at + 1] as number;
  if (code === 0xd83c && low >= 0xdffb && low <= 0xdfff) return MARK_SKIN_TONE;
  if (code < 0xd83c || code > 0xd83f) return MARK_EMOJI + 3;
  return MARK_EMOJI + (scan.characters.emojiRarity[((code & 3) << 10) | (low & 1023)] as number);
}

/** Chinese, Japanese, Korean: a known pair of characters is one unit, any other character is its own. */
function scanCharacters(scan: Scan, start: number, prefix: number): void {
  const { codes, kinds, weights } = scan;
  const { rarity, pairs } = scan.characters;
  let at = start;
  let tokens = 0;
  for (let kind = kinds[at] as number; kind >= HAN && kind <= HANGUL; kind = kinds[at] as number) {
    const script = kind - HAN;
    const code = codes[at] as number;
    const paired = hasBit(pairs, pairBit(code, codes[at + 1] as number)) && kinds[at + 1] !== END;
    const unit = paired ? 4 : (rarity[code] as number);
    if (at === start) tokens += weights[AT.characterStart + (script * 3 + Math.min(prefix, 2)) * 5 + unit] as number;
    else tokens += weights[paired ? AT.characterPair + script : AT.character + script * 4 + unit] as number;
    at += paired ? 2 : 1;
  }
  add(scan, tokens);
  scan.at = at;
}

/** A letter of an alphabet other than Latin, or a mark on one. */
function isAlphabet(kind: number): boolean {
  return kind === SCRIPT || kind >= ALPHABETS;
}

function hasBit(bits: Uint8Array, bit: number): boolean {
  return (((bits[bit >> 3] as number) >> (bit & 7)) & 1) === 1;
}

/** A word of another alphabet, its vowel signs and accents included: known whole, or by its letters. */
function scanScript(scan: Scan, start: number, prefix: number): void {
  const { codes, kinds, weights } = scan;
  const { words } = scan.characters;
  const script = (kinds[start] as number) - KIND.mark;
  const lead = Math.min(prefix, 2);
  let hash = WORD_HASH_START;
  let at = start;
  for (let kind = kinds[at] as number; isAlphabet(kind); kind = kinds[at] as number) {
    hash = hashLetter(hash, codes[at] as number);
    at++;
  }
  scan.at = at;
  if (at - start > 1 && hasBit(words, wordBit(hash, 0)) && hasBit(words, wordBit(hash, 1))) {
    add(scan, weights[AT.knownWord + script * 3 + lead] as number);
  } else {
    add(scan, (weights[AT.scriptPrefix + script * 3 + lead] as number) + lettersTokens(scan, start, at));
  }
}

/** Capitals count as their small letters, ё as е; letters beyond the Russian alphabet share an index. */
function cyrillicIndex(code: number): number {
  if (code >= 0x410 && code < 0x450) return code & 31;
  return code === 0x451 || code === 0x401 ? 0x435 & 31 : CYRILLIC - 1;
}

function lettersTokens(scan: Scan, start: number, end: number): number {
  const { codes, kinds, weights } = scan;
  const { rarity } = scan.characters;
  let previous = -1;
  let tokens = 0;
  for (let at = start; at < end; at++) {
    const code = codes[at] as number;
    const kind = kinds[at] as number;
    const band = at - start < 4 ? 0 : at - start < 8 ? 1 : 2;
    if (kind === KIND.mark) tokens += weights[AT.blockMark + blockOf(code)] as number;
    else tokens += weights[AT.scriptLetter + (kind - KIND.mark) * 3 + band] as number;
    if (kind === KIND.cyrillic || kind === KIND.cyrillicUpper) {
      const letter = cyrillicIndex(code);
      if (previous >= 0)
        tokens += weights[AT.cyrillicPair + Math.min(previous, CYRILLIC - 1) * CYRILLIC + letter] as number;
      previous = letter;
    } else if (kind === KIND.arabic) {
      const letter = code >= 0x620 && code < 0x64b ? code - 0x620 : ARABIC - 1;
      if (previous >= 0) tokens += weights[AT.arabicPair + previous * ARABIC + letter] as number;
      previous = letter;
    } else if (kind !== KIND.mark) {
      tokens += weights[AT.blockLetter + blockOf(code) * 3 + Math.min(2, rarity[code] as number)] as number;
      previous = -1;
    }
  }
  return tokens;
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

/** Every cost below is a sum of reads of `weights`: the model is linear, and the fit sees its features by recording them. */
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

/** What a word costs for the kind of unit before it in its piece: a blank, an ASCII mark, or none (`KIND.end`). A space costs nothing. */
export function leadTokens(lead: number, weights: Weights): number {
  if (lead === SPACE) return 0;
  const prefix = lead === END ? 0 : lead === BLANK ? PREFIX_BLANK : PREFIX_MARK + lead - PUNCTUATION;
  return weights[AT.wordPrefix + prefix] as number;
}

/** The first of a run of marks. */
export function markStartTokens(mark: number, spaced: boolean, weights: Weights): number {
  return weights[AT.markStart + (spaced ? MARKS : 0) + mark] as number;
}

export function markPairTokens(before: number, mark: number, weights: Weights): number {
  return weights[AT.markPair + before * MARKS + mark] as number;
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
  for (; rest > 64; rest -= 64) tokens += weights[AT.blankRun + 7] as number;
  return tokens + (weights[AT.blankRun + Math.min(6, 31 - Math.clz32(rest))] as number);
}
