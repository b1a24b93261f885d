/**
 * Which pieces of text an expression cannot match without: any match holds at least one of them, whatever its case. Read off the
 * expression's own source, so that nobody keeps a second list. Knows only what is certain; never says that something matches.
 */

/** In lower case; undefined where a match may do without any of them. */
export function neededPieces({ source }: RegExp): readonly string[] | undefined {
  const pieces = neededBy(readAlternatives({ source, at: 0 }));
  return pieces === undefined || charsMin(pieces) === 0 ? undefined : [...new Set(pieces)];
}

interface Reader {
  readonly source: string;
  at: number;
}

/** What a part of an expression matches. */
interface Part {
  /** All that it can match, where that is a short list. */
  readonly exact?: readonly string[];
  /** Where it is not: pieces of which any match holds one. Undefined where none is known. */
  readonly pieces?: readonly string[] | undefined;
}

/** A longer list of all that may match only makes rare pieces rarer. */
const EXACT_MAX = 64;
const NOTHING: Part = { exact: [""] };
const ANYTHING: Part = {};

function neededBy({ exact, pieces }: Part): readonly string[] | undefined {
  return exact ?? pieces;
}

function readAlternatives(reader: Reader): Part {
  const first = readSequence(reader);
  if (reader.source[reader.at] !== "|") return first;
  const parts = [first];
  while (reader.source[reader.at] === "|") {
    reader.at++;
    parts.push(readSequence(reader));
  }
  const exact = parts.flatMap((part) => part.exact ?? []);
  if (exact.length <= EXACT_MAX && parts.every((part) => part.exact !== undefined)) return { exact };
  const needed = parts.map(neededBy);
  return needed.includes(undefined) ? ANYTHING : { pieces: needed.flatMap((pieces) => pieces ?? []) };
}

function readSequence(reader: Reader): Part {
  let best: readonly string[] | undefined;
  let isExact = true;
  let exact: readonly string[] = [""];
  while (reader.at < reader.source.length && !"|)".includes(reader.source.charAt(reader.at))) {
    const part = readLiterals(reader) ?? quantified(readAtom(reader), reader);
    const ends = part.exact;
    if (ends !== undefined && exact.length * ends.length <= EXACT_MAX) {
      exact = exact.flatMap((start) => ends.map((end) => start + end));
      continue;
    }
    best = rarer(rarer(best, exact), part.pieces);
    isExact = false;
    exact = ends ?? [""];
  }
  return isExact ? { exact } : { pieces: rarer(best, exact) };
}

/** Characters that mean themselves, as many as follow each other: of the last that a quantifier follows, that one is not theirs. */
const LITERALS = /[^\\^$.|?*+()[\]{}]+(?![?*+{])/y;

function readLiterals(reader: Reader): Part | undefined {
  LITERALS.lastIndex = reader.at;
  const literals = LITERALS.exec(reader.source)?.[0];
  if (literals === undefined) return undefined;
  reader.at += literals.length;
  return { exact: [literals.toLowerCase()] };
}

type Pieces = readonly string[] | undefined;

/** Of two lists the one whose shortest piece is longer. */
function rarer(one: Pieces, other: Pieces): Pieces {
  if (one === undefined || other === undefined) return one ?? other;
  return charsMin(other) > charsMin(one) ? other : one;
}

function charsMin(pieces: readonly string[]): number {
  return pieces.reduce((least, { length }) => Math.min(least, length), Infinity);
}

const QUANTIFIER = /(?:([?*+])|\{(\d+)(?:,\d*)?\})\??/y;

function quantified(part: Part, reader: Reader): Part {
  QUANTIFIER.lastIndex = reader.at;
  const [whole = "", mark, least] = QUANTIFIER.exec(reader.source) ?? [];
  if (whole === "") return part;
  reader.at += whole.length;
  if (mark === "?") return part.exact === undefined ? ANYTHING : { exact: [...part.exact, ""] };
  const isCertain = mark === "+" || Number(least ?? 0) > 0;
  return isCertain ? { pieces: neededBy(part) } : ANYTHING;
}

const ATOM =
  /(?<around>\(\?<?[=!])|(?<group>\((?:\?:|\?<\w+>)?)|(?<edge>[\^$]|\\[bB])|\\u(?<code>[\da-fA-F]{4})|(?<kind>\.|\[(?:\\.|[^\]\\])*\]|\\(?:[pPu]\{[^}]*\}|x..|c.|k<\w+>|[a-zA-Z\d]))|\\?(?<character>.)/suy;

function readAtom(reader: Reader): Part {
  ATOM.lastIndex = reader.at;
  const { around, group, edge, code, kind, character = "" } = ATOM.exec(reader.source)?.groups ?? {};
  reader.at = ATOM.lastIndex;
  if (around !== undefined || group !== undefined) {
    const inner = readAlternatives(reader);
    reader.at++; // the bracket that closes it
    // What only looks around takes up no room of its own.
    return around === undefined ? inner : NOTHING;
  }
  if (kind !== undefined) return readKind(kind);
  if (edge !== undefined) return NOTHING;
  return { exact: [(code === undefined ? character : String.fromCharCode(Number.parseInt(code, 16))).toLowerCase()] };
}

/** Of a few characters in brackets, such as both apostrophes, any one. */
const FEW = /^\[([^\\^[\]-]{1,4})\]$/u;

function readKind(kind: string): Part {
  const [, few] = FEW.exec(kind) ?? [];
  return few === undefined ? ANYTHING : { exact: [...new Set(few.toLowerCase())] };
}
