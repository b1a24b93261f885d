/**
 * Makes room in a quote for two sentences that need each other, by cutting them at the ends of clauses: what is told and what is
 * asked of it. Changes nothing where both fit, or where no clause is short enough.
 */

export interface Piece {
  readonly text: string;
  readonly line: number;
  readonly worth: Worth;
  /** It says little without the one before it. */
  readonly isLeaning?: boolean;
  /** An order that it begins with. */
  readonly opens?: boolean;
  /** The one before it says what the document is about that it names. */
  readonly isNaming?: boolean;
}

/** What a sentence does for its reader: names the task, asks, asks by a bare verb or a question, tells, or lays down rules. */
export type Worth = "title" | "plea" | "order" | "telling" | "rule";

const CLAUSE_CHARS_MIN = 12;
/** A longer plea says what it is about. */
const PLEA_SHARE_MAX = 0.4;
export const GAP = " … ";

/** "The boss wants a raffle with three prizes. Please draft a list.": rather a cut tale with what is asked than the tale alone. */
export function withRoomForPlea(
  pieces: readonly Piece[],
  order: readonly number[],
  charsMax: number,
): readonly Piece[] {
  const [at = 0, pleaAt = 0] = order;
  const first = pieces[at];
  const plea = pieces[pleaAt];
  if (first === undefined || plea?.worth !== "plea" || pleaAt < at) return pieces;
  const room = charsMax - plea.text.length - 2 * GAP.length;
  if (first.text.length <= room || plea.text.length > charsMax * PLEA_SHARE_MAX) return pieces;
  const text = cutAtClause(first.text, room);
  return text === "" ? pieces : pieces.map((piece) => (piece === first ? { ...piece, text } : piece));
}

/** "I ordered six lamps. But only two came.": rather both cut at a clause than the second alone. */
export function withRoomForSource(
  pieces: readonly Piece[],
  order: readonly number[],
  charsMax: number,
): readonly Piece[] {
  const [at = 0, sourceAt = 0] = order;
  const leaning = pieces[at];
  const source = pieces[sourceAt];
  if (leaning?.isLeaning !== true || source === undefined || sourceAt !== at - 1) return pieces;
  const room = charsMax - 2 * GAP.length;
  if (leaning.text.length + source.text.length <= room) return pieces;
  const cutTo = (text: string, chars: number): string => (text.length <= chars ? text : cutAtClause(text, chars));
  const half = Math.max(room >> 1, room - leaning.text.length);
  // A first clause of what is told may need more than half.
  const told = cutTo(source.text, half) || cutTo(source.text, room - firstClauseChars(leaning.text));
  const asked = cutTo(leaning.text, room - told.length);
  if (told === "" || asked === "") return pieces;
  const texts = new Map([
    [source, told],
    [leaning, asked],
  ]);
  return pieces.map((piece) => ({ ...piece, text: texts.get(piece) ?? piece.text }));
}

/** With the mark behind it. */
function firstClauseChars(sentence: string): number {
  const at = sentence.slice(CLAUSE_CHARS_MIN).search(/[,;，；、]/u);
  return at < 0 ? sentence.length : CLAUSE_CHARS_MIN + at + 1;
}

/** Empty where no clause of it is short enough. */
export function cutAtClause(sentence: string, charsMax: number): string {
  const [clauses = ""] = /^.*(?=[,;，；、])/su.exec(sentence.slice(0, Math.max(0, charsMax))) ?? [];
  return clauses.length < CLAUSE_CHARS_MIN ? "" : `${clauses}…`;
}
