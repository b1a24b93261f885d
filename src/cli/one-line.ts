/**
 * Text for one line of a terminal: numbers and times as people read them, the same on every machine, and text from a file made safe (no
 * control characters, escape sequences or direction marks) and no wider than asked. Knows that some characters take two columns and some none.
 */

import { stripVTControlCharacters } from "node:util";

export { grouped as count, plural } from "../core/text.ts";

/** What may not reach a terminal from a file: it could move the cursor, set a title or turn the line around. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
const INVISIBLE = /[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}]/gu;

export function oneLine(text: string): string {
  const plain = stripVTControlCharacters(text.toWellFormed());
  return plain.replace(INVISIBLE, "").replace(CONTROLS, " ").replace(/\s+/gu, " ").trim();
}

/** The same for a text that keeps its lines and their indentation. */
export function safeText(text: string): string {
  const plain = stripVTControlCharacters(text.toWellFormed()).replace(INVISIBLE, "").replaceAll("\t", "  ");
  return plain
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => line.replace(CONTROLS, " ").trimEnd())
    .join("\n")
    .trimEnd();
}

/** The beginning of a text of any length, on one line. Looks at no more of it than could be shown. */
export function excerpt(text: string, columns: number, ellipsis = "…"): string {
  const start = text.trimStart();
  const seen = start.slice(0, columns * CHARACTERS_PER_COLUMN_MAX);
  const line = oneLine(seen);
  return seen.length < start.length ? cut(`${line}${ellipsis}`, columns, ellipsis) : cut(line, columns, ellipsis);
}

/** Indented code has many blanks that become one; beyond this the excerpt is cut a little early, which does no harm. */
const CHARACTERS_PER_COLUMN_MAX = 8;

/** Cut to a width, the ellipsis included. */
export function cut(text: string, columns: number, ellipsis = "…"): string {
  if (displayWidth(text) <= columns) return text;
  const room = columns - displayWidth(ellipsis);
  if (room <= 0) return ellipsis.slice(0, Math.max(0, columns));
  let width = 0;
  let kept = "";
  for (const { segment } of SEGMENTER.segment(text)) {
    width += graphemeWidth(segment);
    if (width > room) break;
    kept += segment;
  }
  return kept.trimEnd() + ellipsis;
}

/** The same from the other end: of a path, the end tells more. */
export function cutStart(text: string, columns: number, ellipsis = "…"): string {
  if (displayWidth(text) <= columns) return text;
  let kept = "";
  for (const { segment } of [...SEGMENTER.segment(text)].reverse()) {
    if (displayWidth(segment + kept) + displayWidth(ellipsis) > columns) break;
    kept = segment + kept;
  }
  return ellipsis + kept;
}

/** Columns that a terminal takes for the text. */
export function displayWidth(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of SEGMENTER.segment(text)) width += graphemeWidth(segment);
  return width;
}

export function padEnd(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - displayWidth(text)));
}

export function padStart(text: string, columns: number): string {
  return " ".repeat(Math.max(0, columns - displayWidth(text))) + text;
}

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
const ZERO_WIDTH = /^[\p{Mark}\p{Cf}\p{Cc}]+$/u;
/** East Asian wide and fullwidth characters, and emoji that are drawn as pictures. */
const DOUBLE_WIDTH =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{17000}-\u{18aff}\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Emoji}\ufe0f)/u;

function graphemeWidth(grapheme: string): number {
  if (ZERO_WIDTH.test(grapheme)) return 0;
  return DOUBLE_WIDTH.test(grapheme) ? 2 : 1;
}

export function wrap(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ").flatMap((long) => pieces(long, columns))) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (displayWidth(longer) <= columns) line = longer;
    else {
      if (line !== "") lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

/** A word that is wider than a line, behind its hyphens where that helps. */
function pieces(word: string, columns: number): readonly string[] {
  if (displayWidth(word) <= columns) return [word];
  const characters = [...word];
  const hyphen = characters.slice(0, columns).lastIndexOf("-");
  const end = hyphen > 0 ? hyphen + 1 : Math.max(1, Math.floor(columns / (displayWidth(word) / characters.length)));
  return [characters.slice(0, end).join(""), ...pieces(characters.slice(end).join(""), columns)];
}

export function percent(ratio: number, decimals: number): string {
  return `${(ratio * 100).toFixed(decimals)} %`;
}

/** `2026-11-15 09:30`. */
export function minuteOf(iso: string): string {
  return iso.slice(0, 16).replace("T", " ");
}

export function dayOf(iso: string): string {
  return iso.slice(0, 10);
}
