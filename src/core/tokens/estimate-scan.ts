/**
 * One step of the text model: reads one piece of text (a word with what leads it, a group of digits, a run of marks, a
 * run of blanks, a run of characters) and adds what it costs. The pieces are those a byte-pair tokenizer splits text into
 * before merging, so a piece never costs less than its share, whatever the text.
 *
 * Every cost is one read of `weights`: the model is linear, and the fit sees its features by recording the reads.
 * Each unit is looked at a constant number of times, so time is linear on any input; nothing is allocated.
 */

import {
  AT,
  KIND,
  LATIN,
  LENGTHS,
  MARK_CONTROL,
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
} from "./estimate-layout.ts";
import { scanCharacters, scanScript } from "./estimate-scripts.ts";
import { add, type Scan } from "./estimate-window.ts";

// Constants of their own: the engine folds them into the hot loop, which it does not with properties and imports.
const UPPER = KIND.upper;
const DIGIT = KIND.digit;
const SPACE = KIND.space;
const BLANK = KIND.blank;
const NEWLINE = KIND.newline;
const NUMBER = KIND.number;
const END = KIND.end;
const SCRIPT = KIND.mark;
const PUNCTUATION = KIND.punctuation;
const SYMBOL = KIND.symbol;
const SURROGATE = KIND.surrogate;
const HAN = KIND.han;
const HANGUL = KIND.hangul;
const LETTERS = LATIN;
const MARK_LAST = MARK_CONTROL;
const MARK_ROW = MARKS;
const LENGTH_ROW = LENGTHS;
const AT_WORD_LENGTH = AT.wordLength;
const AT_LETTER_WORD = AT.wordPrefix;
const AT_BLANK_WORD = AT.wordPrefix + PREFIX_BLANK;
const AT_MARK_WORD = AT.wordPrefix + PREFIX_MARK;
const AT_PAIR = AT.latinPair;
const AT_UPPER_PAIR = AT.latinUpperPair;
const AT_CONTRACTION = AT.contraction;
const AT_DIGITS = AT.digits;
const AT_NUMBER = AT.number;
const AT_NEWLINES = AT.newlineRun;
const AT_BLANKS = AT.blankRun;
const AT_MARK_START = AT.markStart;
const AT_MARK_PAIR = AT.markPair;

/** Reads the window from where it stands to its end. */
export function scanWindow(scan: Scan): void {
  while (scan.at < scan.length) {
    scanPlain(scan);
    if (scan.at < scan.length) scanOther(scan);
  }
}

/** Reads one piece, or a row of plain ones; must not be called at the end of the window. */
export function scanPiece(scan: Scan): void {
  const start = scan.at;
  scanPlain(scan);
  if (scan.at === start) scanOther(scan);
}

/** What is neither plain word, nor digit, nor lone mark. */
function scanOther(scan: Scan): void {
  const { at, kinds } = scan;
  const kind = kinds[at] as number;
  if (isScript(kind)) scanLetters(scan, at, 0);
  else if (kind === NUMBER) scanNumber(scan);
  else if (kind < PUNCTUATION) scanBlanks(scan);
  else if (kind !== SURROGATE && isScript(kinds[at + 1] as number)) {
    scanLetters(scan, at + 1, PREFIX_MARK + markOf(scan, kind, at));
  } else scanMarks(scan, at, 0);
}

/** A letter of a script other than Latin. */
function isScript(kind: number): boolean {
  return kind >= SCRIPT && kind < PUNCTUATION;
}

function scanLetters(scan: Scan, start: number, prefix: number): void {
  const kind = scan.kinds[start] as number;
  if (kind >= HAN && kind <= HANGUL) scanCharacters(scan, start, prefix);
  else scanScript(scan, start, prefix);
}

/**
 * The hot loop: Latin words, alone or led by a blank or a mark; groups of digits; lone marks. Stops before all else.
 * A word is capitals, then small letters: it ends where a capital follows a small letter.
 */
