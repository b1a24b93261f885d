/**
 * A session file as it is now, at the least cost: what is new since it was last read, the view alone, or all of it. Every commit and
 * rollback writes a checkpoint, which says where the lines of the view stand. A checkpoint is only a shortcut: where it does not fit
 * the file exactly, the whole file is read. Reads only.
 */

import { fstatSync, type Stats, statSync } from "node:fs";
import {
  isArray,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  numberOf,
  stringOf,
} from "../../core/json.ts";
import type { Role } from "../../core/message.ts";
import type { Counters, PassHistory } from "../../core/store/counters.ts";
import type { SystemEdit } from "../../core/store/store.ts";
import type { Depth } from "../log/log-store.ts";
import type { Row } from "../log/session-log.ts";
import { foreignBody } from "./foreign-entry.ts";
import { type Line, linesBetween, parseLine, readPiece, type Span, withFile, withoutTorn } from "./lines.ts";
import { messageIn } from "./message-entry.ts";
import { committedIn, timeOf } from "./record-entry.ts";
import {
  beginFile,
  followsLast,
  ownerOf,
  passDamaged,
  passEnd,
  passLine,
  readWhole,
  type SessionFile,
  takeEntry,
} from "./session-file.ts";

export interface OpenFile {
  readonly file: SessionFile;
  /** Which file it was: another may come to stand under its name. */
  readonly identity: string;
  /** How it begins: numbers of files are used again at once, and clocks are coarse. */
  readonly beginning: Buffer;
}

/** Undefined when there is no such file, or it is no session. */
export function readSession(path: string, depth: Depth, known: OpenFile | undefined): OpenFile | undefined {
  return withFile(path, (descriptor, size) => {
    const identity = identityOf(fstatSync(descriptor));
    const isKnown = known !== undefined && known.identity === identity && size >= known.file.end;
    const isSame = isKnown && readPiece(descriptor, 0, known.beginning.length).equals(known.beginning);
    if (isSame && (depth === "view" || known.file.log.isWhole) && catchUp(descriptor, known.file, size)) return known;
    const file = (depth === "view" ? readView(descriptor, size) : undefined) ?? readWhole(descriptor, size);
    return file && { file, identity, beginning: readPiece(descriptor, 0, Math.min(BEGINNING_BYTES, file.end)) };
  });
}

/** Whether a file is still as it was when it was read. */
export function isUnchanged(path: string, { identity, size }: { identity: string; size: number }): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && identityOf(found) === identity && found.size === size;
}

function identityOf({ ino, birthtimeMs }: Stats): string {
  return `${ino}:${birthtimeMs}`;
}

/** Enough to hold who a session is. */
const BEGINNING_BYTES = 4_096;

/** The first line that is one; undefined for an empty or damaged beginning. */
export function readHeader(path: string): JsonObject | undefined {
  return withFile(path, (descriptor, size) => headerLine(descriptor, size)?.json);
}

function headerLine(descriptor: number, size: number): Line | undefined {
  for (const line of linesBetween(descriptor, 0, size)) if (line.json !== undefined) return line;
  return undefined;
}

/** False where what came since cannot be understood without the rest of the file. */
function catchUp(descriptor: number, file: SessionFile, size: number): boolean {
  const { counted } = withoutTorn([...linesBetween(descriptor, file.end, size)], ownerOf(file));
  for (const line of counted) {
    const { json } = line;
    if (json === undefined) {
      // The last line may be just being written.
      if (line.isTerminated) passDamaged(file, line, descriptor);
      continue;
    }
    if (!isUnderstood(file, json)) return false;
    file.marksByPlace.push(file.log.sequence + 1);
    takeEntry(file, json, line.span);
    passLine(file, line, json);
  }
  passEnd(file);
  file.size = size;
  return true;
}

function isUnderstood(file: SessionFile, entry: JsonObject): boolean {
  if (file.log.isWhole) return followsLast(file, entry);
  if (entry.parentId !== undefined && entry.parentId !== file.lastEntryId) return false;
  const { palimpsest, type } = entry;
  if (!isObject(palimpsest)) return type !== "compaction" && type !== "context_edit";
  // A rollback brings back what only the whole file holds.
  return !isObject(palimpsest.record) || palimpsest.record.type !== "rolled-back";
}

function readView(descriptor: number, size: number): SessionFile | undefined {
  const line = lastCheckpoint(descriptor, size);
  const header = line && headerLine(descriptor, size);
  const file = line && header && restoreFile(descriptor, header, line);
  return file !== undefined && catchUp(descriptor, file, size) ? file : undefined;
}

