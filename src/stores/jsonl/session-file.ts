/** A session file in memory: the log that its lines make, and where the lines stand. It grows line by line, and never writes. */

import { isObject, type JsonObject, numberOf, stringOf } from "../../core/json.ts";
import { livePath } from "../../core/pi-entries.ts";
import { sequenceOf } from "../../core/store/store-rules.ts";
import { applyRecord, newLog, type SessionLog } from "../log/session-log.ts";
import { foreignBody, foreignRecord } from "./foreign-entry.ts";
import { countedLines, type Line, linesBetween, type Owner, readPiece, type Span } from "./lines.ts";
import { batchIn, messageIn } from "./message-entry.ts";
import { createdIn, isOwnHeader, recordIn, timeOf } from "./record-entry.ts";

export interface SessionFile {
  readonly log: SessionLog;
  /** False when the header is pi's or OpenClaw's alone. */
  readonly isOwn: boolean;
  /** Behind the last line that counts: where the next one goes. */
  end: number;
  /** Of the file when it was last read. */
  size: number;
  /** False when a line's end must come before the next line. */
  isTerminated: boolean;
  /** Null before the first entry, undefined behind one that has none: then each follows the one before it in the file. */
  lastEntryId: string | null | undefined;
  readonly places: Places;
  /** By entry, the number of the first message at or behind it. */
  readonly marks: Map<string, number>;
  /** The same by their places in the file, for old files that name entries so; the header is the first. */
  readonly marksByPlace: number[];
  readonly damage: Damage[];
  /** Damaged lines without a readable number since the last line of ours. */
  garbledLines: number;
}

interface Places {
  /** Undefined where no line holds the base as it is. */
  base: Span | undefined;
  readonly messages: Map<string, Span>;
  readonly events: Map<string, Span>;
}

export interface Damage {
  readonly rule: "bad-line" | "torn-line" | "late-line" | "bad-record";
  readonly offset: number;
}

/** Undefined for a file that does not begin with a header. */
export function readWhole(descriptor: number, size: number): SessionFile | undefined {
  const all = [...linesBetween(descriptor, 0, size)];
  const header = all.find(({ json }) => json !== undefined);
  const file = header?.json && beginFile(header.json, header);
  if (file === undefined) return undefined;
  const { counted: lines, late, torn } = countedLines(all, ownerOf(file));
  const good = lines.map(({ json }) => json).filter((json) => json !== undefined);
  const live = new Set(livePath(good).map((index) => good[index]));
  for (const line of lines) {
    const { json } = line;
    if (line === header) continue;
    if (json === undefined) {
      passDamaged(file, line, descriptor);
      continue;
    }
    if (!followsLast(file, json)) file.log.revision++;
    file.marksByPlace.push(file.log.sequence + 1);
    if (live.has(json)) takeEntry(file, json, line.span);
    else skipEntry(file, json);
    passLine(file, line, json);
  }
  for (const line of late) passLate(file, line);
  if (torn !== undefined) file.damage.push({ rule: "torn-line", offset: torn.span[0] });
  passEnd(file);
  file.size = size;
  return file;
}

/** A file of which only the header is known. */
export function beginFile(header: JsonObject, line: Pick<Line, "span" | "isTerminated">): SessionFile | undefined {
  const created = createdIn(header);
  if (created === undefined) return undefined;
  const isOwn = isOwnHeader(header);
  return {
    log: newLog(created),
    isOwn,
    end: line.span[0] + line.span[1] + (line.isTerminated ? 1 : 0),
    size: 0,
    isTerminated: line.isTerminated,
    lastEntryId: null,
    places: { base: isOwn ? line.span : undefined, messages: new Map(), events: new Map() },
    marks: new Map(),
    marksByPlace: [1],
    damage: [],
    garbledLines: 0,
  };
}

export function ownerOf({ log, isOwn }: SessionFile): Owner {
  return { incarnation: log.incarnation, isOwn };
}

