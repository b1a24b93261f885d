/** A file on disk to a transcript. Every problem is one `unreadable-file` error with the path. Unpacks gzip and zstd. Never writes. */

import { constants, isUtf8 } from "node:buffer";
import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import * as zlib from "node:zlib";
import { CompactionError } from "../core/errors.ts";
import { readTranscript } from "./read-transcript.ts";
import { type ReadOptions, type Transcript, unreadable } from "./transcript.ts";

/** @example readTranscriptFile("session.jsonl").conversations[0]?.body */
export function readTranscriptFile(path: string, options: ReadOptions = {}): Transcript {
  try {
    return readTranscript(readText(path), options);
  } catch (cause) {
    if (cause instanceof CompactionError) {
      throw new CompactionError(cause.code, `${path}: ${cause.message}`, { cause });
    }
    throw cause;
  }
}

/** The text alone, so that the bytes can be freed before parsing begins. */
function readText(path: string): string {
  const bytes = unpack(readBytes(path));
  if (bytes.length === 0) throw unreadable("the file is empty; give a session file, request body or message list");
  const kind = BINARY_KINDS.find(({ magic }) => startsWith(bytes, magic));
  if (kind !== undefined) throw unreadable(`this is ${kind.name}, not JSON; ${kind.advice}`);
  const wide = WIDE_MARKS.find(({ magic }) => startsWith(bytes, magic));
  if (wide !== undefined) return new TextDecoder(wide.encoding).decode(bytes);
  if (bytes.includes(0)) {
    const isWide = /^[[{]\0|^\0[[{]/.test(bytes.toString("latin1", 0, 2));
    throw unreadable(
      isWide ? "the text is UTF-16 without a mark; convert it to UTF-8" : "this is a binary file, not JSON",
    );
  }
  return decodeUtf8(bytes);
}

function readBytes(path: string): Buffer {
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) throw unreadable("this is a directory; give one of the session files inside it");
    if (stats.isCharacterDevice() || stats.isBlockDevice()) {
      throw unreadable("this is a device, which may have no end; give a session file, or `-` for standard input");
    }
    if (stats.size > constants.MAX_STRING_LENGTH) throw tooBig(stats.size);
    return stats.isFile() && stats.size > 0 ? readFileSync(path) : readToLimit(path);
  } catch (cause) {
    if (cause instanceof CompactionError) throw cause;
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code === "ENOENT" || code === "ENOTDIR") throw unreadable("there is no such file; check the path");
    if (code === "EACCES" || code === "EPERM") throw unreadable("the file may not be read; check its permissions");
    throw new CompactionError("unreadable-file", `the file could not be read (${String(code ?? cause)})`, { cause });
  }
}

const CHUNK_BYTES = 1 << 20;

/** A pipe does not say how long it is, and may have no end. */
function readToLimit(path: string): Buffer {
  const descriptor = openSync(path, "r");
  try {
    const chunks: Buffer[] = [];
    let length = 0;
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const read = readSync(descriptor, chunk);
      if (read === 0) return Buffer.concat(chunks, length);
      length += read;
      if (length > constants.MAX_STRING_LENGTH) throw tooBig(length);
      chunks.push(chunk.subarray(0, read));
    }
  } finally {
    closeSync(descriptor);
  }
}

const GZIP = [0x1f, 0x8b] as const;
const ZSTD = [0x28, 0xb5, 0x2f, 0xfd] as const;

function unpack(bytes: Buffer): Buffer {
  const isGzip = startsWith(bytes, GZIP);
  if (!isGzip && !startsWith(bytes, ZSTD)) return bytes;
  if (!isGzip && !("zstdDecompressSync" in zlib)) {
    throw unreadable("the file is packed with zstd, which this Node cannot unpack; run `unzstd` on it first");
  }
  const options = { maxOutputLength: constants.MAX_STRING_LENGTH };
  try {
    return isGzip ? zlib.gunzipSync(bytes, options) : unpackZstd(bytes, options);
  } catch (cause) {
    const message = `the file is packed with ${isGzip ? "gzip" : "zstd"} and cannot be unpacked (${cause instanceof Error ? cause.message : String(cause)}); copy it again`;
    throw new CompactionError("unreadable-file", message, { cause });
  }
}

/** Node before 24 takes a frame that breaks off at once for an empty one. */
function unpackZstd(bytes: Buffer, options: zlib.ZstdOptions): Buffer {
  const unpacked = zlib.zstdDecompressSync(bytes, options);
  if (unpacked.length === 0) throw new Error("nothing is in it");
  return unpacked;
}

const BINARY_KINDS: readonly { readonly magic: readonly number[]; readonly name: string; readonly advice: string }[] = [
  { magic: [0x50, 0x4b, 0x03, 0x04], name: "a zip archive", advice: "unpack it and give a file inside it" },
  { magic: [0x89, 0x50, 0x4e, 0x47], name: "a PNG image", advice: "give a session file" },
  { magic: [0xff, 0xd8, 0xff], name: "a JPEG image", advice: "give a session file" },
  { magic: [0x25, 0x50, 0x44, 0x46], name: "a PDF document", advice: "give a session file" },
  { magic: [0x42, 0x5a, 0x68], name: "a bzip2 file", advice: "unpack it first" },
  { magic: [0xfd, 0x37, 0x7a, 0x58, 0x5a], name: "an xz file", advice: "unpack it first" },
  { magic: [...Buffer.from("SQLite format 3\0")], name: "an SQLite database", advice: "export the session as JSON" },
];

const WIDE_MARKS = [
  { magic: [0xff, 0xfe], encoding: "utf-16le" },
  { magic: [0xfe, 0xff], encoding: "utf-16be" },
] as const;

function startsWith(bytes: Buffer, magic: readonly number[]): boolean {
  return magic.every((byte, index) => bytes[index] === byte);
}

/** Longest part of a character that a copy cut short can leave behind. */
const CUT_CHARACTER_BYTES_MAX = 3;

function decodeUtf8(bytes: Buffer): string {
  for (let cut = 0; cut <= CUT_CHARACTER_BYTES_MAX; cut += 1) {
    const whole = bytes.subarray(0, bytes.length - cut);
    if (isUtf8(whole)) return whole.toString("utf8");
  }
  throw unreadable("the text is not UTF-8; convert it to UTF-8, or give a session file");
}

function tooBig(sizeBytes: number): CompactionError {
  const megabytes = (bytes: number) => Math.round(bytes / (1024 * 1024));
  const limit = megabytes(constants.MAX_STRING_LENGTH);
  return unreadable(`the file is ${megabytes(sizeBytes)} MB and at most ${limit} MB are read; split it`);
}
