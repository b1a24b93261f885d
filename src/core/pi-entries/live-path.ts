/** Which entries of a pi or OpenClaw session count: those from the last one up to the root. The others are branches that were left. */

import { type JsonObject, stringOf } from "../json.ts";

const HEADERS: ReadonlySet<string> = new Set(["session", "session_start"]);

export function isPiHeader(record: JsonObject): boolean {
  return HEADERS.has(stringOf(record.type) ?? "");
}

/** Their places among the records (header included), oldest first. */
export function livePath(records: readonly JsonObject[]): readonly number[] {
  const position = new Map<string, number>();
  for (const [index, record] of records.entries()) {
    const id = stringOf(record.id);
    if (id !== undefined) position.set(id, index);
  }
  const path: number[] = [];
  const seen = new Set<number>();
  let index = records.length - 1;
  while (index >= 0 && !seen.has(index)) {
    seen.add(index);
    const record = records[index];
    if (record === undefined || isPiHeader(record)) break;
    path.push(index);
    if (record.parentId === null) break;
    // Without a parent, or with one the file does not hold, an entry follows the one before it.
    index = position.get(stringOf(record.parentId) ?? "") ?? index - 1;
  }
  return path.reverse();
}
