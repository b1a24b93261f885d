/** Small functions about text: blank texts, code units, safe cuts. Pure. */

import type { Message, Part, TextPart } from "./message.ts";

export interface TextUnits {
  readonly units: Uint16Array<ArrayBuffer>;
  /** The same memory as `units`. */
  readonly bytes: Buffer;
}

export function createTextUnits(capacity: number): TextUnits {
  const units = new Uint16Array(capacity);
  return { units, bytes: Buffer.from(units.buffer) };
}

/** For a shorter text the native call costs more than copying unit by unit. */
const COPIED_WHOLE_MIN = 48;

/** Writes the units from `from` up to `end`, which must fit; the units after them stay. */
export function copyUnits({ units, bytes }: TextUnits, text: string, from: number, end: number): void {
  const length = end - from;
  if (length < COPIED_WHOLE_MIN) for (let at = 0; at < length; at++) units[at] = text.charCodeAt(from + at);
  else bytes.write(length === text.length ? text : text.slice(from, end), "utf16le");
}

/** Stops at the first character that is not white space. */
const SAYS_SOMETHING = /\S/;

export function isBlankMessage({ parts }: Pick<Message, "parts">): boolean {
  return parts.every(isBlankText);
}

/** For a system prompt outside the list, at any position in it; an empty string counts as no prompt. */
export function isBlankPrompt(part: Part): part is TextPart {
  return isBlankText(part) && (part.wire !== undefined || part.text !== "");
}

/** A signature makes a text count as content. */
export function isBlankText(part: Part): part is TextPart {
  if (part.type !== "text" || part.signature !== undefined) return false;
  const first = part.text.charCodeAt(0);
  // Nearly every text begins with a printed ASCII character, so one comparison is enough.
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

/** `12,345`, the same on every machine. */
export function grouped(count: number): string {
  return Math.round(count).toLocaleString("en-US");
}

/** `1 message`, `2 messages`. */
export function plural(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}

const QUOTED_CHARACTERS_MAX = 80;

/** A caller's value as messages repeat it: quoted, at most one line. Models are callers too, and pay for what they read. */
export function quoted(given: string): string {
  const isLong = given.length > QUOTED_CHARACTERS_MAX;
  return JSON.stringify(isLong ? `${headOf(given, QUOTED_CHARACTERS_MAX)}…` : given);
}

/** True when the unit at the index is the first half of a surrogate pair. */
function isPairAt(text: string, index: number): boolean {
  return index >= 0 && /[\ud800-\udbff]/.test(text[index] ?? "") && /[\udc00-\udfff]/.test(text[index + 1] ?? "");
}
