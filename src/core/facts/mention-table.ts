/**
 * Counts mentions of identifiers in flat memory: a hash table over character ranges, so that a mention makes no string and no
 * object unless the identifier is new. Exact: equal hashes are told apart by their characters. Knows nothing of messages.
 */

import type { IdentifierKind } from "./identifier-scan.ts";

/** Where a mention stands. `keys` are the names of call arguments; `writes` are arguments too long to be a name or command. */
export type FactSource = "user" | "calls" | "writes" | "keys" | "assistant" | "results";

/** One identifier with what is known of its mentions. Indexes count messages from 0. */
export interface Fact {
  readonly text: string;
  readonly kind: IdentifierKind;
  readonly user: number;
  readonly calls: number;
  readonly writes: number;
  readonly keys: number;
  readonly assistant: number;
  readonly results: number;
  /** Distinct messages that mention it. */
  readonly messages: number;
  readonly first: number;
  readonly last: number;
  /** The newest message of which a call names it, -1 when none does. */
  readonly lastCall: number;
}

/** Where the mentions that follow stand. */
export interface MentionPlace {
  readonly text: string;
  readonly source: FactSource;
  readonly message: number;
}

export interface MentionTable {
  size(): number;
  /** Set once per text, so that a mention costs no object. */
  place(place: MentionPlace): void;
  mention(start: number, end: number, kind: IdentifierKind): void;
  /** In the order of first mention. The object is used again for the next. */
  visit(visitFact: (fact: Fact) => void): void;
  /** Forgets all others; asked in the order of first mention. */
  keep(isKept: () => boolean): void;
}

/** Numbers per row: a count per source, then how many messages, the first, the last, the last call, and the hash. */
const SLOT: Readonly<Record<FactSource, number>> = { user: 0, calls: 1, writes: 2, keys: 3, assistant: 4, results: 5 };
const MESSAGES = 6;
const FIRST = 7;
const LAST = 8;
const LAST_CALL = 9;
const HASH = 10;
const ROW = 11;
const CAPACITY_START = 1_024;

export function createMentionTable(): MentionTable {
  const table: Table = {
    buckets: new Int32Array(2 * CAPACITY_START),
    rows: new Int32Array(ROW * CAPACITY_START),
    capacity: CAPACITY_START,
    texts: [],
    kinds: [],
  };
  let place: MentionPlace = { text: "", source: "user", message: 0 };
  let slot = 0;
  let isCall = false;
  return {
    size: () => table.texts.length,
    place(next) {
      place = next;
      slot = SLOT[next.source];
      isCall = next.source === "calls" || next.source === "writes";
    },
    mention(start, end, kind) {
      const { text, message } = place;
      const hash = hashOf(text, start, end);
      const found = find(table, { text, start, end, hash });
      const entry =
        found >= 0 ? found : addEntry(table, { bucket: ~found, name: text.slice(start, end), kind, hash, message });
      const { rows } = table;
      const row = entry * ROW;
      rows[row + slot] = (rows[row + slot] ?? 0) + 1;
      if (isCall) rows[row + LAST_CALL] = message;
      if (rows[row + LAST] !== message) {
        rows[row + LAST] = message;
        rows[row + MESSAGES] = (rows[row + MESSAGES] ?? 0) + 1;
      }
    },
    visit: (visitFact) => visitEntries(table, visitFact),
    keep: (isKept) => keepEntries(table, isKept),
  };
}

interface Table {
  /** Open addressing: an entry's number plus one, 0 where there is none. Twice the capacity, so never more than half full. */
  buckets: Int32Array;
  rows: Int32Array;
  capacity: number;
  readonly texts: string[];
  readonly kinds: IdentifierKind[];
}

interface Sought {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly hash: number;
}

