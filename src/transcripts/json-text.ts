/** Text to JSON values, line by line or as one document, within limits that keep recursive code safe. */

import { CompactionError } from "../core/errors.ts";
import { endOfString, isTooDeep, JSON_DEPTH_MAX, type JsonValue, parseJson } from "../core/json.ts";
import { unreadable } from "./transcript.ts";

/** Longer lines are no session records; refusing them keeps memory in bounds. */
const LINE_CHARACTERS_MAX = 64 * 1024 * 1024;
/** How many lines are tried to tell JSON lines with a broken first line from a document written over many lines. */
const PROBE_LINES = 20;

interface ParsedLine {
  readonly value: JsonValue;
  /** From 1. */
  readonly lineNumber: number;
}

/** Without the byte order mark that some editors put first. */
export function withoutMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/** Yields every line that parses; `onBroken` is told of each that does not. Blank lines are nothing. */
export function* parseLines(text: string, onBroken: (lineNumber: number) => void): Generator<ParsedLine> {
  let lineNumber = 0;
  for (const line of linesOf(text)) {
    lineNumber += 1;
    if (line.trim() === "") continue;
    checkLimits(line, lineNumber);
    const value = parseJson(line);
    if (value === undefined) onBroken(lineNumber);
    else yield { value, lineNumber };
  }
}

export function parseDocument(text: string): JsonValue {
  // However long its lines are: a request body may be written on one, and cannot be split. What a string holds is the limit.
  if (isTooDeep(text)) throw tooDeep("the document");
  try {
    return JSON.parse(text) as JsonValue; // JSON.parse returns nothing but JSON values
  } catch (cause) {
    throw new CompactionError("unreadable-file", describeBreak(text, cause), { cause });
  }
}

/** True for one JSON value per line; false for one value in all, however it is laid out. */
export function isJsonLines(text: string): boolean {
  let seen = 0;
  for (const line of linesOf(text)) {
    const trimmed = line.trim();
    if (trimmed === "") continue;
    seen += 1;
    const complete = /^[[{]/.test(trimmed) && line.length <= LINE_CHARACTERS_MAX && isContainer(parseJson(trimmed));
    if (complete) return trimmed.length < text.trim().length;
    // A document laid out over lines opens with a bare bracket; records never do.
    if (seen === 1 && /^[[{]\s*$/.test(trimmed)) return false;
    if (seen >= PROBE_LINES) return false;
  }
  return false;
}

function* linesOf(text: string): Generator<string> {
  let start = 0;
  while (start < text.length) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    yield text.slice(start, end);
    start = end + 1;
  }
}

function checkLimits(line: string, lineNumber: number): void {
  if (line.length > LINE_CHARACTERS_MAX) throw tooLong(line, lineNumber);
  if (isTooDeep(line)) throw tooDeep(`line ${lineNumber}`);
}

function tooLong(line: string, lineNumber: number): CompactionError {
  const megabytes = Math.round(line.length / (1024 * 1024));
  return unreadable(
    `line ${lineNumber} is ${megabytes} MB long and no line above ${LINE_CHARACTERS_MAX / (1024 * 1024)} MB is read; split the file or remove that record`,
  );
}

function tooDeep(where: string): CompactionError {
  return unreadable(
    `${where} nests deeper than ${JSON_DEPTH_MAX} levels, which no conversation does; remove that record`,
  );
}

function isContainer(value: JsonValue | undefined): boolean {
  return typeof value === "object" && value !== null;
}

function describeBreak(text: string, cause: unknown): string {
  const trimmed = text.trimStart();
  if (!/^[[{]/.test(trimmed)) {
    return `this is not JSON: it begins with ${JSON.stringify(trimmed.slice(0, 20))}; give a JSON or JSON lines file`;
  }
  const offset = findBreak(text);
  if (offset === undefined)
    return `the JSON is not valid (${cause instanceof Error ? cause.message : String(cause)}); copy the file again`;
  const before = text.slice(0, offset);
  const where = `line ${before.split("\n").length}, column ${offset - before.lastIndexOf("\n")}`;
  return offset >= text.length
    ? `the JSON is cut off: it ends at ${where} with something still open; copy the file again`
    : `the JSON is not valid at ${where}; correct it there, or copy the file again`;
}

/** Offset of the first token that cannot stand where it does; undefined where the fault is inside a string. The nesting was checked before. */
function findBreak(text: string): number | undefined {
  let at = 0;
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const isThere = pattern.test(text);
    if (isThere) at = pattern.lastIndex;
    return isThere;
  };
  const isNext = (character: string): boolean => skip(SPACE) && text[at] === character;
  const take = (character: string): boolean => {
    const isThere = isNext(character);
    if (isThere) at += 1;
    return isThere;
  };
  const takeString = (): boolean => {
    if (!isNext('"')) return false;
    const end = endOfString(text, at);
    at = end === -1 ? text.length : end + 1;
    return end !== -1;
  };
  const takeUntil = (close: string, takeElement: () => boolean): boolean => {
    if (take(close)) return true;
    do if (!takeElement()) return false;
    while (take(","));
    return take(close);
  };
  const takeMember = (): boolean => takeString() && take(":") && takeValue();
  const takeValue = (): boolean => {
    if (take("{")) return takeUntil("}", takeMember);
    return take("[") ? takeUntil("]", takeValue) : takeString() || skip(LITERAL);
  };
  const isWhole = takeValue() && skip(SPACE) && at === text.length;
  return isWhole ? undefined : at;
}

const LITERAL = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const SPACE = /[ \t\r\n]*/y;
