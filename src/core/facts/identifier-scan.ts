/**
 * Finds the exact strings in a text that cannot be guessed back once they are gone: paths, URLs, e-mail addresses, file
 * names, snake_case and camelCase words, constants, long numbers, hashes, codes. One pass over the character codes; a
 * stretch of plain prose costs one table read per character. Never builds a string, never looks back, never throws.
 */

import { DOMAINS, EXTENSION_CHARS_MAX, FILE_EXTENSIONS } from "./dotted-endings.ts";

export type IdentifierKind =
  | "path"
  | "url"
  | "email"
  | "file"
  | "snake"
  | "camel"
  | "constant"
  | "number"
  | "hex"
  | "code"
  | "kebab"
  | "pair"
  | "line";

/** Called with the half-open range of each identifier, in order. */
export type VisitIdentifier = (start: number, end: number, kind: IdentifierKind) => void;

/** Longer runs are data, not names. */
export const IDENTIFIER_CHARS_MAX = 240;
const RUN_CHARS_MIN = 4;
const CAMEL_CHARS_MIN = 5;

const LOWER = 1;
const UPPER = 2;
const DIGIT = 4;
const UNDERSCORE = 8;
const DOT = 16;
const SLASH = 32;
const DASH = 64;
const AT = 128;
/** Set when a capital follows a small letter. */
const HUMP = 256;

const CLASSES = classTable();
export function scanIdentifiers(text: string, visit: VisitIdentifier): void {
  const { length } = text;
  let at = 0;
  while (at < length) {
    const start = at;
    let code = text.charCodeAt(at);
    // Small letters up to a blank are most of any text: the tightest loop is theirs.
    while (code >= 97 && code <= 122 && ++at < length) code = text.charCodeAt(at);
    let flags = at > start ? LOWER : 0;
    let previous = flags;
    for (; at < length; at++) {
      const next = text.charCodeAt(at);
      const bits = next < 128 ? CLASSES[next] : (flags & SLASH) !== 0 && isLetterBeyondAscii(next) ? LOWER : 0;
      if (bits === 0 || bits === undefined) break;
      flags |= bits === UPPER && previous === LOWER ? HUMP | UPPER : bits;
      previous = bits;
    }
    if (flags === 0) {
      at++;
      continue;
    }
    // An escaped line break glues its letter to the next word.
    const word = start > 0 && isEscape(text, start) ? start + 1 : start;
    if (word > start && isCapitalised(text, word, at, flags)) {
      visit(start - 1, at, "line");
      continue;
    }
    // Plain words, capitalised or not, are most of any text and never identifiers.
    if (flags <= LOWER || (flags <= (LOWER | UPPER) && (flags & LOWER) !== 0)) {
      if (text.charCodeAt(at) === 58 && text.charCodeAt(at + 1) === 47 && text.charCodeAt(at + 2) === 47) {
        at = visitUrl(text, start, at, visit);
      }
      continue;
    }
    // Short numbers and words with humps are the most frequent of what is left; both are settled by length.
    if (at - word < RUN_CHARS_MIN) continue;
    if (flags === (LOWER | UPPER | HUMP)) {
      if (at - word >= CAMEL_CHARS_MIN && at - word <= IDENTIFIER_CHARS_MAX) visit(word, at, "camel");
    } else visitRun(text, word, at, flags, visit);
  }
}

/** Each line of a text that starts with a capitalised word, as that word with its escaped line break: `\\nSummary`. */
export function scanLineStarts(text: string, visit: (word: string) => void): void {
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    let end = at + 1;
    while (end < text.length && (bitsAt(text, end) & (LOWER | UPPER)) !== 0) end++;
    if (end - at > 2 && bitsAt(text, at + 1) === UPPER && bitsAt(text, at + 2) === LOWER) {
      visit(`\\n${text.slice(at + 1, end)}`);
    }
  }
}

/** Bits by ASCII code; 0 ends a run. */
function classTable(): Uint16Array {
  const table = new Uint16Array(128);
  for (let code = 97; code <= 122; code++) table[code] = LOWER;
  for (let code = 65; code <= 90; code++) table[code] = UPPER;
  for (let code = 48; code <= 57; code++) table[code] = DIGIT;
  table[95] = UNDERSCORE;
  table[46] = DOT;
  table[47] = SLASH;
  table[45] = DASH;
  table[64] = AT;
  return table;
}

