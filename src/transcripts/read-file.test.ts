/** Files on disk: packing, encodings, and one clear line for everything that is no transcript. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readTranscriptFile } from "./read-file.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "transcripts-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const list = '[{"role":"user","content":"grüß dich 你好"}]';

function write(bytes: string | Uint8Array): string {
  const path = join(folder, "file");
  writeFileSync(path, bytes);
  return path;
}

describe("read", () => {
  const swapped = Buffer.from(`\uFEFF${list}`, "utf16le").swap16();
  test.each([
    ["UTF-8", Buffer.from(list)],
    ["UTF-8 with a mark", Buffer.from(`\uFEFF${list}`)],
    ["UTF-16 little-endian", Buffer.from(`\uFEFF${list}`, "utf16le")],
    ["UTF-16 big-endian", swapped],
    ["gzip", gzipSync(list)],
    ["zstd", zstdCompressSync(list)],
  ])("%s", (_, bytes) => {
    const { conversations } = readTranscriptFile(write(bytes));
    expect(conversations[0]?.body).toEqual(JSON.parse(list));
  });

  test("lines that were cut inside a character", () => {
    const line = Buffer.from('{"role":"user","content":"a"}\n{"role":"user","content":"你');
    const { records } = readTranscriptFile(write(line.subarray(0, line.length - 1)));
    expect(records).toEqual({ read: 1, unknown: {}, broken: 1 });
  });
});

describe("refused", () => {
  function check(path: string, message: RegExp): void {
    expect(() => readTranscriptFile(path)).toThrow(expect.objectContaining({ code: "unreadable-file" }));
    expect(() => readTranscriptFile(path)).toThrow(message);
    expect(() => readTranscriptFile(path)).toThrow(path);
  }

  test("a missing file", () => check(join(folder, "none"), /no such file; check the path/));
  test("a directory", () => check(folder, /is a directory; give one of the session files/));
  test.each(["/dev/zero", "/dev/null"])("a device without an end: %s", (path) =>
    check(path, /is a device, which may have no end; give a session file/),
  );
  test("an empty file", () => check(write(""), /is empty/));
  test.each([
    ["zip", [0x50, 0x4b, 3, 4, 0], /a zip archive, not JSON; unpack it/],
    ["png", [0x89, 0x50, 0x4e, 0x47, 0], /a PNG image/],
    ["SQLite", [...Buffer.from("SQLite format 3\0")], /an SQLite database, not JSON; export/],
    ["NUL bytes", [0x61, 0, 0x62], /a binary file, not JSON/],
    ["UTF-16 without a mark", [...Buffer.from('{"a":1}', "utf16le")], /UTF-16 without a mark; convert it to UTF-8/],
    ["Latin-1", [0x5b, 0x22, 0xfc, 0x22, 0x5d, 0x0a, 0x0a, 0x0a], /not UTF-8; convert/],
    ["broken gzip", [0x1f, 0x8b, 8, 0, 1], /packed with gzip and cannot be unpacked/],
    ["broken zstd", [0x28, 0xb5, 0x2f, 0xfd, 1], /packed with zstd and cannot be unpacked/],
  ])("%s", (_, bytes, message) => check(write(Uint8Array.from(bytes)), message));
  test("a cut document", () => check(write('{"messages":['), /the JSON is cut off: it ends at line 1, column 14/));
});