/** Whether an entry follows the one before it; otherwise it begins a branch. */
export function followsLast(file: SessionFile, entry: JsonObject): boolean {
  const parentId = entry.parentId;
  if (parentId === undefined || parentId === file.lastEntryId) return true;
  return parentId !== null && !file.marks.has(stringOf(parentId) ?? "") && parentId !== file.log.id;
}

/** What an entry on the live path does. */
export function takeEntry(file: SessionFile, entry: JsonObject, span: Span): void {
  const at = timeOf(entry.timestamp) ?? file.log.updatedAt;
  const mark = isObject(entry.palimpsest) ? entry.palimpsest : undefined;
  if (mark === undefined) takeForeign(file, entry, { at, span });
  else if (typeof mark.part === "string") takePart(file, entry, { part: mark.part, span });
  else if (typeof mark.purged === "number") takeStub(file, entry, mark.purged);
  else if (mark.record !== undefined) takeRecord(file, entry, { at, span });
  else takeMessage(file, entry, { at, span });
}

/** Where the next line goes once this one has been read. */
export function passLine(file: SessionFile, { span, isTerminated }: Omit<Line, "json">, entry: JsonObject): void {
  file.end = span[0] + span[1] + (isTerminated ? 1 : 0);
  file.isTerminated = isTerminated;
  file.lastEntryId = stringOf(entry.id);
  // Its writer knew the numbers before it.
  if (isObject(entry.palimpsest)) file.garbledLines = 0;
}

/** A line that is no JSON. One that was left half written does not count, and the next write removes it; any other stays. */
export function passDamaged(file: SessionFile, line: Line, descriptor: number): void {
  const { span, isTerminated } = line;
  file.damage.push({ rule: isTerminated ? "bad-line" : "torn-line", offset: span[0] });
  if (!isTerminated) return;
  const number = numberInDamaged(descriptor, line, file.log);
  if (number === undefined) file.garbledLines++;
  else file.log.sequence = number;
  file.end = Math.max(file.end, span[0] + span[1] + 1);
  file.isTerminated = true;
}

/** Whole lines are never cut off, even late ones: their writer may be about to check them. */
function passLate(file: SessionFile, { span, isTerminated }: Line): void {
  file.damage.push({ rule: "late-line", offset: span[0] });
  const end = span[0] + span[1] + (isTerminated ? 1 : 0);
  if (end > file.end) [file.end, file.isTerminated] = [end, isTerminated];
}

/** Skips one number for each garbled line that no entry of ours follows, because their numbers are unknown. */
export function passEnd(file: SessionFile): void {
  file.log.sequence += file.garbledLines;
  file.garbledLines = 0;
}

interface EntryPlace {
  readonly at: string;
  readonly span: Span;
}

function takeMessage(file: SessionFile, entry: JsonObject, { at, span }: EntryPlace): void {
  const { log } = file;
  const message = messageIn(entry);
  const id = stringOf(entry.id) ?? "";
  const sequence = sequenceOf(id);
  if (message === undefined || sequence === undefined || log.rows.has(id)) {
    file.damage.push({ rule: "bad-record", offset: span[0] });
    log.sequence = Math.max(log.sequence, sequence ?? 0);
    return;
  }
  file.marks.set(id, sequence);
  file.places.messages.set(id, span);
  applyRecord(log, {
    type: "appended",
    at,
    messages: [{ id, sequence, order: sequence, ...message }],
    ...batchIn(entry),
  });
}

/** A message's lines stand one behind the other. */
function takePart(file: SessionFile, entry: JsonObject, { part, span }: { part: string; span: Span }): void {
  markEntry(file, entry);
  const { messages } = file.places;
  const place = messages.get(part);
  // The line that it belongs to may be damaged.
  file.log.sequence = Math.max(file.log.sequence, sequenceOf(part) ?? 0);
  if (place !== undefined) messages.set(part, [place[0], span[0] + span[1] - place[0]]);
}