function scanPlain(scan: Scan): void {
  const { kinds, weights, until } = scan;
  let { at } = scan;
  let sum = 0;
  do {
    let kind = kinds[at] as number;
    if (kind >= DIGIT) {
      const next = kinds[at + 1] as number;
      if (kind === DIGIT) {
        sum += weights[AT_DIGITS] as number;
        at += next !== DIGIT ? 1 : kinds[at + 2] !== DIGIT ? 2 : 3;
        continue;
      }
      const mark = kind - PUNCTUATION;
      if (next < DIGIT) {
        if (mark >= 0 && mark <= MARK_LAST) sum += weights[AT_MARK_WORD + mark] as number;
        else if (kind === BLANK) sum += weights[AT_BLANK_WORD] as number;
        else if (kind !== SPACE) break;
      } else if (mark >= 0 && mark <= MARK_LAST && (next <= BLANK || next === END)) {
        sum += weights[AT_MARK_START + mark] as number;
        at++;
        continue;
      } else {
        const end = scanPlainMarks(scan, at, kind, next);
        if (end < 0) break;
        at = end;
        continue;
      }
      kind = next;
      at++;
    } else sum += weights[AT_LETTER_WORD] as number;
    const start = at++;
    let row = kind * LETTERS;
    const capital = kind >= UPPER;
    kind = kinds[at] as number;
    if (capital) {
      row -= UPPER * LETTERS;
      while (kind >= UPPER && kind < DIGIT) {
        sum += weights[AT_UPPER_PAIR - UPPER + row + kind] as number;
        row = (kind - UPPER) * LETTERS;
        kind = kinds[++at] as number;
      }
    }
    const capitals = capital ? at - start : 0;
    while (kind < UPPER) {
      sum += weights[AT_PAIR + row + kind] as number;
      row = kind * LETTERS;
      kind = kinds[++at] as number;
    }
    sum += lengthTokens(at - start, capitals, weights);
    if (kind === APOSTROPHE) {
      const suffix = contractionLength(kinds, at + 1);
      if (suffix > 0) sum += weights[AT_CONTRACTION] as number;
      at += suffix;
    }
  } while (at < until);
  add(scan, sum);
  scan.at = at;
}

/** A blank before a digit, or a run of ASCII marks with or without a blank before it; returns where it ends, or -1 for all else. */
function scanPlainMarks(scan: Scan, at: number, kind: number, next: number): number {
  if (kind !== SPACE) return isScript(next) ? -1 : scanAsciiMarks(scan, at, AT_MARK_START);
  if (next !== DIGIT) return scanAsciiMarks(scan, at + 1, AT_MARK_START + MARK_ROW);
  add(scan, scan.weights[AT_BLANKS] as number);
  return at + 1;
}

/** As `scanMarks`; -1, and nothing is added, where there is none or the run goes on with what is no ASCII mark. */
function scanAsciiMarks(scan: Scan, start: number, firstRow: number): number {
  const { kinds, weights } = scan;
  let at = start;
  let row = firstRow;
  let tokens = 0;
  let mark = (kinds[at] as number) - PUNCTUATION;
  if (mark < 0) return -1;
  while (mark >= 0) {
    if (mark > MARK_LAST) return -1;
    tokens += weights[row + mark] as number;
    row = AT_MARK_PAIR + mark * MARK_ROW;
    mark = (kinds[++at] as number) - PUNCTUATION;
  }
  if (kinds[at] === NEWLINE) {
    tokens += weights[row + MARK_NEWLINE] as number;
    while (kinds[at] === NEWLINE) at++;
  }
  add(scan, tokens);
  return at;
}

function lengthTokens(letters: number, capitals: number, weights: ArrayLike<number>): number {
  const row = AT_WORD_LENGTH + LENGTH_ROW * caseOf(capitals, letters);
  if (letters < LENGTH_ROW) return weights[row + letters - 1] as number;
  let tokens = weights[row + LENGTH_ROW - 2] as number;
  for (let extra = LENGTH_ROW - 1; extra < letters; extra++) tokens += weights[row + LENGTH_ROW - 1] as number;
  return tokens;
}

