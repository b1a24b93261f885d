/**
 * The units of a text, a stretch at a time, in memory that is used again: reading a string unit by unit asks each time how the
 * string is stored. A stretch never ends inside an identifier. Keeps nothing of a text; a scan inside a scan gets its own memory.
 */

import { copyUnits, createTextUnits, type TextUnits } from "../text-units.ts";
import { CLASSES } from "./identifier-classes.ts";
import { endsUrl } from "./identifier-runs.ts";

/** Valid during the call only. */
export interface Stretch {
  /** `length` units of the text from `offset` on, then one that ends every identifier, then zeros. */
  readonly units: Uint16Array;
  /** The same memory, two units at a time, the first of them in the lower half. */
  readonly pairs: Int32Array;
  readonly length: number;
  readonly offset: number;
}

/** Most texts are one stretch; still small beside any conversation. */
const STRETCH_UNITS = 32_768;
/** The longest look ahead is `://` after a word. Even, for `pairs`. */
const LOOK_AHEAD = 4;
/** `°`: ends runs and URLs, and is one of the units that a search for identifiers stops at, since by its lower bits it is a digit. */
const END = 0xb0;

let spare: Memory | undefined;

export function visitStretches(text: string, visit: (stretch: Stretch) => void): void {
  let memory = spare ?? createMemory(STRETCH_UNITS);
  // Taken out while in use, so that neither a scan inside this one nor one that throws can disturb the next.
  spare = undefined;
  for (let from = 0; from < text.length; ) {
    const end = stretchEnd(text, from);
    if (end - from > memory.capacity) memory = createMemory(end - from);
    fill(memory, text, from, end);
    const { units, pairs } = memory;
    visit({ units, pairs, length: end - from, offset: from });
    from = end;
  }
  if (memory.capacity === STRETCH_UNITS) spare = memory;
}

interface Memory extends TextUnits {
  readonly capacity: number;
  readonly pairs: Int32Array;
}

function createMemory(capacity: number): Memory {
  const memory = createTextUnits(capacity + (capacity & 1) + LOOK_AHEAD);
  return { ...memory, capacity, pairs: new Int32Array(memory.units.buffer) };
}

function fill(memory: Memory, text: string, from: number, end: number): void {
  const { units } = memory;
  const length = end - from;
  copyUnits(memory, text, from, end);
  units[length] = END;
  for (let at = length + 1; at < length + LOOK_AHEAD; at++) units[at] = 0;
}

/** The last boundary that a stretch can reach; where there is none, the next one, however far. */
function stretchEnd(text: string, from: number): number {
  const furthest = from + STRETCH_UNITS;
  if (furthest >= text.length) return text.length;
  for (let at = furthest; at > from; at--) if (isBoundary(text.charCodeAt(at))) return at;
  let at = furthest + 1;
  while (at < text.length && !isBoundary(text.charCodeAt(at))) at++;
  return at;
}

/** What no identifier contains, and none needs to see behind it. */
function isBoundary(code: number): boolean {
  return endsUrl(code) && CLASSES[code] === 0;
}
