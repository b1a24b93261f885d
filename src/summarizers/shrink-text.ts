/**
 * Shortens texts to a limit. A summary loses list items first, oldest first and always from the largest section; then the middle of
 * the longest sections. Text after a cut begins a line only where it did before, so that no quoted text becomes a heading.
 * Deterministic, and never over the limit.
 */

import { headOf, tailOf } from "../core/text.ts";
import { isListItem, parseSections, renderSections, type TextSection } from "./sections.ts";

const CUT_NOTE = "[... cut to fit ...]";
/** Markers for a cut between lines and within one. */
const LINES_CUT_MARKER = `\n${CUT_NOTE}\n`;
const LINE_CUT_MARKER = ` ${CUT_NOTE} `;
/** Each round removes a share of the excess, so a few dozen are enough. */
const ROUNDS_MAX = 40;

export function shrinkToTokens(text: string, limit: TokenLimit): string {
  let sections = parseSections(text);
  let candidate = text;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const overTokens = limit.count(candidate) - limit.limitTokens;
    if (overTokens <= 0) return candidate;
    const thinner = dropOldestItems(sections, overTokens, limit.count);
    if (thinner === undefined) break;
    sections = thinner;
    candidate = renderSections(sections);
  }
  return cutLongest(sections, limit);
}

/** Cuts the longest section until the text fits. Where not even the headings fit, returns as many headings as fit. */
function cutLongest(sections: readonly TextSection[], limit: TokenLimit): string {
  let cut = sections;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const text = renderSections(cut);
    const overTokens = limit.count(text) - limit.limitTokens;
    if (overTokens <= 0) return text;
    const bodies = cut.map(({ lines }) => lines.join("\n"));
    const longest = bodies.indexOf(bodies.reduce((long, body) => (body.length > long.length ? body : long), ""));
    const body = bodies[longest] ?? "";
    if (body === "") break;
    const limitTokens = Math.max(0, limit.count(body) - overTokens);
    const lines = cutBody(body, { ...limit, limitTokens }).split("\n");
    cut = cut.map((section, index) => (index === longest ? { ...section, lines } : section));
  }
  const headings = cut.map(({ heading }) => ({ heading, lines: [] }));
  return cutMiddleToTokens(renderSections(headings), limit, LINES_CUT_MARKER);
}

/** The lines of one section without their middle; only whole lines follow the cut. */
function cutBody(body: string, limit: TokenLimit): string {
  const isOneLine = !body.trim().includes("\n");
  const cut = cutMiddleToTokens(body.trim(), limit, isOneLine ? LINE_CUT_MARKER : LINES_CUT_MARKER);
  const end = isOneLine ? -1 : cut.lastIndexOf(LINES_CUT_MARKER);
  if (end < 0) return cut;
  const head = cut.slice(0, end);
  const tail = cut.slice(end + LINES_CUT_MARKER.length);
  const isWhole = body.trim().endsWith(`\n${tail}`);
  const next = tail.indexOf("\n");
  const lines = isWhole ? tail : next < 0 ? "" : tail.slice(next + 1);
  return lines === "" ? `${head}\n${CUT_NOTE}` : `${head}${LINES_CUT_MARKER}${lines}`;
}

/** Removes items from the largest section until they cover the excess or half of them are gone; undefined when no section has items. */
function dropOldestItems(
  sections: readonly TextSection[],
  overTokens: number,
  count: (text: string) => number,
): readonly TextSection[] | undefined {
  const weights = sections.map(({ lines }) => (lines.filter(isListItem).length > 1 ? count(lines.join("\n")) : 0));
  const largest = weights.indexOf(Math.max(...weights));
  const target = sections[largest];
  if (target === undefined || (weights[largest] ?? 0) === 0) return undefined;
  const itemsMax = Math.ceil(target.lines.filter(isListItem).length / 2);
  let dropped = 0;
  let freedTokens = 0;
  let isDropping = false;
  const lines = target.lines.filter((line) => {
    if (isListItem(line)) isDropping = dropped < itemsMax && freedTokens < overTokens;
    // Indented lines belong to the item above them and go with it.
    else if (!/^\s/.test(line)) isDropping = false;
    if (!isDropping) return true;
    if (isListItem(line)) dropped++;
    freedTokens += count(line) + 1;
    return false;
  });
  return sections.map((section, index) => (index === largest ? { ...section, lines } : section));
}

/** The beginning and the end of a text, at most `maxChars` with the marker. */
export function cutMiddle(text: string, maxChars: number, marker: string): string {
  if (text.length <= maxChars) return text;
  const room = maxChars - marker.length;
  if (room <= 0) return headOf(text, Math.max(0, maxChars));
  const headChars = Math.ceil(room / 2);
  return headOf(text, headChars) + marker + tailOf(text, room - headChars);
}

interface TokenLimit {
  readonly limitTokens: number;
  readonly count: (text: string) => number;
}

/** Each step shrinks by at least a twentieth, so this many shrink any text to nothing. */
const STEPS_MAX = 600;
const SHRINK_MIN = 0.95;
/** Aims below the limit, because the count is not exactly proportional to the length. */
const AIM = 0.99;

/** The longest cut found that counts at most the limit; empty when not even the marker fits. */
export function cutMiddleToTokens(text: string, { limitTokens, count }: TokenLimit, marker: string): string {
  let chars = text.length;
  let candidate = text;
  for (let step = 0; step < STEPS_MAX && chars > 0; step++) {
    const tokens = count(candidate);
    if (tokens <= limitTokens) return candidate;
    chars = Math.floor(chars * Math.min(SHRINK_MIN, (limitTokens / tokens) * AIM));
    candidate = cutMiddle(text, chars, marker);
  }
  return "";
}

/** Text after the cut continues the marker's line: it must not start a line, where labels stand. */
export const MIDDLE_CUT_MARKER = "\n\n[... middle of the conversation left out to fit ...] ";
export const ENTRY_SEPARATOR = "\n\n";

/** The text of one message. */
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

/** How many entries fit, each with its separator, and the room that is left. */
function wholeWithin(
  entries: readonly TranscriptEntry[],
  roomChars: number,
): { readonly count: number; readonly restChars: number } {
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
