/**
 * Writes lines to a session file. Lines that cannot be written as a whole do not count and are removed. The caller holds the lock; it
 * is checked again here, and what was written is read back before the write is reported.
 */

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
import type { JsonObject } from "../../core/json.ts";
import { PRIVATE_FILE } from "../private-files.ts";
import { readPiece, whereThere } from "./lines.ts";
import type { HeldLock } from "./lock.ts";

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

/**
 * Blanks our lines where they landed behind lines of another process, so that readers need not skip them. They are found by all of
 * their bytes, and whole lines are never cut off, so no other process's lines are touched.
 */
function blankOut(descriptor: number, { path, bytes, landing: { size } }: WriteAttempt): void {
  const at = readPiece(descriptor, size, fstatSync(descriptor).size - size).indexOf(bytes);
  if (at !== -1) toPlace(path, descriptor, (own) => writeBlank(own, size + at, bytes));
}

/**
 * Lines that are whole stay, counted or not: others may have read them. Asked at the last moment: what still grows is being written,
 * however long its writer has been at it.
 */
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
