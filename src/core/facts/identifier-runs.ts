/** Tells what a run of identifier characters is: a path, an address, a file name, a word of some shape, or nothing. Builds no strings. */

/**
 * The classes of UTF-16 units in a search for identifiers, one bit each. Hot loops read them as constants of their own module, because
 * the engine folds those into the code, but neither properties nor imports nor exports.
 */
export const CLASS = {
  lower: 1,
  upper: 2,
  digit: 4,
  underscore: 8,
  dot: 16,
  slash: 32,
  dash: 64,
  at: 128,
  /** A letter of another alphabet: it may stand in a path, and nowhere else. */
  beyond: 512,
} as const;

/** Half-open ranges. All other units beyond ASCII end a run: punctuation, symbols, surrogates, full-width forms. */
const LETTERS_BEYOND: readonly (readonly [from: number, to: number])[] = [
  [0xc0, 0x2000],
  [0x2c00, 0x3000],
  [0x3040, 0xd800],
  [0xe000, 0xff00],
];

/** Classes by unit; 0 ends every run. */
export const CLASS_TABLE: Uint16Array = classTable();

// Constants of their own: see `CLASS`.
const { lower: LOWER, upper: UPPER, digit: DIGIT, underscore: UNDERSCORE } = CLASS;
const { dot: DOT, slash: SLASH, dash: DASH, at: AT } = CLASS;
const CLASSES = CLASS_TABLE;
/** Set when a capital follows a small letter. */
const HUMP = 256;

export type IdentifierKind =
  | "path"
  | "url"
  | "email"
  | "file"
  | "snake"
  | "camel"
  | "constant"
  | "capitals"
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
export const RUN_CHARS_MIN = 4;
const CAMEL_CHARS_MIN = 5;
const CONSTANT_CHARS_MIN = 6;
const KEBAB_CHARS_MIN = 6;

export function visitUrl(units: Uint16Array, start: number, colon: number, visit: VisitIdentifier): number {
  let end = colon + 3;
  while (!endsUrl(units[end] as number)) end++;
  const stop = end;
  while (end > colon + 3 && isTrailingMark(units[end - 1] as number)) end--;
  if (end > colon + 3 && end - start <= IDENTIFIER_CHARS_MAX) visit(start, end, "url");
  return stop;
}

/** Blanks, quotes, brackets, backslashes and everything beyond ASCII. */
export function endsUrl(code: number): boolean {
  return code >= 127 || URL_UNITS[code] === 0;
}

const URL_UNITS = Uint8Array.from({ length: 127 }, (_, code) =>
  code > 32 && !"\"'()<>[\\]`{|}".includes(String.fromCharCode(code)) ? 1 : 0,
);

function isTrailingMark(code: number): boolean {
  return ".,:;!?*".includes(String.fromCharCode(code));
}

/** `flags` are the classes of the run's units; with `DASH` among them, a word is read again unit by unit. */
export function visitRun(
  units: Uint16Array,
  runStart: number,
  runEnd: number,
  flags: number,
  visit: VisitIdentifier,
): void {
  let start = runStart;
  let end = runEnd;
  while (end > start && (bitsAt(units, end - 1) & (DOT | DASH | AT | SLASH)) !== 0) end--;
  const isPath = (flags & SLASH) !== 0;
  const leading = isPath ? DASH : DOT | DASH | AT;
  while (start < end && (bitsAt(units, start) & leading) !== 0) start++;
  if (end - start < RUN_CHARS_MIN || end - start > IDENTIFIER_CHARS_MAX) return;
  // `</div>` closes a tag; it names no path.
  if (isPath && units[start] === 47 && unitBefore(units, start) === 60) start++;
  if (isPath) visitPath(units, start, end, visit);
  else if ((flags & (AT | DOT)) !== 0) visitDotted(units, start, end, flags, visit);
  else visitWord(units, start, end, flags, visit);
}

/** 0 at the beginning. */
function unitBefore(units: Uint16Array, at: number): number {
  return at === 0 ? 0 : (units[at - 1] as number);
}

