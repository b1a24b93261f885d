/**
 * The units of a text in memory that is used again: reading a string unit by unit asks each time how the string is stored, and the engine
 * copies one as a whole. Keeps nothing of a text but what the memory holds until the next.
 */

export interface TextUnits {
  readonly units: Uint16Array<ArrayBuffer>;
  /** The same memory. */
  readonly bytes: Buffer;
}

export function createTextUnits(capacity: number): TextUnits {
  const units = new Uint16Array(capacity);
  return { units, bytes: Buffer.from(units.buffer) };
}

/** Below this the call costs more than the copy. */
const COPIED_WHOLE_MIN = 48;

/** Writes the units from `from` up to `end`, which must fit; what stands behind them stays. */
export function copyUnits({ units, bytes }: TextUnits, text: string, from: number, end: number): void {
  const length = end - from;
  if (length < COPIED_WHOLE_MIN) for (let at = 0; at < length; at++) units[at] = text.charCodeAt(from + at);
  else bytes.write(length === text.length ? text : text.slice(from, end), "utf16le");
}