/** Whether the run that starts here is the letter of `\\n`, `\\r` or `\\t`, and what follows. */
function isEscape(text: string, start: number): boolean {
  if (text.charCodeAt(start - 1) !== 92) return false;
  const code = text.charCodeAt(start);
  return code === 110 || code === 114 || code === 116;
}

function isCapitalised(text: string, start: number, end: number, flags: number): boolean {
  return (
    flags === (LOWER | UPPER | HUMP) &&
    end - start > 2 &&
    bitsAt(text, start) === UPPER &&
    bitsAt(text, start + 1) === LOWER
  );
}

/** Letters of other alphabets may stand in a path; their punctuation ends it. */
function isLetterBeyondAscii(code: number): boolean {
  if (code < 0xc0) return false;
  if (code >= 0x2000 && code <= 0x2bff) return false;
  if (code >= 0x3000 && code <= 0x303f) return false;
  return code < 0xd800 || (code > 0xdfff && code < 0xff00);
}

function visitUrl(text: string, start: number, colon: number, visit: VisitIdentifier): number {
  let end = colon + 3;
  while (end < text.length && !endsUrl(text.charCodeAt(end))) end++;
  const stop = end;
  while (end > colon + 3 && isTrailingMark(text.charCodeAt(end - 1))) end--;
  if (end > colon + 3 && end - start <= IDENTIFIER_CHARS_MAX) visit(start, end, "url");
  return stop;
}

/** Blanks, quotes, brackets, backslashes and everything beyond ASCII. */
function endsUrl(code: number): boolean {
  if (code <= 32 || code >= 127) return true;
  return (
    code === 34 ||
    code === 39 ||
    code === 40 ||
    code === 41 ||
    code === 60 ||
    code === 62 ||
    code === 91 ||
    code === 92 ||
    code === 93 ||
    code === 96 ||
    code === 123 ||
    code === 124 ||
    code === 125
  );
}

function isTrailingMark(code: number): boolean {
  return code === 46 || code === 44 || code === 58 || code === 59 || code === 33 || code === 63 || code === 42;
}

function visitRun(text: string, runStart: number, runEnd: number, flags: number, visit: VisitIdentifier): void {
  let start = runStart;
  let end = runEnd;
  while (end > start && (bitsAt(text, end - 1) & (DOT | DASH | AT | SLASH)) !== 0) end--;
  const isPath = (flags & SLASH) !== 0;
  const leading = isPath ? DASH : DOT | DASH | AT;
  while (start < end && (bitsAt(text, start) & leading) !== 0) start++;
  if (end - start < RUN_CHARS_MIN || end - start > IDENTIFIER_CHARS_MAX) return;
  // `</div>` closes a tag; it names no path.
  if (isPath && text.charCodeAt(start) === 47 && text.charCodeAt(start - 1) === 60) start++;
  if (isPath) visitPath(text, start, end, visit);
  else if ((flags & (AT | DOT)) !== 0) visitDotted(text, start, end, flags, visit);
  else visitWord(text, start, end, visit);
}

function visitPath(text: string, runStart: number, end: number, visit: VisitIdentifier): void {
  let start = runStart;
  while (text.charCodeAt(start) === 47 && text.charCodeAt(start + 1) === 47) start++;
  let slashes = 0;
  let bits = 0;
  for (let at = start; at < end; at++) {
    const bit = bitsAt(text, at);
    bits |= bit;
    if (bit === SLASH) slashes++;
  }
  if (slashes === 0) {
    visitRun(text, start, end, bits, visit);
    return;
  }
  if ((bits & (LOWER | UPPER)) === 0) {
    // Dates and fractions.
    if (end - start >= 6) visit(start, end, "number");
    return;
  }
  const isRooted = text.charCodeAt(start) === 47 || text.charCodeAt(start) === 46;
  const isPair = slashes === 1 && !isRooted && (bits & (DOT | DIGIT | UNDERSCORE | DASH | AT)) === 0;
  if (isPair) {
    if (end - start >= 5) visit(start, end, "pair");
    return;
  }
  const isHome = isRooted && text.charCodeAt(start - 1) === 126;
  visit(isHome ? start - 1 : start, end, "path");
}

