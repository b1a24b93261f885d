/**
 * Whether an answer can be a summary of what was sent, by its structure and by what the two share, and by no word list. Sections that were
 * asked for are proof enough, if anything stands in them. Free text has to name what the conversation is about: a gateway's error, a
 * notice of a limit and a counter-question name none of it. Works in any language.
 */

import { scanIdentifiers } from "../core/facts/facts.ts";
import { entitiesOf, type Source } from "./entities.ts";
import { isNone, parseSections } from "./sections.ts";

export interface Given {
  /** What the answer may draw on. */
  readonly source: Source;
  /** Headings that were asked for. */
  readonly sections: readonly string[];
  /** What was to be summarised. */
  readonly inputTokens: number;
  readonly countText: (text: string) => number;
}

/** Of so little anything may be said in other words. */
const INPUT_TOKENS_MIN = 500;
/** An account of much that is shorter than this has to name something to be believed: errors and questions are as short. */
const SHORT_TOKENS = 24;
const SHORT_SHARE = 0.02;
/** Of the words of a summary most stand in the conversation too. */
const SHARED_WORDS_MIN = 1 / 3;

export function isUnrelated(text: string, { source, sections, inputTokens, countText }: Given): boolean {
  const said = withoutLayout(text);
  if (said === "" || sections.length > 0 || inputTokens < INPUT_TOKENS_MIN) return said === "";
  if (namesOf(said).some((name) => source.names(name)) || entitiesOf(said).some(source.holds)) return false;
  if (countText(said) < Math.min(SHORT_TOKENS, inputTokens * SHORT_SHARE)) return true;
  const pieces = piecesOf(said);
  return pieces.filter((piece) => source.has(piece)).length < pieces.length * SHARED_WORDS_MIN;
}

/** Headings and `(none)` say nothing. */
function withoutLayout(text: string): string {
  return parseSections(text)
    .flatMap(({ lines }) => lines)
    .filter((line) => !isNone(line))
    .join("\n")
    .trim();
}

const LOOKED_AT_MAX = 60;

function namesOf(text: string): readonly string[] {
  const names = new Set<string>();
  scanIdentifiers(text, (start, end) => {
    if (names.size < LOOKED_AT_MAX) names.add(text.slice(start, end));
  });
  return [...names];
}

/** Where words are not parted, two characters are taken for one. */
const WORD =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]{2}|[\p{L}\p{M}]{4,40}/gu;
/** A word by its beginning, so that its endings do not count. */
const PIECE_CHARS_MAX = 5;

function piecesOf(text: string): readonly string[] {
  const pieces = new Set<string>();
  for (const [word] of text.toLowerCase().matchAll(WORD)) {
    if (pieces.size >= LOOKED_AT_MAX) break;
    pieces.add(word.slice(0, PIECE_CHARS_MAX));
  }
  return [...pieces];
}