function visitPath(units: Uint16Array, runStart: number, end: number, visit: VisitIdentifier): void {
  let start = runStart;
  while (units[start] === 47 && units[start + 1] === 47) start++;
  if (isSide(units, start)) start += 2;
  let slashes = 0;
  let bits = 0;
  let previous = 0;
  for (let at = start; at < end; at++) {
    const bit = bitsAt(units, at);
    bits |= bit === UPPER && previous === LOWER ? HUMP : bit;
    previous = bit;
    if (bit === SLASH) slashes++;
  }
  if (slashes === 0) {
    visitRun(units, start, end, bits | DASH, visit);
    return;
  }
  if ((bits & (LOWER | UPPER | HUMP)) === 0) {
    // Dates and fractions.
    if (end - start >= 6) visit(start, end, "number");
    return;
  }
  // "start/exit", "who/what/when", "/clear": words with strokes between them, unless a call uses them as a path.
  const isPair = (bits & NAME_MARKS) === 0 && (slashes === 1 || units[start] !== 47);
  if (isPair) {
    if (end - start >= 5) visit(start, end, isLiteral(units, start, end) ? "path" : "pair");
    return;
  }
  // "0.02/s", "12/page": a measure.
  const isMeasure = slashes === 1 && bitsAt(units, start) === DIGIT && (bits & (UNDERSCORE | DASH | AT | UPPER)) === 0;
  if (isMeasure && bitsAt(units, end - 1) === LOWER && endingKind(units, start, end) === undefined) return;
  const isRooted = units[start] === 47 || units[start] === 46;
  const isHome = isRooted && unitBefore(units, start) === 126;
  visit(isHome ? start - 1 : start, end, "path");
}

/** `a/` or `b/` as a diff puts before a path: behind "--- ", "+++ " or "--git ", and before the second path of that line. */
function isSide(units: Uint16Array, start: number): boolean {
  if ((units[start] !== 97 && units[start] !== 98) || units[start + 1] !== 47 || unitBefore(units, start) !== 32)
    return false;
  const before = start < 2 ? 0 : units[start - 2];
  if (before === 45 || before === 43) return units[start - 3] === before;
  if (units[start] === 97) return before === 116 && units[start - 3] === 105 && units[start - 4] === 103;
  // The same path stands before it, on the other side.
  let length = 2;
  while ((CLASSES[units[start + length] as number] as number) !== 0) length++;
  for (let at = 1; at < length; at++) if (units[start + at] !== units[start - 1 - length + at]) return false;
  return units[start - 1 - length] === 97;
}

/** A word of prose has none of these. */
const NAME_MARKS = DOT | DIGIT | UNDERSCORE | DASH | AT | HUMP;

/** An address, a file name or a version; otherwise a chain of members, each of which is read alone. */
function visitDotted(units: Uint16Array, start: number, end: number, flags: number, visit: VisitIdentifier): void {
  if ((flags & AT) !== 0 && isAddress(units, start, end)) {
    visit(start, end, "email");
    return;
  }
  const kind = (flags & DOT) === 0 ? undefined : endingKind(units, start, end);
  // The rest of a name that began in another alphabet.
  if (kind === "file" && units[start] === 95 && unitBefore(units, start) > 127) return;
  if (kind !== undefined) {
    visit(start, end, kind);
    return;
  }
  // Plain words between dots: the end of a sentence.
  if (flags === (LOWER | DOT)) return;
  let piece = start;
  let seen = 0;
  let previous = 0;
  for (let index = start; index <= end; index++) {
    const bit = index === end ? DOT : bitsAt(units, index);
    if ((bit & (DOT | AT)) === 0) {
      seen |= bit === UPPER && previous === LOWER ? HUMP | UPPER : bit;
      previous = bit;
      continue;
    }
    // Most members are plain words, capitalised or not.
    if (seen > (LOWER | UPPER) || seen === UPPER) visitRun(units, piece, index, seen, visit);
    piece = index + 1;
    seen = 0;
    previous = 0;
  }
}