/** An address, a file name, a version; otherwise a chain of members, of which each is looked at alone. */
function visitDotted(text: string, start: number, end: number, flags: number, visit: VisitIdentifier): void {
  if ((flags & AT) !== 0 && isAddress(text.slice(start, end))) {
    visit(start, end, "email");
    return;
  }
  // Searched only where the run has one: a search through the text for every run would be quadratic.
  const lastDot = (flags & DOT) === 0 ? -1 : text.lastIndexOf(".", end - 1);
  if (lastDot > start && end - lastDot - 1 <= EXTENSION_CHARS_MAX) {
    const ending = text.slice(lastDot + 1, end).toLowerCase();
    if (FILE_EXTENSIONS.has(ending) || DOMAINS.has(ending)) {
      visit(start, end, FILE_EXTENSIONS.has(ending) ? "file" : "url");
      return;
    }
  }
  let piece = start;
  for (let index = start; index <= end; index++) {
    const isEnd = index === end || (bitsAt(text, index) & (DOT | AT)) !== 0;
    if (!isEnd) continue;
    visitRun(text, piece, index, 0, visit);
    piece = index + 1;
  }
}

function isAddress(run: string): boolean {
  const at = run.indexOf("@");
  return at > 0 && run.indexOf(".", at) > at + 1;
}

function visitWord(text: string, start: number, end: number, visit: VisitIdentifier): void {
  let lower = 0;
  let upper = 0;
  let digits = 0;
  let underscores = 0;
  let dashes = 0;
  let humps = 0;
  let hex = 0;
  let previous = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    const bit = code < 128 ? (CLASSES[code] ?? 0) : 0;
    if (bit === LOWER) {
      lower++;
      if (code <= 102) hex++;
    } else if (bit === UPPER) {
      upper++;
      if (previous === LOWER) humps++;
    } else if (bit === DIGIT) digits++;
    else if (bit === UNDERSCORE) underscores += at > start && at < end - 1 ? 1 : 0;
    else dashes++;
    previous = bit;
  }
  const length = end - start;
  const isColour = text.charCodeAt(start - 1) === 35 && digits > 0 && (length === 6 || length === 8);
  const kind = wordKind({ length, lower, upper, digits, underscores, dashes, humps, hex });
  if (kind !== undefined) visit(isColour ? start - 1 : start, end, kind);
}

interface WordShape {
  readonly length: number;
  readonly lower: number;
  readonly upper: number;
  readonly digits: number;
  readonly underscores: number;
  readonly dashes: number;
  readonly humps: number;
  readonly hex: number;
}

const NUMBER_DIGITS_MIN = 4;
const NUMBER_DIGITS_MAX = 20;
const CONSTANT_CHARS_MIN = 6;
const HEX_CHARS_MIN = 7;
const HEX_CHARS_MAX = 64;

function wordKind(shape: WordShape): IdentifierKind | undefined {
  const { length, lower, upper, digits, underscores, dashes, humps, hex } = shape;
  if (lower + upper === 0) {
    if (underscores > 0 || digits < NUMBER_DIGITS_MIN) return undefined;
    return digits <= NUMBER_DIGITS_MAX ? "number" : undefined;
  }
  if (dashes > 0) {
    if (digits > 0) return "code";
    if (underscores > 0) return "snake";
    return lower > 0 && upper === 0 && length >= 6 ? "kebab" : undefined;
  }
  if (underscores > 0) return lower === 0 ? "constant" : "snake";
  if (lower === 0) return length >= CONSTANT_CHARS_MIN ? (digits > 0 ? "code" : "constant") : undefined;
  if (humps > 0) return length >= CAMEL_CHARS_MIN ? "camel" : undefined;
  if (digits === 0) return undefined;
  if (upper === 0 && hex === lower && length >= HEX_CHARS_MIN && length <= HEX_CHARS_MAX) return "hex";
  return digits >= 3 && length >= 6 ? "code" : undefined;
}

function bitsAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 128 ? (CLASSES[code] ?? 0) : LOWER;
}
