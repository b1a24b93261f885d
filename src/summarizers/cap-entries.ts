/**
 * The entries of a transcript, joined and capped: together they have at most so many characters, and what is over goes from the middle, where a marker says
 * so. Entries that stay whole stay the same objects, so that a capped conversation can still be divided between them. Pure.
 */

import { headOf, tailOf } from "../core/well-formed-text.ts";

/** What follows the cut goes on in the marker's own line: text from anywhere must not start a line, where labels stand. */
export const MIDDLE_CUT_MARKER = "\n\n[... middle of the conversation left out to fit ...] ";
export const ENTRY_SEPARATOR = "\n\n";

/** What one message says. */
export interface TranscriptEntry {
  readonly messageId: string;
  readonly text: string;
}

export function joinEntries(entries: readonly TranscriptEntry[]): string {
  return entries.map(({ text }) => text).join(ENTRY_SEPARATOR);
}

/** The same list when it is within the limit; 0 for no limit. */
export function capEntries<Entry extends TranscriptEntry>(
  entries: readonly Entry[],
  maxChars: number,
  make: (messageId: string, text: string) => Entry,
): readonly Entry[] {
  if (maxChars <= 0 || joinEntries(entries).length <= maxChars) return entries;
  const room = Math.max(0, maxChars - MIDDLE_CUT_MARKER.length);
  const headRoom = Math.ceil(room / 2);
  const head = wholeWithin(entries, headRoom);
  const tail = wholeWithin(entries.slice(head.count).toReversed(), room - headRoom);
  const middle = entries.slice(head.count, entries.length - tail.count);
  const [first, last] = [middle[0], middle.at(-1)];
  if (first === undefined || last === undefined) return entries;
  const around = headOf(first.text, head.restChars) + MIDDLE_CUT_MARKER + tailOf(last.text, tail.restChars);
  const cut = make(first.messageId, room === 0 ? headOf(first.text, maxChars) : around);
  return [...entries.slice(0, head.count), cut, ...entries.slice(entries.length - tail.count)];
}

interface Whole {
  /** Entries that fit, each with its separator. */
  readonly count: number;
  /** What they leave of the room. */
  readonly restChars: number;
}

function wholeWithin(entries: readonly TranscriptEntry[], roomChars: number): Whole {
  let count = 0;
  let restChars = roomChars;
  for (const { text } of entries) {
    const takes = text.length + ENTRY_SEPARATOR.length;
    if (takes > restChars) break;
    restChars -= takes;
    count++;
  }
  return { count, restChars };
}
