/**
 * Counts mentions of identifiers in flat memory: a hash table over ranges of units, so that a mention makes no string and no
 * object. Exact: equal hashes are told apart by their characters. Knows nothing of messages.
 */

import type { IdentifierKind } from "./identifier-runs.ts";
import type { Stretch } from "./identifier-scan.ts";

/** Where a mention stands. `keys` are the names of call arguments; `writes` are arguments too long to be a name or command. */
export type FactSource = "user" | "calls" | "writes" | "keys" | "assistant" | "results";

/** What is known of one identifier's mentions. Indexes count messages from 0. */
export interface Fact {
  readonly kind: IdentifierKind;
  readonly user: number;
  readonly calls: number;
  readonly writes: number;
  readonly keys: number;
  readonly assistant: number;
  readonly results: number;
  /** Distinct messages that mention it. */
  readonly messages: number;
  readonly last: number;
  /** The newest message of which a call names it, -1 when none does. */
  readonly lastCall: number;
}

/** The identifier itself: as units, which are read many times faster one by one than a text that is cut out of another. */
export interface FactName {
  /** Those of all names. They stay as they are until the next mention. */
  readonly units: Uint16Array;
  readonly start: number;
  readonly end: number;
  /** Cut out of its text only for who asks. */
  text(): string;
}

/** Both are only valid during the call. */
export type VisitFact = (fact: Fact, name: FactName) => void;

export interface MentionTable {
  size(): number;
  /** Where the mentions that follow stand: set once per text, so that a mention costs no object. */
  place(text: string, source: FactSource, message: number): void;
  /** The stretch of that text in which they stand: its units are read in place of the text, which is slower. */
  enter(stretch: Stretch): void;
  /** The half-open range of units that names it. */
  mention(start: number, end: number, kind: IdentifierKind): void;
  /** In the order of first mention, or just those of which the numbers in that order are given, as they are. The objects are used again for the next. */
  visit(visitFact: VisitFact, entries?: Int32Array): void;
  /** Forgets all others; asked in the order of first mention. */
  keep(isKept: () => boolean): void;
}

/**
 * Numbers per row: a count per source, how many messages, the last, the last call, the hash,
 * where its units are, and where it was first found.
 */
const SLOT: Readonly<Record<FactSource, number>> = { user: 0, calls: 1, writes: 2, keys: 3, assistant: 4, results: 5 };
const MESSAGES = 6;
const LAST = 7;
const LAST_CALL = 8;
const HASH = 9;
const NAME = 10;
const LENGTH = 11;
const START = 12;
const ROW = 13;
const CAPACITY_START = 2_048;
/** Below this it grows in large steps, since each puts all entries into new buckets; above it memory counts for more. */
const CAPACITY_LARGE = 8_192;
const NAME_UNITS_START = 32_768;

export function createMentionTable(): MentionTable {
  const table: Table = {
    buckets: new Int32Array(2 * CAPACITY_START),
    rows: new Int32Array(ROW * CAPACITY_START),
    capacity: CAPACITY_START,
    names: new Uint16Array(NAME_UNITS_START),
    namesEnd: 0,
    texts: [],
    kinds: [],
  };
  let text = "";
  let units = table.names;
  let offset = 0;
  let message = 0;
  let slot = 0;
  let isCall = false;
  return {
    size: () => table.kinds.length,
    place(nextText, source, nextMessage) {
      text = nextText;
      message = nextMessage;
      slot = SLOT[source];
      isCall = source === "calls" || source === "writes";
    },
    enter(stretch) {
      units = stretch.units;
      offset = stretch.offset;
    },
    mention(start, end, kind) {
      const hash = hashOf(units, start, end);
      const found = find(table, units, start, end, hash);
      const entry =
        found >= 0 ? found : addEntry(table, { text, units, offset, message, bucket: ~found, start, end, kind, hash });
      const { rows } = table;
      const row = entry * ROW;
      rows[row + slot] = (rows[row + slot] ?? 0) + 1;
      if (isCall) rows[row + LAST_CALL] = message;
      if (rows[row + LAST] !== message) {
        rows[row + LAST] = message;
        rows[row + MESSAGES] = (rows[row + MESSAGES] ?? 0) + 1;
      }
    },
    visit: (visitFact, entries) => visitEntries(table, visitFact, entries),
    keep: (isKept) => keepEntries(table, isKept),
  };
}

interface Table {
  /** Open addressing: an entry's number plus one, 0 where there is none. Twice the capacity, so never more than half full. */
  buckets: Int32Array;
  /** Zero behind the last entry. */
  rows: Int32Array;
  capacity: number;
  /** The units of all entries, one after the other, to compare with. */
  names: Uint16Array;
  namesEnd: number;
  /** For each entry the text it was first found in; it is cut out only for who asks. */
  readonly texts: string[];
  readonly kinds: IdentifierKind[];
}

/** The entry; when there is none, the complement of the bucket where it belongs. */
function find(table: Table, units: Uint16Array, start: number, end: number, hash: number): number {
  const { buckets, rows } = table;
  const mask = buckets.length - 1;
  let at = hash & mask;
  for (let entry = buckets[at] ?? 0; entry !== 0; entry = buckets[at] ?? 0) {
    if (rows[(entry - 1) * ROW + HASH] === hash && isNamed(table, entry - 1, units, start, end)) return entry - 1;
    at = (at + 1) & mask;
  }
  return ~at;
}

