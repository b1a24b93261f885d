/**
 * Which lines of a session file count. A batch counts when all of its lines are there; a line of a writer that had lost its lock
 * never does. Both are told from the lines alone, so that every reader, whenever it looks, sees the same. Pure.
 */

import { isObject, type JsonObject, numberOf, stringOf } from "../../core/json.ts";
import type { Line } from "./lines.ts";

/** The first line of a batch says how many lines it has, where it has more than one. */
export function withLineCount(entries: readonly JsonObject[]): readonly JsonObject[] {
  return entries.map((entry, index) => {
    if (index > 0 || entries.length === 1 || !isObject(entry.palimpsest)) return entry;
    return { ...entry, palimpsest: { ...entry.palimpsest, lines: entries.length } };
  });
}

/** For files that are written anew: their batches were whole, and may be so no longer. */
export function withoutLineCount({ lines: _, ...mark }: JsonObject): JsonObject {
  return mark;
}

/**
 * Whoever writes names the entry that stands at the end. An entry of ours that names one before another of ours was written by
 * somebody who did not know of that one: it is told so, and writes again. What others put between is no sign of it.
 */
export function withoutLate(lines: readonly Line[]): {
  readonly counted: readonly Line[];
  readonly late: readonly Line[];
} {
  const [counted, late]: [Line[], Line[]] = [[], []];
  const places = new Map<string, number>();
  let lastOwn = -1;
  for (let index = 0; index < lines.length; index++) {
    const { json } = lines[index] ?? {};
    const isOwn = isObject(json?.palimpsest) && places.size > 0;
    if (isOwn && parentPlace(json ?? {}, places) < lastOwn) {
      const length = chainedLines(lines, index);
      late.push(...lines.slice(index, index + length));
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

/** Without a last batch that was not written to its end; `torn` is its first line. */
export function withoutTorn(lines: readonly Line[]): { readonly counted: readonly Line[]; readonly torn?: Line } {
  let [start, end] = [0, 0];
  for (const [index, { json }] of lines.entries()) {
    if (index < end) continue;
    [start, end] = [index, index + lineCount(json)];
  }
  const torn = lines[start];
  const length = lines.length - (isUnfinished(lines.at(-1)) ? 1 : 0);
  if (torn === undefined || end - start === 1 || end <= length || !isBroken(lines, start)) return { counted: lines };
  return { counted: lines.slice(0, start), torn };
}

/** What was cut off goes on without a gap to where it ends; where a line in the middle is gone, somebody took it out. */
function isBroken(lines: readonly Line[], start: number): boolean {
  const rest = lines.length - start - chainedLines(lines, start);
  return rest === 0 || (rest === 1 && isUnfinished(lines.at(-1)));
}

function isUnfinished(line: Line | undefined): boolean {
  return line !== undefined && line.json === undefined && !line.isTerminated;
}

/** Of a batch, as many lines as follow each other. */
function chainedLines(lines: readonly Line[], start: number): number {
  const count = lineCount(lines[start]?.json);
  let length = 1;
  while (length < count && follows(lines[start + length], lines[start + length - 1])) length++;
  return length;
}

function follows(line: Line | undefined, before: Line | undefined): boolean {
  const id = before?.json?.id;
  return id !== undefined && line?.json?.parentId === id;
}

function lineCount(json: JsonObject | undefined): number {
  const count = isObject(json?.palimpsest) ? numberOf(json.palimpsest.lines) : undefined;
  return count !== undefined && Number.isSafeInteger(count) && count > 1 ? count : 1;
}
