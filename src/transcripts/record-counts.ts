/** Counts what a reader met: read, unknown by type, broken. The only mutable thing that readers share. */

import type { RecordCounts } from "./transcript.ts";

export interface Counter {
  read(): void;
  unknown(type: string): void;
  broken(): void;
  counts(): RecordCounts;
}

/** Distinct unknown types that are listed; any further ones count as `other`, so that a hostile file stays small. */
const UNKNOWN_TYPES_MAX = 50;

export function createCounter(): Counter {
  let read = 0;
  let broken = 0;
  const unknown = new Map<string, number>();
  return {
    read: () => {
      read += 1;
    },
    unknown: (type) => {
      const key = unknown.has(type) || unknown.size < UNKNOWN_TYPES_MAX ? type.slice(0, 80) : "other";
      unknown.set(key, (unknown.get(key) ?? 0) + 1);
    },
    broken: () => {
      broken += 1;
    },
    counts: () => ({ read, unknown: Object.fromEntries(unknown), broken }),
  };
}
