/** The lines of a file with their places, a bounded piece at a time. Reads only; what a line says is for others to judge. */

import { readSync } from "node:fs";
import { isObject, isTooDeep, JSON_DEPTH_MAX, type JsonObject } from "../../core/json.ts";

/** First byte and number of bytes, without the line's end. */
export type Span = readonly [offset: number, length: number];

export interface Line {
  readonly span: Span;
  /** Undefined for a line that is no JSON object. */
  readonly json: JsonObject | undefined;
  /** False for the last line of a file that does not end with one. */
  readonly isTerminated: boolean;
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

/** Undefined for what is no JSON object, or one that nothing can walk through. */
export function parseLine(text: string): JsonObject | undefined {
  if (hasManyBrackets(text) && isTooDeep(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
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

/** No line that anybody wrote on purpose is longer; a string could not hold much more. */
const LINE_BYTES_MAX = 1 << 28;

function lineOf(bytes: Buffer, offset: number, isTerminated: boolean): Line {
  const json = bytes.length > LINE_BYTES_MAX ? undefined : parseLine(bytes.toString("utf8"));
  return { span: [offset, bytes.length], json, isTerminated };
}

function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte !== 32 && (byte < 9 || byte > 13)) return false;
  return true;
}