/** What stands where a message was purged: its number is not given again. */
function takeStub(file: SessionFile, entry: JsonObject, sequence: number): void {
  markEntry(file, entry);
  file.log.sequence = Math.max(file.log.sequence, sequence);
}

function takeRecord(file: SessionFile, entry: JsonObject, { at, span }: EntryPlace): void {
  const { log, places } = file;
  const found = recordIn(entry, at);
  if (found === undefined) {
    file.damage.push({ rule: "bad-record", offset: span[0] });
    return;
  }
  const { record, standing } = found;
  markEntry(file, entry);
  applyRecord(log, record);
  log.revision = standing.revision;
  log.sequence = Math.max(log.sequence, standing.sequence);
  if (standing.counters !== undefined) log.counters = standing.counters;
  if (record.type === "committed") places.events.set(record.eventId, span);
  if (record.type === "based") places.base = span;
}

function takeForeign(file: SessionFile, entry: JsonObject, { at, span }: EntryPlace): void {
  const { log, places } = file;
  const markOf = (compaction: JsonObject): number | undefined => {
    const place = numberOf(compaction.firstKeptEntryIndex);
    const id = stringOf(compaction.firstKeptEntryId);
    if (id !== undefined) return file.marks.get(id);
    return place === undefined ? undefined : file.marksByPlace[place];
  };
  const record = foreignRecord(entry, { log, at, markOf });
  markEntry(file, entry);
  if (record !== undefined) applyRecord(log, record);
  if (record?.type === "appended") for (const { id } of record.messages) places.messages.set(id, span);
  if (record?.type === "committed") places.events.set(record.eventId, span);
  // Foreign ids may look like ours, so our numbers go on behind them.
  log.sequence = Math.max(log.sequence, sequenceOf(stringOf(entry.id) ?? "") ?? 0);
  const said = isObject(entry.message) ? entry.message : entry;
  const model = stringOf(entry.type === "model_change" ? entry.modelId : said.model);
  if (!file.isOwn && model !== undefined && places.base === undefined) log.base = { ...log.base, model };
}

function markEntry({ marks, log }: SessionFile, { id }: JsonObject): void {
  if (typeof id === "string") marks.set(id, log.sequence + 1);
}

/** An entry of a branch that was left: it takes numbers, so that none is given twice, and does nothing else. */
function skipEntry(file: SessionFile, entry: JsonObject): void {
  const { log } = file;
  markEntry(file, entry);
  const found = recordIn(entry, log.updatedAt);
  if (found !== undefined) log.revision = Math.max(log.revision, found.standing.revision);
  const taken = found?.standing.sequence ?? sequenceOf(stringOf(entry.id) ?? "") ?? 0;
  const isForeign = !isObject(entry.palimpsest) && (entry.type === "compaction" || foreignBody(entry) !== undefined);
  log.sequence = Math.max(log.sequence + (isForeign ? 1 : 0), taken);
}

/** Where a message's number stands in a line of ours: in its id, or beside a record. */
const NUMBER = /"(?:id":"m|sequence":)(\d{1,15})\b/g;

/** Enough of a line to find them. */
const READ_BYTES_MAX = 1 << 20;

/** A line holds one batch or compaction; a number further ahead is part of a message text. */
const NUMBERS_AHEAD_MAX = 10_000;

/** The highest number in the line that is not taken yet; undefined without one. */
function numberInDamaged(descriptor: number, { span }: Line, { sequence }: SessionLog): number | undefined {
  const [offset, length] = span;
  const text = readPiece(descriptor, offset, Math.min(length, READ_BYTES_MAX)).toString("latin1");
  const ahead = [...text.matchAll(NUMBER)]
    .map(([, digits]) => Number(digits))
    .filter((number) => number > sequence && number <= sequence + NUMBERS_AHEAD_MAX);
  return ahead.length === 0 ? undefined : ahead.reduce((highest, number) => Math.max(highest, number));
}