function isNamed({ names, rows }: Table, entry: number, units: Uint16Array, start: number, end: number): boolean {
  const row = entry * ROW;
  if (rows[row + LENGTH] !== end - start) return false;
  const shift = (rows[row + NAME] ?? 0) - start;
  for (let at = start; at < end; at++) if (names[shift + at] !== units[at]) return false;
  return true;
}

interface NewEntry {
  readonly text: string;
  readonly units: Uint16Array;
  readonly offset: number;
  readonly message: number;
  readonly bucket: number;
  readonly start: number;
  readonly end: number;
  readonly hash: number;
  readonly kind: IdentifierKind;
}

function addEntry(table: Table, added: NewEntry): number {
  const { text, units, offset, message, bucket, start, end, kind, hash } = added;
  const entry = table.kinds.length;
  table.buckets[bucket] = entry + 1;
  table.kinds.push(kind);
  table.texts.push(text);
  const { rows } = table;
  const row = entry * ROW;
  rows[row + MESSAGES] = 1;
  rows[row + LAST] = message;
  rows[row + LAST_CALL] = -1;
  rows[row + HASH] = hash;
  rows[row + NAME] = table.namesEnd;
  rows[row + LENGTH] = end - start;
  rows[row + START] = offset + start;
  if (table.namesEnd + end - start > table.names.length) growNames(table, end - start);
  const { names } = table;
  for (let at = start; at < end; at++) names[table.namesEnd++] = units[at] ?? 0;
  if (table.kinds.length === table.capacity) grow(table);
  return entry;
}

function growNames(table: Table, units: number): void {
  const names = new Uint16Array(2 * table.names.length + units);
  names.set(table.names);
  table.names = names;
}

function grow(table: Table): void {
  table.capacity *= table.capacity < CAPACITY_LARGE ? 4 : 2;
  const rows = new Int32Array(ROW * table.capacity);
  rows.set(table.rows);
  table.rows = rows;
  fillBuckets(table);
}

function fillBuckets(table: Table): void {
  const buckets = new Int32Array(2 * table.capacity);
  const mask = buckets.length - 1;
  for (let entry = 0; entry < table.kinds.length; entry++) {
    let at = (table.rows[entry * ROW + HASH] ?? 0) & mask;
    while (buckets[at] !== 0) at = (at + 1) & mask;
    buckets[at] = entry + 1;
  }
  table.buckets = buckets;
}

function visitEntries(table: Table, visitFact: VisitFact, entries?: Int32Array): void {
  const { rows, kinds, texts, names } = table;
  const fact = emptyFact();
  let entry = 0;
  const text = (): string => {
    const start = rows[entry * ROW + START] ?? 0;
    return (texts[entry] ?? "").slice(start, start + (rows[entry * ROW + LENGTH] ?? 0));
  };
  const name: Mutable<FactName> = { units: names, start: 0, end: 0, text };
  const count = entries?.length ?? kinds.length;
  for (let at = 0; at < count; at++) {
    entry = entries?.[at] ?? at;
    const row = entry * ROW;
    fact.kind = kinds[entry] ?? "code";
    fact.user = rows[row + SLOT.user] ?? 0;
    fact.calls = rows[row + SLOT.calls] ?? 0;
    fact.writes = rows[row + SLOT.writes] ?? 0;
    fact.keys = rows[row + SLOT.keys] ?? 0;
    fact.assistant = rows[row + SLOT.assistant] ?? 0;
    fact.results = rows[row + SLOT.results] ?? 0;
    fact.messages = rows[row + MESSAGES] ?? 0;
    fact.last = rows[row + LAST] ?? 0;
    fact.lastCall = rows[row + LAST_CALL] ?? -1;
    name.start = rows[row + NAME] ?? 0;
    name.end = name.start + (rows[row + LENGTH] ?? 0);
    visitFact(fact, name);
  }
}

function keepEntries(table: Table, isKept: () => boolean): void {
  const { rows, kinds, texts, names } = table;
  const known = kinds.length;
  let kept = 0;
  let namesEnd = 0;
  for (let entry = 0; entry < known; entry++) {
    if (!isKept()) continue;
    const row = kept * ROW;
    rows.copyWithin(row, entry * ROW, entry * ROW + ROW);
    const name = rows[row + NAME] ?? 0;
    const length = rows[row + LENGTH] ?? 0;
    names.copyWithin(namesEnd, name, name + length);
    rows[row + NAME] = namesEnd;
    namesEnd += length;
    kinds[kept] = kinds[entry] ?? "code";
    texts[kept] = texts[entry] ?? "";
    kept++;
  }
  rows.fill(0, kept * ROW, known * ROW);
  kinds.length = kept;
  texts.length = kept;
  table.namesEnd = namesEnd;
  fillBuckets(table);
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

function emptyFact(): Mutable<Fact> {
  return {
    kind: "code",
    user: 0,
    calls: 0,
    writes: 0,
    keys: 0,
    assistant: 0,
    results: 0,
    messages: 0,
    last: 0,
    lastCall: -1,
  };
}

/** FNV-1a over units, mixed once more so that the low bits depend on all of them. */
function hashOf(units: Uint16Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (units[at] ?? 0), 0x01000193);
  return (hash ^ (hash >>> 15)) | 0;
}
