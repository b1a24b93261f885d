/** Writes lines to a session file whole or not at all. Checks the caller's lock again, and reads back what was written. */

import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { modelIn } from "../../core/format-rules.ts";
import { type JsonObject, type JsonValue, stringOf } from "../../core/json.ts";
import type { AppendRecord, LogRecord } from "../log/records.ts";
import { applyRecord } from "../log/session-log.ts";
import { PRIVATE_FILE } from "../private-files.ts";
import { readPiece, type Span, whereThere, withLineCount } from "./lines.ts";
import type { HeldLock } from "./lock.ts";
import { calledTool, messageEntries } from "./message-entry.ts";
import { checkpointOf } from "./read.ts";
import { recordEntry } from "./record-entry.ts";
import { passLine, type SessionFile, takeEntry } from "./session-file.ts";

/** `always`: on the disk when an append or commit resolves. `never`: when the system sees fit; a crash of the process loses nothing. */
export type Sync = "always" | "never";

interface WriteTarget {
  /** Behind the last line that counts. */
  readonly end: number;
  /** Of the file as it was read: where the lines go. What stands between counts for nothing; a last line without an end is made blank. */
  readonly size: number;
  readonly sync: Sync;
  readonly lock: HeldLock;
}

/**
 * False where the lines do not stand where they should, because the lock was lost and somebody else wrote there. Nothing that others
 * wrote is touched even then, wherever this process was stopped in between: lines are only ever added to the end of a file, and a
 * reader passes over those that follow another than they name.
 */
