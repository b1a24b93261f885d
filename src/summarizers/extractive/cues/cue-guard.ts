/**
 * Tells in one pass over a sentence which of several cues may be in it, so that the expressions, which take many times longer, are run
 * on few. Looks for the pieces that a cue cannot do without; never rules out a cue that is there.
 */

import { neededPieces } from "./needed-pieces.ts";

/** Whether a text has any of a few cues, no more than a byte has bits. */
export function guarded(cues: readonly RegExp[]): (text: string) => boolean {
  const guard = cueGuard(cues);
  return (text) => {
    const may = guard(text);
    return may !== 0 && cues.some((cue, at) => (may & (1 << at)) !== 0 && cue.test(text));
  };
}

/** Pieces are looked up by a key of so many of their characters; a cue that needs a shorter piece is always asked. */
const KEY_CHARS = 4;
const KEY_BITS = 16;
const KEY_MASK = 2 ** KEY_BITS - 1;
const SHIFT = KEY_BITS / KEY_CHARS;

interface Piece {
  readonly text: string;
  /** Where in the piece its key ends. */
  readonly keyEnd: number;
  readonly cue: number;
}

interface PieceTable {
  /** The cues that are always asked. */
  readonly always: number;
  /** Of all keys, the cues that have a piece with it. */
  readonly cuesOf: Uint8Array;
  readonly piecesOf: ReadonlyMap<number, readonly Piece[]>;
}

/** One bit for each cue, in their order: set where the expression has to be asked, by whatever means. */
export function cueGuard(cues: readonly RegExp[]): (text: string) => number {
  const every = 2 ** cues.length - 1;
  const table = tableOf(cues);
  return (text) => {
    const small = text.toLowerCase();
    let found = table.always;
    let key = 0;
    for (let at = 0; at < small.length && found !== every; at++) {
      const code = small.charCodeAt(at);
      if (code >= ARCHAIC_FIRST && code <= ARCHAIC_LAST) return every;
      key = keyWith(key, code);
      if (((table.cuesOf[key] ?? 0) & ~found) !== 0) found |= cuesAt(small, at + 1, table.piecesOf.get(key) ?? []);
    }
    return found;
  };
}

/** Those of which a piece stands where its key ends. */
function cuesAt(text: string, end: number, pieces: readonly Piece[]): number {
  let found = 0;
  for (const { cue, keyEnd, text: piece } of pieces) if (text.startsWith(piece, end - keyEnd)) found |= cue;
  return found;
}

function tableOf(cues: readonly RegExp[]): PieceTable {
  let always = 0;
  const cuesOf = new Uint8Array(KEY_MASK + 1);
  const piecesOf = new Map<number, Piece[]>();
  cues.forEach((expression, at) => {
    const cue = 1 << at;
    const pieces = piecesOfCue(expression);
    // With that flag more letters count as one.
    if (expression.unicode || pieces.some(({ length }) => length < KEY_CHARS)) {
      always |= cue;
      return;
    }
    // The shorter first: a longer piece that holds one of them need not be looked for.
    for (const text of pieces.toSorted((one, other) => one.length - other.length)) {
      const keyEnd = keyEndOf(text);
      const key = keyBefore(text, keyEnd);
      const others = piecesOf.get(key) ?? [];
      if (others.some((other) => other.cue === cue && text.includes(other.text))) continue;
      cuesOf[key] = (cuesOf[key] ?? 0) | cue;
      piecesOf.set(key, [...others, { text, keyEnd, cue }]);
    }
  });
  return { always, cuesOf, piecesOf };
}

/** A cue may stand in several guards, and to read its source takes longest. */
function piecesOfCue(cue: RegExp): readonly string[] {
  const pieces = PIECES.get(cue) ?? neededPieces(cue) ?? [""];
  PIECES.set(cue, pieces);
  return pieces;
}

const PIECES = new WeakMap<RegExp, readonly string[]>();

/** Behind the beginning of its longest word: that is rarest. */
function keyEndOf(piece: string): number {
  let start = 0;
  let chars = 0;
  let at = 0;
  for (const word of piece.split(" ")) {
    if (word.length >= chars) {
      start = at;
      chars = word.length;
    }
    at += word.length + 1;
  }
  return Math.min(start + KEY_CHARS, piece.length);
}

function keyBefore(text: string, end: number): number {
  let key = 0;
  for (let at = end - KEY_CHARS; at < end; at++) key = keyWith(key, text.charCodeAt(at));
  return key;
}

/** What stood before the last few characters is shifted out of it. */
function keyWith(key: number, code: number): number {
  return ((key << SHIFT) ^ code) & KEY_MASK;
}

/** Old forms of Cyrillic letters: an expression takes them for those of today, of which they are no capitals. There are no others in the cues. */
const ARCHAIC_FIRST = 0x1c80;
const ARCHAIC_LAST = 0x1c88;
