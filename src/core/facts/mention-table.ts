/** Counts mentions of identifiers in flat memory: a hash table over ranges of units. Exact: equal hashes are told apart by their characters. */

import type { IdentifierKind } from "./identifier-runs.ts";
import type { Stretch } from "./identifier-scan.ts";

/** Where a mention stands. `keys` are the names of call arguments; `writes` are arguments too long to be a name or command. */
export type FactSource = "user" | "calls" | "writes" | "keys" | "assistant" | "results";

/** The mentions of one identifier: how many from each source. Indexes count messages from 0. */
export interface Fact extends Readonly<Record<FactSource, number>> {
  readonly kind: IdentifierKind;
  readonly messages: number;
  readonly last: number;
  /** The newest message of which a call names it, -1 when none does. */
  readonly lastCall: number;
}

/** Numbers per row: a count per source, then distinct messages, last message, last call, hash, place among the names, place in the text. */
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

/** Entries are numbered in the order of their first mention. */
export interface MentionTable {
  /** Open addressing: an entry's number plus one, 0 where there is none. Twice the capacity, so never more than half full. */
  buckets: Int32Array;
  /** Zero behind the last entry. */
  rows: Int32Array;
  /** The units of all entries, one after the other, to compare with. */
  names: Uint16Array;
  namesEnd: number;
  /** For each entry the text it was first found in; its name is cut out only when asked for. */
  readonly texts: string[];
  readonly kinds: IdentifierKind[];
  /** Where the mentions that follow stand. Set once per text, so that a mention needs no object. */
  text: string;
  slot: number;
  message: number;
  /** The units of that text that are being read; faster than the text itself. */
  units: Uint16Array;
  offset: number;
}

export function createMentionTable(): MentionTable {
  const names = new Uint16Array(NAME_UNITS_START);
  return {
    buckets: new Int32Array(2 * CAPACITY_START),
    rows: new Int32Array(ROW * CAPACITY_START),
    names,
    namesEnd: 0,
    texts: [],
    kinds: [],
    text: "",
    slot: 0,
    message: 0,
    units: names,
    offset: 0,
  };
}

export function enterText(table: MentionTable, text: string, source: FactSource, message: number): void {
  table.text = text;
  table.slot = SLOT[source];
  table.message = message;
}

export function enterStretch(table: MentionTable, { units, offset }: Stretch): void {
  table.units = units;
  table.offset = offset;
}

/** Counts the identifier in the half-open range of units. */
export function addMention(table: MentionTable, start: number, end: number, kind: IdentifierKind): void {
  const { slot, message } = table;
  const hash = hashOf(table.units, start, end);
  const found = find(table, start, end, hash);
  const entry = found >= 0 ? found : addEntry(table, start, end, hash);
  if (found < 0) {
    table.kinds.push(kind);
    table.buckets[~found] = entry + 1;
    if (table.rows.length === ROW * table.kinds.length) grow(table);
  }
  const { rows } = table;
  const row = entry * ROW;
  rows[row + slot] = (rows[row + slot] ?? 0) + 1;
  if (slot === SLOT.calls || slot === SLOT.writes) rows[row + LAST_CALL] = message;
  if (found >= 0 && rows[row + LAST] === message) return;
  rows[row + LAST] = message;
  rows[row + MESSAGES] = (rows[row + MESSAGES] ?? 0) + 1;
}

/** The entry; when there is none, the complement of the bucket where it belongs. */
function find(table: MentionTable, start: number, end: number, hash: number): number {
  const { buckets, rows } = table;
  const mask = buckets.length - 1;
  let at = hash & mask;
  for (let entry = buckets[at] ?? 0; entry !== 0; entry = buckets[at] ?? 0) {
    if (rows[(entry - 1) * ROW + HASH] === hash && isNamed(table, entry - 1, start, end)) return entry - 1;
    at = (at + 1) & mask;
  }
  return ~at;
}

function isNamed({ names, rows, units }: MentionTable, entry: number, start: number, end: number): boolean {
  const row = entry * ROW;
  if (rows[row + LENGTH] !== end - start) return false;
  const shift = (rows[row + NAME] ?? 0) - start;
  for (let at = start; at < end; at++) if (names[shift + at] !== units[at]) return false;
  return true;
}

function addEntry(table: MentionTable, start: number, end: number, hash: number): number {
  const { rows, units } = table;
  const length = end - start;
  const entry = table.texts.push(table.text) - 1;
  const row = entry * ROW;
  rows[row + LAST_CALL] = -1;
  rows[row + HASH] = hash;
  rows[row + NAME] = table.namesEnd;
  rows[row + LENGTH] = length;
  rows[row + START] = table.offset + start;
  if (table.namesEnd + length > table.names.length) {
    const names = new Uint16Array(2 * table.names.length + length);
    names.set(table.names);
    table.names = names;
  }
  const { names } = table;
  for (let at = start; at < end; at++) names[table.namesEnd++] = units[at] ?? 0;
  return entry;
}

function grow(table: MentionTable): void {
  const factor = table.texts.length < CAPACITY_LARGE ? 4 : 2;
  const rows = new Int32Array(factor * table.rows.length);
  rows.set(table.rows);
  table.rows = rows;
  table.buckets = new Int32Array(factor * table.buckets.length);
  fillBuckets(table);
}

function fillBuckets({ buckets, rows, texts }: MentionTable): void {
  buckets.fill(0);
  const mask = buckets.length - 1;
  for (let entry = 0; entry < texts.length; entry++) {
    let at = (rows[entry * ROW + HASH] ?? 0) & mask;
    while (buckets[at] !== 0) at = (at + 1) & mask;
    buckets[at] = entry + 1;
  }
}

export function factAt({ rows, kinds }: MentionTable, entry: number): Fact {
  const row = entry * ROW;
  return {
    kind: kinds[entry] ?? "code",
    user: rows[row + SLOT.user] ?? 0,
    calls: rows[row + SLOT.calls] ?? 0,
    writes: rows[row + SLOT.writes] ?? 0,
    keys: rows[row + SLOT.keys] ?? 0,
    assistant: rows[row + SLOT.assistant] ?? 0,
    results: rows[row + SLOT.results] ?? 0,
    messages: rows[row + MESSAGES] ?? 0,
    last: rows[row + LAST] ?? 0,
    lastCall: rows[row + LAST_CALL] ?? 0,
  };
}

export function textAt({ rows, texts }: MentionTable, entry: number): string {
  const start = rows[entry * ROW + START] ?? 0;
  return (texts[entry] ?? "").slice(start, start + (rows[entry * ROW + LENGTH] ?? 0));
}

/** Forgets all other entries; asked in the order of first mention. */
export function keepEntries(table: MentionTable, isKept: (entry: number) => boolean): void {
  const { rows, kinds, texts, names } = table;
  const known = kinds.length;
  let kept = 0;
  let namesEnd = 0;
  for (let entry = 0; entry < known; entry++) {
    if (!isKept(entry)) continue;
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

/** FNV-1a over units, mixed once more so that the low bits depend on all of them. */
function hashOf(units: Uint16Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (units[at] ?? 0), 0x01000193);
  return (hash ^ (hash >>> 15)) | 0;
}
