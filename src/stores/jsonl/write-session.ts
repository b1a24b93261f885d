/**
 * Lines into a session file. What cannot be written as a whole is taken back: the file is as it was, and the error says so. The
 * caller holds the lock.
 */

import { closeSync, fsyncSync, ftruncateSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { JsonObject } from "../../core/json.ts";

/** `always`: on the disk when an append or commit resolves. `never`: when the system sees fit; a crash of the process loses nothing. */
export type Sync = "always" | "never";

/** Writes behind `end`; what stands there is a line that was torn, and goes. */
export function appendBytes(path: string, bytes: Buffer, { end, sync }: { end: number; sync: Sync }): void {
  const descriptor = openSync(path, "r+");
  try {
    ftruncateSync(descriptor, end);
    try {
      writeAll(descriptor, bytes, end);
      if (sync === "always") fsyncSync(descriptor);
    } catch (error) {
      ftruncateSync(descriptor, end);
      throw error;
    }
  } finally {
    closeSync(descriptor);
  }
}

/** A whole file under a name, or nothing of it. */
export function replaceFile(path: string, bytes: Buffer, { sync, suffix }: { sync: Sync; suffix: string }): void {
  const temporary = `${path}.${suffix}`;
  try {
    const descriptor = openSync(temporary, "wx");
    try {
      writeAll(descriptor, bytes, 0);
      if (sync === "always") fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  if (sync === "always") syncDirectory(dirname(path));
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

function writeAll(descriptor: number, bytes: Buffer, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(descriptor, bytes, done, bytes.length - done, position + done);
  }
}
