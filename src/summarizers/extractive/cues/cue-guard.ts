/**
 * Tells in one pass over a text which of several cues may be in it, so that the expressions, which take many times longer, are run
 * on few. Looks for the pieces that a cue cannot do without; never rules out a cue that is there.
 */

import type { Language } from "../../../core/checkpoint/language.ts";
import { copyUnits, createTextUnits } from "../../../core/text.ts";
import { keyWith, NO_CUE, PIECE_UNITS, type PieceTable, pieceTable, smallUnit } from "./piece-table.ts";

/** Whether a text has a cue. */
export function guarded(cue: RegExp): (text: string) => boolean {
  const find = cueFinder([cue]);
  return (text) => find(text) !== 0;
}

/** Whether a text has the cue of a language. */
export function guardedIn(cues: Readonly<Record<Language, RegExp>>): (text: string, language: Language) => boolean {
  const guards = new Map<Language, (text: string) => boolean>();
  return (text, language) => {
    const known = guards.get(language);
    if (known !== undefined) return known(text);
    const made = guarded(cues[language]);
    guards.set(language, made);
    return made(text);
  };
}

/** Tells which of a few cues a text has, no more than a byte has bits: one bit for each, in their order, and only those that are wanted. */
export type CueFinder = (text: string, wanted?: number) => number;

export function cueFinder(cues: readonly RegExp[]): CueFinder {
  const guard = cueGuard(cues);
  return (text, wanted = EVERY) => {
    const may = guard(text) & wanted;
    let found = 0;
    for (let at = 0; may >> at !== 0; at++)
      if ((may & (1 << at)) !== 0 && cues[at]?.test(text) === true) found |= 1 << at;
    return found;
  };
}

const EVERY = 0xff;

/** One bit for each cue, in their order: set where the expression has to be asked, by whatever means. */
export function cueGuard(cues: readonly RegExp[]): (text: string) => number {
  const every = 2 ** cues.length - 1;
  // Made when it is first needed, for of most languages no text ever comes.
  let table: PieceTable | undefined;
  return (text) => {
    table ??= pieceTable(cues);
    if (text.length > UNITS_MAX || table.always === every) return every;
    const found = cuesIn(table, text);
    if (found !== NOT_ASCII) return found;
    const small = text.toLowerCase();
    if (small.length > UNITS_MAX || ARCHAIC.test(small)) return every;
    return cuesIn(table, small, true);
  };
}

/** Of longer texts nothing is ruled out. */
const UNITS_MAX = 4_096;
/** Where each text is written to before it is read. */
const MEMORY = createTextUnits(UNITS_MAX + 1);
const UNITS = MEMORY.units;
/** In no piece. */
const END = 0xffff;

const ASCII_LAST = 127;
const NOT_ASCII = -1;
/** Old forms of Cyrillic letters: an expression takes them for those of today, of which they are no capitals. There are no others in the cues. */
const ARCHAIC = /[\u1c80-\u1c88]/;

/** Of a text that is not all ASCII, where its capitals are not made small, only that it is not. */
function cuesIn(table: PieceTable, text: string, isSmall = false): number {
  const { length } = text;
  copyUnits(MEMORY, text, 0, length);
  UNITS[length] = END;
  const { cuesOf } = table;
  let found = isSmall ? table.always | table.beyondAscii : table.always;
  let key = 0;
  let bits = 0;
  for (let at = 0; at < length; ) {
    let cues = 0;
    // A loop in which nothing is called: the engine need not ask again in each round where the units are.
    while (at < length && cues === 0) {
      const unit = UNITS[at++] ?? 0;
      bits |= unit;
      key = keyWith(key, unit);
      cues = (cuesOf[key] ?? 0) & ~found;
    }
    if (cues !== 0) found |= cuesAt(table, key, at);
  }
  return bits > ASCII_LAST && !isSmall ? NOT_ASCII : found;
}

/** Those of which a piece stands where its key ends. */
function cuesAt({ firstOf, pieces }: PieceTable, key: number, keyEnd: number): number {
  let cues = 0;
  let at = firstOf[key] ?? 0;
  for (let cue = pieces[at] ?? NO_CUE; cue !== NO_CUE; cue = pieces[at] ?? NO_CUE) {
    let unit = keyEnd - (pieces[at + 1] ?? 0);
    const end = at + PIECE_UNITS + (pieces[at + 2] ?? 0);
    at += PIECE_UNITS;
    while (at < end && unit >= 0 && smallUnit(UNITS[unit] ?? END) === pieces[at]) {
      at++;
      unit++;
    }
    if (at === end) cues |= cue;
    at = end;
  }
  return cues;
}
