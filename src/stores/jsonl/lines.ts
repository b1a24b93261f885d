/** The lines of a file with their places, read a bounded piece at a time, and which of them count. Reads only. */

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import {
  isObject,
  isTooDeep,
  JSON_DEPTH_MAX,
  type JsonObject,
  numberOf,
  parseJson,
  stringOf,
} from "../../core/json.ts";

/** First byte and number of bytes, without the line's end. */
export type Span = readonly [offset: number, length: number];

export interface Line {
  readonly span: Span;
  /** Undefined for a line that is no JSON object. */
  readonly json: JsonObject | undefined;
  /** False for the last line of a file that does not end with one. */
  readonly isTerminated: boolean;
}

/** What `work` returns; undefined where the file or directory is not there. */
export function whereThere<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** Opens a file for reading only; undefined where it is not there. */
export function withFile<T>(path: string, work: (descriptor: number, size: number) => T): T | undefined {
  const descriptor = whereThere(() => openSync(path, "r"));
  if (descriptor === undefined) return undefined;
  try {
    return work(descriptor, fstatSync(descriptor).size);
  } finally {
    closeSync(descriptor);
  }
}

/** Blank lines are left out. */
export function* linesBetween(descriptor: number, from: number, to: number): Generator<Line> {
  let pieces: Buffer[] = [];
  let start = from;
  for (let position = from; position < to; ) {
    const piece = readPiece(descriptor, position, Math.min(PIECE_BYTES, to - position));
    if (piece.length === 0) break;
    let begin = 0;
    for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, begin)) {
      const bytes = Buffer.concat([...pieces, piece.subarray(begin, end)]);
      if (!isBlank(bytes)) yield lineOf(bytes, start, true);
      pieces = [];
      begin = end + 1;
      start = position + begin;
    }
    pieces.push(piece.subarray(begin));
    position += piece.length;
  }
  const rest = Buffer.concat(pieces);
  if (!isBlank(rest)) yield lineOf(rest, start, false);
}

/** The bytes of a span; fewer where the file ends before. */
export function readPiece(descriptor: number, offset: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(descriptor, buffer, filled, length - filled, offset + filled);
    if (count === 0) break;
    filled += count;
  }
  return buffer.subarray(0, filled);
}

/** Undefined for text that is no JSON object, or nests too deep. */
export function parseLine(text: string): JsonObject | undefined {
  if (hasManyBrackets(text) && isTooDeep(text)) return undefined;
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

/** Looking at every character is dear, and few lines have as many brackets as would be needed to nest too deep. */
function hasManyBrackets(text: string): boolean {
  let count = 0;
  for (const bracket of ["{", "["]) {
    for (let at = text.indexOf(bracket); at !== -1 && count <= JSON_DEPTH_MAX; at = text.indexOf(bracket, at + 1))
      count++;
  }
  return count > JSON_DEPTH_MAX;
}

const NEWLINE = 10;
const PIECE_BYTES = 1 << 20;

/** Longer lines are damage; a string could not hold much more. */
const LINE_BYTES_MAX = 1 << 28;

function lineOf(bytes: Buffer, offset: number, isTerminated: boolean): Line {
  const json = bytes.length > LINE_BYTES_MAX ? undefined : parseLine(bytes.toString("utf8"));
  return { span: [offset, bytes.length], json, isTerminated };
}

function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte !== 32 && (byte < 9 || byte > 13)) return false;
  return true;
}

/** The session that a file holds, as its header says. */
export interface Owner {
  readonly incarnation: string;
  /** False when the header is pi's or OpenClaw's alone. */
  readonly isOwn: boolean;
}

/** The first line of a batch says how many lines it has, and in which session: pi copies lines of ours, not always all, into its own files. */
export function withLineCount(entries: readonly JsonObject[], incarnation: string): readonly JsonObject[] {
  return entries.map((entry, index) => {
    if (index > 0 || entries.length === 1 || !isObject(entry.palimpsest)) return entry;
    return { ...entry, palimpsest: { ...entry.palimpsest, lines: entries.length, incarnation } };
  });
}

/** For files that are written anew: their batches were whole, and may be so no longer. */
export function withoutLineCount({ lines: _, incarnation: __, ...mark }: JsonObject): JsonObject {
  return mark;
}