export function appendBytes(path: string, bytes: Buffer, landing: WriteTarget): boolean {
  const { end, size, sync, lock } = landing;
  // Where it was removed meanwhile, nothing is made.
  const descriptor = whereThere(() => openSync(path, constants.O_RDWR | constants.O_APPEND));
  if (descriptor === undefined) return false;
  try {
    if (!isAsRead(descriptor, size, lock)) return false;
    if (size > end) toPlace(path, descriptor, (own) => blankTorn(own, landing));
    try {
      if (!writeToEnd(descriptor, bytes, landing)) return false;
      if (sync === "always") fsyncSync(descriptor);
    } catch (error) {
      takeBack(descriptor, { path, bytes, landing });
      throw error;
    }
    const isThere = readPiece(descriptor, size, bytes.length).equals(bytes);
    if (!isThere) blankOut(descriptor, { path, bytes, landing });
    return isThere && isNamed(path, descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function isAsRead(descriptor: number, size: number, lock: HeldLock): boolean {
  return fstatSync(descriptor).size === size && lock.isHeld();
}

interface WriteAttempt {
  readonly path: string;
  readonly bytes: Buffer;
  readonly landing: WriteTarget;
}

/** Writes in one piece where the system allows it; the rest follows only while no other process can have written. */
function writeToEnd(descriptor: number, bytes: Buffer, { size, lock }: WriteTarget): boolean {
  for (let done = 0; done < bytes.length; ) {
    if (done > 0 && !isAsRead(descriptor, size + done, lock)) return false;
    done += writeSync(descriptor, bytes, done);
  }
  return true;
}

/** Lines that were not written to their end count for nothing; where only they can be meant, their room is given back at once. */
function takeBack(descriptor: number, { path, bytes, landing }: WriteAttempt): void {
  const { size, lock } = landing;
  const now = fstatSync(descriptor).size;
  const own = bytes.subarray(0, now - size);
  const isOwn = now > size && now - size === own.length && own.equals(readPiece(descriptor, size, own.length));
  if (isOwn && isAsRead(descriptor, now, lock)) toPlace(path, descriptor, (open) => ftruncateSync(open, size));
}

/** Blanks our lines where they landed behind those of another process. They are found by all of their bytes; no other line is touched. */
function blankOut(descriptor: number, { path, bytes, landing: { size } }: WriteAttempt): void {
  const at = readPiece(descriptor, size, fstatSync(descriptor).size - size).indexOf(bytes);
  if (at !== -1) toPlace(path, descriptor, (own) => writeBlank(own, size + at, bytes));
}

/** Whole lines stay, because others may have read them. What still grows is being written, so the size is asked at the last moment. */
function blankTorn(descriptor: number, { end, size }: WriteTarget): void {
  const rest = readPiece(descriptor, end, size - end);
  const torn = rest.subarray(rest.lastIndexOf(NEWLINE) + 1);
  if (torn.length > 0 && fstatSync(descriptor).size === size) writeBlank(descriptor, size - torn.length, torn);
}

/** Ends of lines stay, and one comes last; written twice, it is the same. */
function writeBlank(descriptor: number, place: number, bytes: Buffer): void {
  const blank = bytes.map((byte) => (byte === NEWLINE ? NEWLINE : SPACE));
  blank[blank.length - 1] = NEWLINE;
  writeSync(descriptor, blank, 0, blank.length, place);
}

const NEWLINE = 10;
const SPACE = 32;

/** Uses a second descriptor, because one that is opened for appending cannot write elsewhere. */
function toPlace(path: string, descriptor: number, change: (own: number) => void): void {
  const own = openSync(path, "r+");
  try {
    if (fstatSync(own).ino === fstatSync(descriptor).ino) change(own);
  } finally {
    closeSync(own);
  }
}

/** Another file may have come to stand under the name. */
function isNamed(path: string, descriptor: number): boolean {
  return statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(descriptor).ino;
}

export interface Replacement {
  readonly sync: Sync;
  /** Makes a unique name for the temporary file. */
  readonly newId: () => string;
  /** Asked last: whether the file to be replaced is still the one that was read. */
  isCurrent(): boolean;
}

export const TEMPORARY_ENDING = ".tmp";

/** Replaces the file as a whole or not at all. False where `isCurrent` said no. */
export function replaceFile(path: string, bytes: Buffer, { sync, newId, isCurrent }: Replacement): boolean {
  const temporary = `${path}.${newId()}${TEMPORARY_ENDING}`;
  try {
    // A file that is rewritten keeps the mode that it has.
    const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? PRIVATE_FILE;
    const descriptor = openSync(temporary, "wx", mode & 0o777);
    try {
      writeAll(descriptor, bytes);
      if (sync === "always") fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    if (!isCurrent()) {
      rmSync(temporary, { force: true });
      return false;
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  if (sync === "always") syncDirectory(dirname(path));
  return true;
}

/** Names are in the directory, so a new or removed file is durable when that is. */
export function syncDirectory(directory: string): void {
  // Windows opens no directories, and needs no sync of them.
  if (process.platform === "win32") return;
  const descriptor = openSync(directory, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

export function bytesOf(entries: readonly JsonObject[]): Buffer {
  return Buffer.from(entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""));
}

function writeAll(descriptor: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
}

export interface EntryForm {
  readonly newId: () => string;
  /** Of compaction entries. pi and OpenClaw write texts; programs that count the milliseconds since 1970 want a number. Both are read. */
  readonly compactionTimestamps: "iso" | "number";
}

interface Target extends EntryForm {
  readonly path: string;
  readonly sync: Sync;
  readonly lock: HeldLock;
}

/** False when another process wrote first. After false or an error, nothing of the record counts and the log must be read again. */
export function appendRecord(file: SessionFile, record: LogRecord, target: Target): boolean {
  const isMessages = hasMessages(record);
  const entries = recordEntries(file, record, target);
  const lines = entries.map((entry) => Buffer.from(`${JSON.stringify(entry)}\n`));
  const { end, size } = file;
  // A torn line is ended, or blanked.
  const lead = file.isTerminated || size > end ? "" : "\n";
  const from = size + lead.length;
  const { path, sync, lock } = target;
  if (!appendBytes(path, Buffer.concat([Buffer.from(lead), ...lines]), { end, size, sync, lock })) return false;
  let offset = from;
  for (const [index, entry] of entries.entries()) {
    const length = (lines[index]?.length ?? 1) - 1;
    const span: Span = [offset, length];
    file.marksByPlace.push(file.log.sequence + 1);
    // Messages are read as they were written, so that a writer's log is what a reader's will be.
    if (isMessages) takeEntry(file, entry, span);
    else place(file, record, { entry, span });
    passLine(file, { span, isTerminated: true }, entry);
    offset += length + 1;
  }
  file.size = offset;
  return true;
}

/** The entries for a record. Messages are not applied to the log yet; other records are. */
export function recordEntries(file: SessionFile, record: LogRecord, form: EntryForm): readonly JsonObject[] {
  if (hasMessages(record))
    return withLineCount(chained(entriesOf(file, record), file.lastEntryId), file.log.incarnation);
  applyRecord(file.log, record);
  return chained([entryOf(file, record, form)], file.lastEntryId);
}

function hasMessages(record: LogRecord): record is AppendRecord {
  return record.type === "appended" && record.messages.length > 0;
}

function entriesOf({ log }: SessionFile, { messages, turns, usage, at }: AppendRecord): readonly JsonObject[] {
  const model = modelIn(log.base) ?? "unknown";
  const toolName = toolNames([...log.view.slice(-CALL_DISTANCE_MAX), ...messages]);
  const answer = messages.findLastIndex(({ role }) => role === "assistant");
  return messages.flatMap((message, index) => {
    const reported = index === answer && usage !== undefined ? { usage } : {};
    const counted = { batch: { turns, ...(usage !== undefined && { usage }) } };
    const isLast = index === messages.length - 1;
    return messageEntries(message, { format: log.format, model, at, toolName, ...reported, ...(isLast && counted) });
  });
}

/** Results stand near their calls; the name is for show only. */
const CALL_DISTANCE_MAX = 20;

function toolNames(near: readonly { readonly body: JsonValue }[]): (callId: string) => string | undefined {
  return (callId) => {
    for (const { body } of near.toReversed()) {
      const name = calledTool(body, callId);
      if (name !== undefined) return name;
    }
    return undefined;
  };
}

function entryOf(file: SessionFile, record: LogRecord, { newId, compactionTimestamps }: EntryForm): JsonObject {
  const made = recordEntry(file.log, record, newId());
  const isNumbered = compactionTimestamps === "number" && made.type === "compaction";
  const entry = isNumbered ? { ...made, timestamp: Date.parse(record.at) } : made;
  if (record.type !== "committed" && record.type !== "rolled-back") return entry;
  const checkpoint = checkpointOf(file, record.type === "committed" ? record.eventId : null);
  if (checkpoint === undefined) return entry;
  // recordEntry has just made it an object.
  return { ...entry, palimpsest: { ...(entry.palimpsest as JsonObject), checkpoint } };
}

/** Each entry follows the one before it. */
function chained(entries: readonly JsonObject[], lastEntryId: SessionFile["lastEntryId"]): readonly JsonObject[] {
  return entries.map((entry, index) => {
    const parentId = index === 0 ? lastEntryId : (stringOf(entries[index - 1]?.id) ?? lastEntryId);
    return { ...entry, parentId };
  });
}

function place({ log, places, marks }: SessionFile, record: LogRecord, at: { entry: JsonObject; span: Span }): void {
  const id = stringOf(at.entry.id);
  if (id !== undefined) marks.set(id, log.sequence + 1);
  if (record.type === "committed") places.events.set(record.eventId, at.span);
  if (record.type === "based") places.base = at.span;
}