/** As it stands in a line of ours; within a text its quotes would be escaped. */
const CHECKPOINT = Buffer.from('"checkpoint":{');
const NEWLINE = 10;
const TAIL_BYTES_MIN = 1 << 18;
const TAIL_BYTES_MAX = 1 << 26;

/** Reads backwards, in steps that grow. */
function lastCheckpoint(descriptor: number, size: number): Line | undefined {
  for (let length = TAIL_BYTES_MIN; length <= TAIL_BYTES_MAX; length *= 4) {
    const from = Math.max(0, size - length);
    const tail = readPiece(descriptor, from, size - from);
    for (let at = tail.lastIndexOf(CHECKPOINT); at !== -1; at = at === 0 ? -1 : tail.lastIndexOf(CHECKPOINT, at - 1)) {
      const begin = tail.lastIndexOf(NEWLINE, at) + 1;
      const end = tail.indexOf(NEWLINE, at);
      // Its beginning may lie further back.
      if (begin === 0 && from > 0) break;
      if (end === -1) continue;
      const before = tail.lastIndexOf(NEWLINE, begin - 2) + 1;
      if (before === 0 && from > 0) break;
      const [previous, line] = linesBetween(descriptor, from + before, from + end + 1);
      if (line === undefined || !isCheckpoint(line)) continue;
      // A line that does not follow the one before it may be void; only the whole file shows it.
      return line.json?.parentId === previous?.json?.id ? line : undefined;
    }
    if (from === 0) return undefined;
  }
  return undefined;
}

function isCheckpoint({ json }: Line): boolean {
  return isObject(json?.palimpsest) && isObject(json.palimpsest.checkpoint);
}

/** For the line that `eventId` is written on (null for a rollback's); undefined where the place of a line is not known. */
export function checkpointOf(file: SessionFile, eventId: string | null): JsonObject | undefined {
  const { log, places } = file;
  const placeOf = (made: string): Span | 0 | undefined => (made === eventId ? 0 : places.events.get(made));
  const view: JsonValue[] = [];
  for (const { id, sequence, order, isPinned, madeBy, edits } of log.view) {
    const place = madeBy === null ? places.messages.get(id) : placeOf(madeBy);
    const edit = edits.at(-1);
    const editPlace = edit === undefined ? null : placeOf(edit.eventId);
    if (place === undefined || editPlace === undefined) return undefined;
    view.push([id, sequence, order, isPinned ? 1 : 0, place, editPlace]);
  }
  const { head, eventNumber, counters, passes, system } = log;
  return {
    view,
    base: places.base ?? log.base,
    metadata: log.metadata,
    head,
    eventNumber,
    counters: { ...counters },
    passes: { ...passes },
    system: system === null ? null : { ...system },
  };
}

/** The file as it was after the line that holds the checkpoint. */
function restoreFile(descriptor: number, header: Line, line: Line): SessionFile | undefined {
  const mark = isObject(line.json?.palimpsest) ? line.json.palimpsest : {};
  const { checkpoint } = mark;
  const file = header.json && beginFile(header.json, header);
  const at = timeOf(line.json?.timestamp);
  if (file === undefined || line.json === undefined || at === undefined || !isObject(checkpoint)) return undefined;
  const { view } = checkpoint;
  const [revision, sequence] = [numberOf(mark.revision), numberOf(mark.sequence)];
  if (!isArray(view) || revision === undefined || sequence === undefined) return undefined;
  const entryAt = readerOf(descriptor, line, spansIn(checkpoint));
  const rows = view.map((item) => (isArray(item) ? rowOf(item, entryAt) : undefined));
  const isWhole = rows.every((row) => row !== undefined);
  const base = isArray(checkpoint.base) ? baseIn(entryAt(spanOf(checkpoint.base))) : checkpoint.base;
  if (!isWhole || !isObject(base)) return undefined;
  const { log, places } = file;
  log.isWhole = false;
  log.base = base;
  if (isObject(checkpoint.metadata)) log.metadata = checkpoint.metadata;
  places.base = spanOf(checkpoint.base);
  log.updatedAt = at;
  log.head = stringOf(checkpoint.head) ?? null;
  log.revision = revision;
  log.sequence = sequence;
  log.eventNumber = numberOf(checkpoint.eventNumber) ?? 0;
  // Written by us on the same line, and only read since.
  log.counters = checkpoint.counters as unknown as Counters;
  log.passes = checkpoint.passes as unknown as PassHistory;
  log.system = checkpoint.system as unknown as SystemEdit | null;
  log.view = rows.filter((row) => row !== undefined);
  for (const row of log.view) log.rows.set(row.id, row);
  rememberPlaces(file, view, line);
  file.lastEntryId = stringOf(line.json.id) ?? null;
  file.end = line.span[0] + line.span[1] + (line.isTerminated ? 1 : 0);
  file.isTerminated = line.isTerminated;
  return file;
}