interface CountedLines {
  readonly counted: readonly Line[];
  readonly late: readonly Line[];
  /** The first line of a batch that was not written to its end, where nothing stands behind it. */
  readonly torn: Line | undefined;
}

export function countedLines(lines: readonly Line[], owner: Owner): CountedLines {
  const { counted: whole, torn } = withoutTorn(lines, owner);
  return { ...withoutLate(whole, owner), torn };
}

/** Without unfinished batches. Our next writer voids such a batch; another program's next writer has read its lines, and they stand. */
export function withoutTorn(lines: readonly Line[], owner: Owner): Pick<CountedLines, "counted" | "torn"> {
  const counted: Line[] = [];
  for (let index = 0; index < lines.length; ) {
    const length = chainedLines(lines, index, owner);
    const next = lines[index + length];
    if (length < lineCount(lines[index]?.json, owner)) {
      if (next === undefined || isUnfinished(next)) return { counted, torn: lines[index] };
      if (isOwnEntry(next.json) && next.json?.parentId === lines[index]?.json?.parentId) {
        index += length;
        continue;
      }
    }
    for (const line of lines.slice(index, index + length)) counted.push(line);
    index += length;
  }
  return { counted, torn: undefined };
}

/**
 * A writer names the last entry as the parent of its own. An entry of ours whose parent stands before another entry of ours is late:
 * its writer did not know of that one, notices it, and writes again. Foreign entries between them do not make an entry late.
 */
function withoutLate(lines: readonly Line[], owner: Owner): Pick<CountedLines, "counted" | "late"> {
  const [counted, late]: [Line[], Line[]] = [[], []];
  const places = new Map<string, number>();
  let lastOwn = -1;
  for (let index = 0; index < lines.length; index++) {
    const { json } = lines[index] ?? {};
    const isOwn = isOwnEntry(json) && places.size > 0;
    if (isOwn && parentPlace(json ?? {}, places) < lastOwn) {
      const length = chainedLines(lines, index, owner);
      for (const line of lines.slice(index, index + length)) late.push(line);
      index += length - 1;
      continue;
    }
    counted.push(...lines.slice(index, index + 1));
    if (isOwn) lastOwn = index;
    if (json !== undefined) places.set(places.size === 0 ? HEADER : (stringOf(json.id) ?? HEADER), index);
  }
  return { counted, late };
}

/** No entry is named so. */
const HEADER = "";

/** What names nothing that is there follows the line before it. */
function parentPlace({ parentId }: JsonObject, places: ReadonlyMap<string, number>): number {
  const place = parentId === null ? 0 : places.get(stringOf(parentId) ?? HEADER);
  return parentId === undefined || place === undefined ? Number.POSITIVE_INFINITY : place;
}

/** Of a batch, as many lines as follow each other: ours alone, whoever else goes on behind them. */
function chainedLines(lines: readonly Line[], start: number, owner: Owner): number {
  const count = lineCount(lines[start]?.json, owner);
  let length = 1;
  while (length < count && isNextOf(lines[start + length - 1], lines[start + length])) length++;
  return length;
}

function isNextOf(before: Line | undefined, line: Line | undefined): boolean {
  const id = before?.json?.id;
  const mark = line?.json?.palimpsest;
  // A record stands on one line, and a line with a count is another batch's first.
  const isOfBatch = isObject(mark) && mark.record === undefined && mark.lines === undefined;
  return isOfBatch && id !== undefined && line?.json?.parentId === id;
}

function isUnfinished({ json, isTerminated }: Line): boolean {
  return json === undefined && !isTerminated;
}

function isOwnEntry(json: JsonObject | undefined): boolean {
  return isObject(json?.palimpsest);
}

/** A count is believed in the session that it was written for. Older files of ours do not say which that was. */
function lineCount(json: JsonObject | undefined, { incarnation, isOwn }: Owner): number {
  const mark = isObject(json?.palimpsest) ? json.palimpsest : {};
  const count = numberOf(mark.lines);
  const isBelieved = mark.incarnation === undefined ? isOwn : mark.incarnation === incarnation;
  return isBelieved && count !== undefined && Number.isSafeInteger(count) && count > 1 ? count : 1;
}
