/** The moment before which a purge deletes. Refuses what is no time: a comparison with it would silently keep or delete everything. */

import { CompactionError } from "../errors.ts";

/** As stores write times, of one length, so that they stand in the order of time; years of five digits would not. */
export function purgeTime(before: Date): string {
  const timeMs = before instanceof Date ? before.getTime() : Number.NaN;
  if (Number.isNaN(timeMs)) {
    throw new CompactionError("invalid-settings", "A purge needs a time before which it deletes. Nothing was changed.");
  }
  if (timeMs < Date.parse(EARLIEST)) return EARLIEST;
  return timeMs > Date.parse(LATEST) ? LATEST : before.toISOString();
}

const EARLIEST = "0001-01-01T00:00:00.000Z";
const LATEST = "9999-12-31T23:59:59.999Z";