/** Something, `@`, something, a dot. */
function isAddress(units: Uint16Array, start: number, end: number): boolean {
  let sign = start;
  while (sign < end && units[sign] !== 64) sign++;
  if (sign === start) return false;
  for (let at = sign + 1; at < end; at++) if (units[at] === 46) return at > sign + 1;
  return false;
}

function visitWord(units: Uint16Array, start: number, end: number, flags: number, visit: VisitIdentifier): void {
  const length = end - start;
  const before = unitBefore(units, start);
  // The most frequent shapes need no second look at each unit. A colour has its sign before it.
  if ((flags & (DASH | UNDERSCORE | HUMP)) === HUMP && before !== 35) {
    if (length >= CAMEL_CHARS_MIN) visit(start, end, "camel");
    return;
  }
  const isSnake = (flags & (DASH | UNDERSCORE | LOWER)) === (UNDERSCORE | LOWER);
  if (isSnake && before !== 35 && units[start] !== 95 && units[end - 1] !== 95) {
    visit(start, end, "snake");
    return;
  }
  let seen = 0;
  let digits = 0;
  let marks = 0;
  let previous = 0;
  for (let at = start; at < end; at++) {
    const code = units[at] as number; // inside a run
    const bit = CLASSES[code] as number; // the table has every unit
    if (bit === LOWER) seen |= code <= 102 ? LOWER : LOWER | BEYOND_HEX;
    else if (bit === UPPER) seen |= previous === LOWER ? UPPER | HUMP : UPPER;
    else if (bit === DIGIT) digits++;
    else if (bit !== UNDERSCORE) marks++;
    else if (at > start && at < end - 1) seen |= UNDERSCORE;
    previous = bit;
  }
  const kind = wordKind(marks > 0 ? seen | DASH : seen, digits, length);
  if (kind === "number" && isLineNumber(units, start, end)) return;
  const isColour = before === 35 && digits > 0 && (length === 6 || length === 8);
  // Of "2026-05-12T02:17:00Z" the date counts; the colon would cut it after the hour.
  if (length === TIMESTAMP_CHARS && units[end] === 58 && units[end - 3] === 84 && marks === 2) {
    visit(start, end - 3, "number");
  } else if (kind === "capitals" && isLiteral(units, start, end)) visit(start, end, "constant");
  else if (kind !== undefined) visit(isColour ? start - 1 : start, end, kind);
}

/** Set when a small letter is none of `a` to `f`. */
const BEYOND_HEX = 1_024;

/** As far as the hour. */
const TIMESTAMP_CHARS = 13;

/** "  1474→", "1474:", "1474|" at the start of a line: the line number that a tool prints. */
function isLineNumber(units: Uint16Array, start: number, end: number): boolean {
  const behind = units[end];
  if (behind !== 0x2192 && behind !== 58 && behind !== 124 && behind !== 9) return false;
  let at = start - 1;
  while (at >= 0 && (units[at] === 32 || units[at] === 9)) at--;
  return at < 0 || units[at] === 10;
}

/** Whether a word is written as a value: in quotes, after a dollar sign or a label's colon, before an equals sign. */
function isLiteral(units: Uint16Array, start: number, end: number): boolean {
  const before = unitBefore(units, start);
  const behind = units[end] as number; // behind the text stands a unit that ends every run
  if (before === 36 || behind === 61) return true;
  if (before === 32 && start > 1 && units[start - 2] === 58) return true;
  return isQuote(behind) && (before === behind || before === 32);
}

function isQuote(code: number): boolean {
  return code === 34 || code === 39 || code === 96;
}

const NUMBER_DIGITS_MIN = 4;
const NUMBER_DIGITS_MAX = 20;
const HEX_CHARS_MIN = 7;
const HEX_CHARS_MAX = 64;