/** The entry; when there is none, the complement of the bucket where it belongs. */
function find({ buckets, rows, texts }: Table, { text, start, end, hash }: Sought): number {
  const mask = buckets.length - 1;
  let at = hash & mask;
  for (let entry = buckets[at] ?? 0; entry !== 0; entry = buckets[at] ?? 0) {
    if (rows[(entry - 1) * ROW + HASH] === hash && isEqual(texts[entry - 1] ?? "", text, start, end)) return entry - 1;
    at = (at + 1) & mask;
  }
  return ~at;
}

interface NewEntry {
  readonly bucket: number;
  readonly name: string;
  readonly kind: IdentifierKind;
  readonly hash: number;
  readonly message: number;
}

function addEntry(table: Table, { bucket, name, kind, hash, message }: NewEntry): number {
  const entry = table.texts.length;
  table.buckets[bucket] = entry + 1;
  table.texts.push(name);
  table.kinds.push(kind);
  const row = entry * ROW;
  table.rows.fill(0, row, row + ROW);
  table.rows[row + MESSAGES] = 1;
  table.rows[row + FIRST] = message;
  table.rows[row + LAST] = message;
  table.rows[row + LAST_CALL] = -1;
  table.rows[row + HASH] = hash;
  if (table.texts.length === table.capacity) grow(table);
  return entry;
}

function grow(table: Table): void {
  table.capacity *= 2;
  const rows = new Int32Array(ROW * table.capacity);
  rows.set(table.rows);
  table.rows = rows;
  fillBuckets(table);
}

function fillBuckets(table: Table): void {
  const buckets = new Int32Array(2 * table.capacity);
  const mask = buckets.length - 1;
  for (let entry = 0; entry < table.texts.length; entry++) {
    let at = (table.rows[entry * ROW + HASH] ?? 0) & mask;
    while (buckets[at] !== 0) at = (at + 1) & mask;
    buckets[at] = entry + 1;
  }
  table.buckets = buckets;
}

function visitEntries({ rows, texts, kinds }: Table, visitFact: (fact: Fact) => void): void {
  const fact = emptyFact();
  for (let entry = 0; entry < texts.length; entry++) {
    const row = entry * ROW;
    fact.text = texts[entry] ?? "";
    fact.kind = kinds[entry] ?? "code";
    fact.user = rows[row + SLOT.user] ?? 0;
    fact.calls = rows[row + SLOT.calls] ?? 0;
    fact.writes = rows[row + SLOT.writes] ?? 0;
    fact.keys = rows[row + SLOT.keys] ?? 0;
    fact.assistant = rows[row + SLOT.assistant] ?? 0;
    fact.results = rows[row + SLOT.results] ?? 0;
    fact.messages = rows[row + MESSAGES] ?? 0;
    fact.first = rows[row + FIRST] ?? 0;
    fact.last = rows[row + LAST] ?? 0;
    fact.lastCall = rows[row + LAST_CALL] ?? -1;
    visitFact(fact);
  }
}

function keepEntries(table: Table, isKept: () => boolean): void {
  const { rows, texts, kinds } = table;
  let kept = 0;
  for (let entry = 0; entry < texts.length; entry++) {
    if (!isKept()) continue;
    texts[kept] = texts[entry] ?? "";
    kinds[kept] = kinds[entry] ?? "code";
    rows.copyWithin(kept * ROW, entry * ROW, entry * ROW + ROW);
    kept++;
  }
  texts.length = kept;
  kinds.length = kept;
  fillBuckets(table);
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

function emptyFact(): Mutable<Fact> {
  return {
    text: "",
    kind: "code",
    user: 0,
    calls: 0,
    writes: 0,
    keys: 0,
    assistant: 0,
    results: 0,
    messages: 0,
    first: 0,
    last: 0,
    lastCall: -1,
  };
}

/** FNV-1a over character codes, mixed once more so that the low bits depend on all of them. */
function hashOf(text: string, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) | 0;
}

function isEqual(known: string, text: string, start: number, end: number): boolean {
  if (known.length !== end - start) return false;
  for (let at = 0; at < known.length; at++) if (known.charCodeAt(at) !== text.charCodeAt(start + at)) return false;
  return true;
}
