/**
 * The content words of texts as numbers: each distinct word has one, in the order in which they came. Finds exactly those that
 * `visitContentWords` does, but makes no string of any: a text's units are copied, made small and looked up where they stand.
 */

import { copyUnits, createTextUnits, type TextUnits } from "../../../core/text.ts";
import { isIdeograph, isWordUnit, SMALL_WORDS } from "./content-words.ts";

export interface WordTable {
  /** How many content words a text has. Their numbers stand in `found` until the next is read; a word may come more than once. */
  read(text: string): number;
  found(): Int32Array;
}

/** Of longer texts the units are copied to memory of their own. */
const UNITS_MAX = 4_096;
/** Scratch space. Every call fills it afresh and returns before another can begin, so nothing is ever shared. */
const MEMORY = createTextUnits(UNITS_MAX + 1);

export function createWordTable(): WordTable {
  const table = copyOf(SMALL_TABLE);
  const read = (text: string, isSmall: boolean): number => {
    const { length } = text;
    const memory = length <= UNITS_MAX ? MEMORY : createTextUnits(length + 1);
    if (length > table.found.length) table.found = new Int32Array(length);
    copyUnits(memory, text, 0, length);
    // In no word, so that every search ends.
    memory.units[length] = 0;
    return readWords(table, memory, { length, isSmall });
  };
  return {
    read(text) {
      const count = read(text, false);
      return count === HAS_CAPITALS ? read(text.toLowerCase(), true) : count;
    },
    found: () => table.found,
  };
}

interface Table {
  /** An entry's number plus one, 0 where there is none. A power of two, never more than half full. */
  buckets: Int32Array;
  hashes: Int32Array;
  /** Where the units of each entry begin, and behind the last where they end. */
  starts: Int32Array;
  /** Of all entries, one after the other, to compare with. */
  units: Uint16Array;
  /** The number of a content word, or that it is a small one. */
  words: Int32Array;
  entries: number;
  /** How many content words there are. */
  count: number;
  found: Int32Array;
}

const SMALL_WORD = -1;
const ENTRIES_EXPECTED = 512;
const UNITS_PER_WORD = 8;

/** What a unit is in a word, capitals as their small letters; 0 for what is in none. */
const FOLDED = Uint8Array.from({ length: 128 }, (_, code) =>
  isWordUnit(code) ? code : code >= 65 && code <= 90 ? code + 32 : 0,
);
const ASCII_UNITS = FOLDED.length;
const APOSTROPHE = 39;
const NINE = 57;
/** Shorter words carry nothing, unless they are numbers. */
const WORD_UNITS_MIN = 3;

/** What a unit beyond ASCII may be, besides one of a word or none. */
const ALONE = -1;
const HAS_CAPITALS = -2;

interface Copied {
  readonly length: number;
  /** Whether capitals are small letters already. */
  readonly isSmall: boolean;
}

/** How many numbers were written to `found`; `HAS_CAPITALS` where there may be such beyond ASCII. */
function readWords(table: Table, { units }: TextUnits, { length, isSmall }: Copied): number {
  const { found } = table;
  const folded = FOLDED;
  let count = 0;
  for (let at = 0; at < length; ) {
    let code = units[at] as number; // the memory has one unit more than the text
    let unit = code < ASCII_UNITS ? (folded[code] as number) : unitBeyondAscii(code, isSmall);
    if (unit === HAS_CAPITALS) return HAS_CAPITALS;
    const start = at;
    let hash = 0;
    if (unit <= 0) {
      at++;
      if (unit === 0) continue;
      hash = hashWith(hash, code);
    } else {
      do {
        units[at++] = unit;
        hash = hashWith(hash, unit);
        code = units[at] as number;
        // "it's" is one word.
        if (code === APOSTROPHE && isWordUnit(smallOf(units[at + 1] as number))) {
          hash = hashWith(hash, code);
          code = units[++at] as number;
        }
        unit = code < ASCII_UNITS ? (folded[code] as number) : unitBeyondAscii(code, isSmall);
      } while (unit > 0);
      if (unit === HAS_CAPITALS) return HAS_CAPITALS;
      if (at - start < WORD_UNITS_MIN && (units[start] as number) > NINE) continue;
    }
    const word = wordAt(table, units, start, at, spread(hash));
    if (word !== SMALL_WORD) found[count++] = word;
  }
  return count;
}

function smallOf(code: number): number {
  return code >= 65 && code <= 90 ? code + 32 : code;
}

