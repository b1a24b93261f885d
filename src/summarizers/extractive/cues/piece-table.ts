/**
 * The pieces that cues cannot do without, laid out so that one pass over a text finds those that stand in it: by a key of a few of their
 * characters first, then whole. Capitals count as small letters. Made once for each list of cues; never changed by what is read.
 */

import { invariant } from "../../../core/errors.ts";
import { neededPieces } from "./needed-pieces.ts";

export interface PieceTable {
  /** The cues that no piece can rule out, one bit each. */
  readonly always: number;
  /** Those that no piece can rule out in a text that is not all ASCII. */
  readonly beyondAscii: number;
  /** Of all keys, the cues that have a piece with it. */
  readonly cuesOf: Uint8Array;
  /** Of all keys, where its pieces begin. */
  readonly firstOf: Uint16Array;
  /** Of each piece the bit of its cue, where in it its key ends, how long it is, and its units; behind the last of a key a zero. */
  readonly pieces: Uint16Array;
}

/** Pieces are looked up by a key of so many of their characters. */
const KEY_CHARS = 4;
const KEY_BITS = 12;
const KEY_MASK = 2 ** KEY_BITS - 1;
const SHIFT = KEY_BITS / KEY_CHARS;
/** Shorter ones are looked up by all keys that end with theirs; a cue that needs one still shorter is always asked. */
const PIECE_CHARS_MIN = 3;

/** What stood before the last few characters is shifted out of it. */
export function keyWith(key: number, unit: number): number {
  return ((key << SHIFT) ^ smallUnit(unit)) & KEY_MASK;
}

/** Of capitals of ASCII their small letters. Some marks become others, so that what seems to be there may not be. */
export function smallUnit(unit: number): number {
  return unit | 32;
}

/** What stands before the units of a piece. */
export const PIECE_UNITS = 3;
/** Behind the last piece of a key. */
export const NO_CUE = 0;

interface Piece {
  readonly text: string;
  readonly keyEnd: number;
  readonly cue: number;
}

export function pieceTable(cues: readonly RegExp[]): PieceTable {
  let always = 0;
  let beyondAscii = 0;
  const piecesOf = new Map<number, Piece[]>();
  cues.forEach((expression, at) => {
    const cue = 1 << at;
    const pieces = piecesOfCue(expression);
    const short = pieces.filter(({ length }) => length < PIECE_CHARS_MIN);
    // With that flag more letters count as one.
    if (expression.unicode || short.some(isAscii)) always |= cue;
    else {
      if (short.length > 0) beyondAscii |= cue;
      // The shorter first: a longer piece that holds one of them need not be looked for.
      for (const text of pieces.toSorted((one, other) => one.length - other.length))
        if (text.length >= PIECE_CHARS_MIN) addPiece(piecesOf, { text, keyEnd: keyEndOf(text), cue });
    }
  });
  return { always, beyondAscii, ...laidOut(piecesOf) };
}

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

function addPiece(piecesOf: Map<number, Piece[]>, piece: Piece): void {
  for (const key of keysOf(piece)) {
    const others = piecesOf.get(key);
    if (others === undefined) piecesOf.set(key, [piece]);
    else if (!others.some(({ cue, text }) => cue === piece.cue && piece.text.includes(text))) others.push(piece);
  }
}

/** Of a piece that is shorter than a key, with all that may stand before it. */
function keysOf({ text, keyEnd }: Piece): readonly number[] {
  const start = Math.max(0, keyEnd - KEY_CHARS);
  let key = 0;
  for (let at = start; at < keyEnd; at++) key = keyWith(key, text.charCodeAt(at));
  const bits = (keyEnd - start) * SHIFT;
  const ending = key & (2 ** bits - 1);
  return Array.from({ length: 2 ** (KEY_BITS - bits) }, (_, before) => (before << bits) | ending);
}

function laidOut(piecesOf: ReadonlyMap<number, readonly Piece[]>): Pick<PieceTable, "cuesOf" | "firstOf" | "pieces"> {
  const cuesOf = new Uint8Array(KEY_MASK + 1);
  const firstOf = new Uint16Array(KEY_MASK + 1);
  const pieces: number[] = [NO_CUE];
  for (const [key, ofKey] of piecesOf) {
    firstOf[key] = pieces.length;
    for (const { text, keyEnd, cue } of ofKey) {
      cuesOf[key] = (cuesOf[key] ?? 0) | cue;
      pieces.push(cue, keyEnd, text.length);
      for (let at = 0; at < text.length; at++) pieces.push(smallUnit(text.charCodeAt(at)));
    }
    pieces.push(NO_CUE);
  }
  invariant(pieces.length <= FIRST_MAX, "the pieces of a few cues are some thousand units");
  return { cuesOf, firstOf, pieces: Uint16Array.from(pieces) };
}

/** As far as `firstOf` can tell. */
const FIRST_MAX = 0xffff;

/** A cue may stand in several tables, and to read its source takes longest. */
function piecesOfCue(cue: RegExp): readonly string[] {
  const pieces = PIECES.get(cue) ?? neededPieces(cue) ?? [""];
  PIECES.set(cue, pieces);
  return pieces;
}

const PIECES = new WeakMap<RegExp, readonly string[]>();

/** Behind the beginning of its longest word, or wherever it is rare: what is in every other sentence is compared with all of them. */
function keyEndOf(piece: string): number {
  if (piece.length <= KEY_CHARS) return piece.length;
  const ends = wordStarts(piece).map((start) => start + KEY_CHARS);
  for (let end = KEY_CHARS; end <= piece.length; end++) ends.push(end);
  const isRare = (end: number): boolean => !COMMON.includes(piece.slice(end - KEY_CHARS, end));
  return ends.find(isRare) ?? ends[0] ?? KEY_CHARS;
}

/** Of its words that are long enough for a key, the longest first. */
function wordStarts(piece: string): readonly number[] {
  const words = Array.from(piece.matchAll(LONG_WORD));
  return words.toSorted(([one], [other]) => other.length - one.length).map(({ index }) => index);
}

const LONG_WORD = /[^ ]{4,}/g;
/** The commonest words of English, in which most texts are. */
const COMMON =
  " the and that this these with for from here there then now not able have has had will would could should like need please let to be is to in to all are was were been your you which when can may more other some than only into about work change ";
