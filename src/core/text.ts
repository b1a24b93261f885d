/** Small questions about text: what is blank, how long a character is, where a text may be cut. Pure. */

import type { Message, Part, TextPart } from "./message.ts";

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

/** Stops at the first character that says something. */
const SAYS_SOMETHING = /\S/;

/** Whether a message consists of nothing else. */
export function isBlankMessage({ parts }: Pick<Message, "parts">): boolean {
  return parts.every(isBlankText);
}

/** In a system prompt outside the list, wherever it stands there; a prompt that is the empty string is none at all. */
export function isBlankPrompt(part: Part): part is TextPart {
  return isBlankText(part) && (part.wire !== undefined || part.text !== "");
}

/** One that is signed says so much. */
export function isBlankText(part: Part): part is TextPart {
  if (part.type !== "text" || part.signature !== undefined) return false;
  const first = part.text.charCodeAt(0);
  // Nearly every text begins with a printed character of ASCII, and one look tells.
  return !(first > SPACE && first < DELETE) && !SAYS_SOMETHING.test(part.text);
}

const SPACE = 0x20;
const DELETE = 0x7f;

/** At most the first `count` code units. */
export function headOf(text: string, count: number): string {
  if (text.length <= count) return text;
  return text.slice(0, isPairAt(text, count - 1) ? count - 1 : count);
}

/** At most the last `count` code units. */
export function tailOf(text: string, count: number): string {
  if (text.length <= count) return text;
  const start = text.length - count;
  return text.slice(isPairAt(text, start - 1) ? start + 1 : start);
}

/** True when the unit at the index is the first half of a pair. */
function isPairAt(text: string, index: number): boolean {
  return index >= 0 && /[\ud800-\udbff]/.test(text[index] ?? "") && /[\udc00-\udfff]/.test(text[index + 1] ?? "");
}
