/** What a line that cannot be read may have held: the numbers in it must not be given again. Reads only. */

import type { SessionLog } from "../log/session-log.ts";
import { type Line, readPiece } from "./lines.ts";

/** Where a message's number stands in a line of ours: in its id, or beside a record. */
const NUMBER = /"(?:id":"m|sequence":)(\d{1,15})\b/g;

/** Enough of a line to find them. */
const READ_BYTES_MAX = 1 << 20;

/** A line holds what one batch or compaction brought; a number further ahead is part of what somebody said. */
const NUMBERS_AHEAD_MAX = 10_000;

/** The highest number that the line tells of; undefined when it tells of none that is not taken already. */
export function numberInDamaged(descriptor: number, { span }: Line, { sequence }: SessionLog): number | undefined {
  const [offset, length] = span;
  const text = readPiece(descriptor, offset, Math.min(length, READ_BYTES_MAX)).toString("latin1");
  const ahead = [...text.matchAll(NUMBER)]
    .map(([, digits]) => Number(digits))
    .filter((number) => number > sequence && number <= sequence + NUMBERS_AHEAD_MAX);
  return ahead.length === 0 ? undefined : ahead.reduce((highest, number) => Math.max(highest, number));
}