function wordKind(seen: number, digits: number, length: number): IdentifierKind | undefined {
  const hasLower = (seen & LOWER) !== 0;
  const hasUpper = (seen & UPPER) !== 0;
  const hasUnderscore = (seen & UNDERSCORE) !== 0;
  if (!hasLower && !hasUpper) {
    return !hasUnderscore && digits >= NUMBER_DIGITS_MIN && digits <= NUMBER_DIGITS_MAX ? "number" : undefined;
  }
  if ((seen & DASH) !== 0) {
    if (digits > 0) return "code";
    if (hasUnderscore) return "snake";
    return !hasUpper && length >= KEBAB_CHARS_MIN ? "kebab" : undefined;
  }
  if (hasUnderscore) return hasLower ? "snake" : "constant";
  if (!hasLower) return length >= CONSTANT_CHARS_MIN ? (digits > 0 ? "code" : "capitals") : undefined;
  if ((seen & HUMP) !== 0) return length >= CAMEL_CHARS_MIN ? "camel" : undefined;
  if (digits === 0) return undefined;
  if ((seen & (UPPER | BEYOND_HEX)) === 0 && length >= HEX_CHARS_MIN && length <= HEX_CHARS_MAX) return "hex";
  return digits >= 3 && length >= 6 ? "code" : undefined;
}

/** Whether the ending behind the last dot makes the run `[start, end)` a file name or a host; undefined when it says nothing. */
function endingKind(units: Uint16Array, start: number, end: number): "file" | "url" | undefined {
  let dot = end - 1;
  while (dot > start && end - dot <= EXTENSION_CHARS_MAX + 1 && bitsAt(units, dot) !== CLASS.dot) dot--;
  const length = end - dot - 1;
  if (dot <= start || length === 0 || length > EXTENSION_CHARS_MAX) return undefined;
  let key = 0;
  for (let at = dot + 1; at < end; at++) key = keyWith(key, units[at] as number);
  return KINDS.get(key);
}

/** A number for each ending, whatever its case: letters and digits are digits of it, so that no two endings share one. */
function keyWith(key: number, code: number): number {
  if (code >= 48 && code <= 57) return key * KEY_BASE + code - 47;
  const letter = code | 32;
  return letter >= 97 && letter <= 122 ? key * KEY_BASE + letter - 86 : Number.NaN;
}

/** Small enough for the number of the longest ending to be exact. */
const KEY_BASE = 37;

const EXTENSIONS =
  "py pyi ts tsx mts cts js jsx mjs cjs json jsonl md mdx ex exs heex erl rs go java kt kts swift c h cc cpp hpp cs rb php pl lua " +
  "toml yml yaml ini cfg conf env lock sh bash zsh ps1 css scss less html htm xml svg vue svelte sql csv tsv txt log pdf " +
  "doc docx xls xlsx ppt pptx png jpg jpeg gif webp mp3 mp4 wav zip gz tar tgz db sqlite ipynb proto graphql tf gradle " +
  "dockerfile diff patch parquet rst tex bib";
const EXTENSION_CHARS_MAX = 10;
const DOMAINS = "com org net io gov edu dev ai app co uk de fr cn jp";

const KINDS: ReadonlyMap<number, "file" | "url"> = new Map([
  ...DOMAINS.split(" ").map((ending) => [keyOf(ending), "url"] as const),
  ...EXTENSIONS.split(" ").map((ending) => [keyOf(ending), "file"] as const),
]);

function keyOf(ending: string): number {
  let key = 0;
  for (let at = 0; at < ending.length; at++) key = keyWith(key, ending.charCodeAt(at));
  return key;
}

/** The class of a unit that is known to be inside a run. */
function bitsAt(units: Uint16Array, at: number): number {
  const code = units[at] as number; // inside a run, so inside the array
  return code < 128 ? (CLASSES[code] as number) : CLASS.lower; // the table has every unit
}

function classTable(): Uint16Array {
  const table = new Uint16Array(65_536);
  for (let code = 97; code <= 122; code++) table[code] = CLASS.lower;
  for (let code = 65; code <= 90; code++) table[code] = CLASS.upper;
  for (let code = 48; code <= 57; code++) table[code] = CLASS.digit;
  table[95] = CLASS.underscore;
  table[46] = CLASS.dot;
  table[47] = CLASS.slash;
  table[45] = CLASS.dash;
  table[64] = CLASS.at;
  for (const [from, to] of LETTERS_BEYOND) table.fill(CLASS.beyond, from, to);
  return table;
}