function caseOf(capitals: number, letters: number): number {
  if (capitals === 0) return 0;
  if (capitals === letters) return letters === 1 ? 1 : 2;
  return capitals === 1 ? 1 : 3;
}

/** The kind of `'`. */
const APOSTROPHE = PUNCTUATION + 6;
const letterKind = (letter: string): number => letter.charCodeAt(0) - 97;
const [S, T, M, D, R, V, E, L] = ["s", "t", "m", "d", "r", "v", "e", "l"].map(letterKind);

/** Units of `'s`, `'t`, `'m`, `'d`, `'re`, `'ve`, `'ll` from the apostrophe on; 0 for anything else. */
function contractionLength(kinds: Uint8Array, at: number): number {
  const first = kinds[at] as number;
  if (first >= DIGIT) return 0;
  const letter = first % LETTERS;
  if (letter === S || letter === T || letter === M || letter === D) return 2;
  const second = kinds[at + 1] as number;
  if (second >= DIGIT) return 0;
  if (letter === R || letter === V) return second % LETTERS === E ? 3 : 0;
  return letter === L && second % LETTERS === L ? 3 : 0;
}

/** A digit of another script, a fraction, a circled number. */
function scanNumber(scan: Scan): void {
  add(scan, scan.weights[AT_NUMBER] as number);
  scan.at += 1;
}

/** The vocabulary's longest run of line breaks. */
const BREAKS_PER_TOKEN = 16;

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
    const mixed = afterBreaks - start > breaks ? 4 : 0;
    for (let rest = breaks; rest > 0; rest -= BREAKS_PER_TOKEN) {
      add(scan, weights[AT_NEWLINES + mixed + Math.min(rest, 4) - 1] as number);
    }
    scan.at = afterBreaks;
    return;
  }
  const next = kinds[at] as number;
  const ended = next === END;
  const run = at - start - (ended ? 0 : 1);
  if (run > 0) {
    add(scan, blankRunTokens(run, weights));
    scan.at = start + run; // the last blank leads what follows, and is the next piece
  } else if (isScript(next)) scanLetters(scan, at, kinds[start] === SPACE ? PREFIX_SPACE : PREFIX_BLANK);
  else if (kinds[start] === SPACE && next >= PUNCTUATION) scanMarks(scan, at, 1);
  else {
    add(scan, blankRunTokens(1, weights));
    scan.at = at;
  }
}

/** The vocabulary has runs of blanks of most lengths up to about 80. */
function blankRunTokens(run: number, weights: ArrayLike<number>): number {
  let tokens = 0;
  let rest = run;
  while (rest > 64) {
    tokens += weights[AT_BLANKS + 7] as number;
    rest -= 64;
  }
  return tokens + (weights[AT_BLANKS + Math.min(6, 31 - Math.clz32(rest))] as number);
}

/** A run of marks, symbols and emoji, with the line breaks directly after it. */
function scanMarks(scan: Scan, start: number, spaced: 0 | 1): void {
  const { codes, kinds, weights } = scan;
  let at = start;
  let kind = kinds[at] as number;
  let row = AT_MARK_START + spaced * MARK_ROW;
  let tokens = 0;
  let previous = -1;
  do {
    const code = codes[at] as number;
    const wide = kind === SURROGATE;
    const whole = wide ? (code << 16) | (codes[at + 1] as number) : code;
    const mark = whole === previous && code > 127 ? MARK_SAME : markOf(scan, kind, at);
    tokens += weights[row + mark] as number;
    row = AT_MARK_PAIR + mark * MARK_ROW;
    previous = whole;
    at += wide && kinds[at + 1] === SURROGATE ? 2 : 1;
    kind = kinds[at] as number;
  } while (kind >= PUNCTUATION);
  if (kind === NEWLINE) {
    tokens += weights[row + MARK_NEWLINE] as number;
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