/** The unit itself in a word, 0 in none. */
function unitBeyondAscii(code: number, isSmall: boolean): number {
  if (!isSmall && mayBeCapital(code)) return HAS_CAPITALS;
  if (isWordUnit(code)) return code;
  return isIdeograph(code) ? ALONE : 0;
}

/** Marks, symbols, ideographs and syllables have no capitals, and texts without any others need not be made small. */
function mayBeCapital(code: number): boolean {
  if (code < 0xc0) return false;
  if (code < 0x2000) return true;
  return (code >= 0x2100 && code < 0x2150) || (code >= 0x2c00 && code < 0x3000) || (code >= 0xa640 && code < 0xac00);
}

function hashWith(hash: number, unit: number): number {
  return (Math.imul(hash, 31) + unit) | 0;
}

/** By the golden ratio of 32 bits: words that differ in their last letter would stand side by side. */
function spread(hash: number): number {
  const mixed = Math.imul(hash, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}

/** The number of the word that stands there, which it gets where it is new. */
function wordAt(table: Table, units: Uint16Array, start: number, end: number, hash: number): number {
  const { buckets, hashes, words } = table;
  const mask = buckets.length - 1;
  let bucket = hash & mask;
  for (let entry = buckets[bucket] as number; entry !== 0; entry = buckets[bucket] as number) {
    if (hashes[entry - 1] === hash && isSame(table, entry - 1, units, start, end)) return words[entry - 1] as number;
    bucket = (bucket + 1) & mask;
  }
  buckets[bucket] = table.entries + 1;
  addEntry(table, units, start, end, hash);
  return table.count++;
}

function isSame(table: Table, entry: number, units: Uint16Array, start: number, end: number): boolean {
  const { starts, units: known } = table;
  const shift = (starts[entry] as number) - start;
  if (starts[entry + 1] !== shift + end) return false;
  for (let at = start; at < end; at++) if (known[shift + at] !== units[at]) return false;
  return true;
}

function addEntry(table: Table, units: Uint16Array, start: number, end: number, hash: number): void {
  const entry = table.entries++;
  const from = table.starts[entry] as number;
  const behind = from + end - start;
  if (behind > table.units.length) table.units = enlarged(table.units, new Uint16Array(2 * behind));
  for (let at = start; at < end; at++) table.units[from - start + at] = units[at] as number;
  table.starts[entry + 1] = behind;
  table.hashes[entry] = hash;
  table.words[entry] = table.count;
  if (2 * table.entries >= table.buckets.length) grow(table);
}

function grow(table: Table): void {
  const capacity = 2 * table.buckets.length;
  table.buckets = new Int32Array(capacity);
  table.hashes = enlarged(table.hashes, new Int32Array(capacity));
  table.starts = enlarged(table.starts, new Int32Array(capacity));
  table.words = enlarged(table.words, new Int32Array(capacity));
  for (let entry = 0; entry < table.entries; entry++) {
    let bucket = (table.hashes[entry] as number) & (capacity - 1);
    while (table.buckets[bucket] !== 0) bucket = (bucket + 1) & (capacity - 1);
    table.buckets[bucket] = entry + 1;
  }
}

function enlarged<Items extends Int32Array | Uint16Array>(items: Items, larger: Items): Items {
  larger.set(items);
  return larger;
}

function copyOf(table: Table): Table {
  const { buckets, hashes, starts, units, words } = table;
  return {
    ...table,
    buckets: buckets.slice(),
    hashes: hashes.slice(),
    starts: starts.slice(),
    units: units.slice(),
    words: words.slice(),
    found: new Int32Array(UNITS_MAX),
  };
}

/** What every table begins with: the small words, which have no numbers. */
const SMALL_TABLE = ((): Table => {
  const capacity = 2 * ENTRIES_EXPECTED;
  const table: Table = {
    buckets: new Int32Array(capacity),
    hashes: new Int32Array(capacity),
    starts: new Int32Array(capacity),
    units: new Uint16Array(UNITS_PER_WORD * ENTRIES_EXPECTED),
    words: new Int32Array(capacity),
    entries: 0,
    count: 0,
    found: new Int32Array(UNITS_MAX),
  };
  const memory = createTextUnits(UNITS_MAX);
  for (const word of SMALL_WORDS) {
    const { length } = word;
    copyUnits(memory, `${word}\0`, 0, length + 1);
    // Read as a content word first, then known for what it is.
    readWords(table, memory, { length, isSmall: true });
  }
  table.words.fill(SMALL_WORD, 0, table.entries);
  table.count = 0;
  return table;
})();
