/** A session file as it is now, at the least cost: what is new since it was last read, the view alone, or all of it. Reads only. */

import { closeSync, fstatSync, openSync, type Stats, statSync } from "node:fs";
import { isObject, type JsonObject } from "../../core/json.ts";
import type { Depth } from "../log/log-store.ts";
import { restoreFile } from "./checkpoint.ts";
import { type Line, linesBetween, readPiece, withoutTorn } from "./lines.ts";
import {
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
  const descriptor = openOrUndefined(path);
  if (descriptor === undefined) return undefined;
  try {
    const found = fstatSync(descriptor);
    const { size } = found;
    const identity = identityOf(found);
    const isKnown = known !== undefined && known.identity === identity && size >= known.file.end;
    const isSame = isKnown && readPiece(descriptor, 0, known.beginning.length).equals(known.beginning);
    if (isSame && (depth === "view" || known.file.log.isWhole) && catchUp(descriptor, known.file, size)) return known;
    const file = (depth === "view" ? readView(descriptor, size) : undefined) ?? readWhole(descriptor, size);
    return file && { file, identity, beginning: readPiece(descriptor, 0, Math.min(BEGINNING_BYTES, file.end)) };
  } finally {
    closeSync(descriptor);
  }
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
  const descriptor = openOrUndefined(path);
  if (descriptor === undefined) return undefined;
  try {
    return headerLine(descriptor, fstatSync(descriptor).size)?.json;
  } finally {
    closeSync(descriptor);
  }
}

function openOrUndefined(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
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

/** From the last checkpoint on; undefined when there is none that fits. */
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
      // One that does not follow the line before it may count for nothing; the whole file tells.
      return line.json?.parentId === previous?.json?.id ? line : undefined;
    }
    if (from === 0) return undefined;
  }
  return undefined;
}

function isCheckpoint({ json }: Line): boolean {
  return isObject(json?.palimpsest) && isObject(json.palimpsest.checkpoint);
}