type EntryAt = (span: Span | undefined) => JsonObject | undefined;

function spansIn({ view, base }: JsonObject): readonly Span[] {
  const items = isArray(view) ? view.filter(isArray) : [];
  return [base, ...items.flatMap((item) => [item[4], item[5]])].flatMap((value) => {
    const span = spanOf(value);
    return span === undefined ? [] : [span];
  });
}

function spanOf(value: JsonValue | undefined): Span | undefined {
  if (!isArray(value)) return undefined;
  const [offset, length] = value;
  return typeof offset === "number" && typeof length === "number" ? [offset, length] : undefined;
}

/** Lines nearer to each other than this are read at once, with what stands between. */
const GAP_BYTES_MAX = 1 << 16;

/** Reads neighbours together; the line itself, whose place it could not name, stands for no span. */
function readerOf(descriptor: number, own: Line, spans: readonly Span[]): EntryAt {
  const sorted = [...spans].sort(([a], [b]) => a - b);
  const runs: { from: number; to: number }[] = [];
  for (const [offset, length] of sorted) {
    const last = runs.at(-1);
    if (last !== undefined && offset - last.to < GAP_BYTES_MAX) last.to = Math.max(last.to, offset + length);
    else runs.push({ from: offset, to: offset + length });
  }
  const parsed = new Map<number, JsonObject | undefined>();
  for (const { from, to } of runs) {
    const bytes = readPiece(descriptor, from, to - from);
    for (const [offset, length] of sorted) {
      if (offset < from || offset >= to || parsed.has(offset)) continue;
      const text = bytes.toString("utf8", offset - from, offset - from + length);
      // The other lines of a message are for pi alone.
      parsed.set(offset, parseLine(text.split("\n", 1)[0] ?? ""));
    }
  }
  return (span) => (span === undefined ? own.json : parsed.get(span[0]));
}

function rowOf(item: JsonArray, entryAt: EntryAt): Row | undefined {
  const [id, sequence, order, pinned, place, editPlace] = item;
  const entry = entryAt(spanOf(place));
  if (typeof id !== "string" || typeof sequence !== "number" || typeof order !== "number") return undefined;
  const made = entry && messageOf(entry, id);
  const createdAt = timeOf(entry?.timestamp);
  if (made === undefined || createdAt === undefined) return undefined;
  const edits = editPlace === null ? [] : editsOf(entryAt(spanOf(editPlace)), id);
  if (edits === undefined) return undefined;
  return { id, sequence, order, isPinned: pinned === 1, archivedBy: null, createdAt, edits, ...made };
}

type MessageContent = { readonly role: Role; readonly body: JsonValue; readonly madeBy: string | null };

/** From its own line, or from the compaction that inserted it; undefined when the line is another's. */
function messageOf(entry: JsonObject, id: string): MessageContent | undefined {
  const record = committedIn(entry);
  if (record !== undefined) {
    const inserted = record.inserted.find((message) => message.id === id);
    return inserted && { role: inserted.role, body: inserted.body, madeBy: record.eventId };
  }
  if (entry.id !== id && entry.id !== undefined) return undefined;
  const message = messageIn(entry) ?? (isObject(entry.palimpsest) ? undefined : foreignBody(entry));
  if (message === undefined) return undefined;
  const body = "body" in message ? message.body : { ...message };
  return { role: message.role, body, madeBy: null };
}

function editsOf(entry: JsonObject | undefined, id: string): Row["edits"] | undefined {
  const record = entry && committedIn(entry);
  if (record === undefined) return undefined;
  const edit = record.edits.findLast(({ messageId }) => messageId === id);
  return edit && [{ ...edit, eventId: record.eventId }];
}

function baseIn(entry: JsonObject | undefined): JsonValue | undefined {
  if (entry === undefined || !isObject(entry.palimpsest)) return undefined;
  const { record, base } = entry.palimpsest;
  return isObject(record) ? record.base : base;
}

/** The next checkpoint names the same lines. */
function rememberPlaces({ log, places }: SessionFile, view: JsonArray, line: Line): void {
  for (const [index, row] of log.view.entries()) {
    const item = view[index];
    const [place, editPlace] = isArray(item) ? [spanOf(item[4]) ?? line.span, spanOf(item[5]) ?? line.span] : [];
    if (place === undefined || editPlace === undefined) continue;
    if (row.madeBy === null) places.messages.set(row.id, place);
    else places.events.set(row.madeBy, place);
    const edit = row.edits.at(-1);
    if (edit !== undefined) places.events.set(edit.eventId, editPlace);
  }
}
