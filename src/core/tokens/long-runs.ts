/** Finds where to cut unbroken runs of letters, blanks or marks, on which a byte-pair tokenizer would be quadratic. Linear, pure. */

import { KIND } from "./estimate-layout.ts";
import { CHARACTERS } from "./estimate-model.ts";

/** Longer than any word; short enough that a cut per run's length costs next to nothing. */
export const RUN_CHARS_MAX = 1_024;

/** Ascending offsets; empty for ordinary text. Never inside a surrogate pair. */
export function longRunCuts(text: string): readonly number[] {
  if (text.length <= RUN_CHARS_MAX) return [];
  const cuts: number[] = [];
  let start = 0;
  let current = -1;
  for (let at = 0; at < text.length; at++) {
    const group = groupOf(CHARACTERS.kinds[text.charCodeAt(at)] ?? KIND.symbol);
    if (group !== current) {
      current = group;
      start = at;
    } else if (at - start >= RUN_CHARS_MAX && !isLowSurrogate(text.charCodeAt(at))) {
      cuts.push(at);
      start = at;
    }
  }
  return cuts;
}

/** Letters, blanks, or marks with symbols and emoji; digits never run on, since a tokenizer groups them by three. */
function groupOf(kind: number): number {
  if (kind < KIND.digit || kind >= KIND.mark) return 0;
  if (kind >= KIND.punctuation && kind <= KIND.surrogate) return 3;
  if (kind === KIND.space || kind === KIND.blank || kind === KIND.newline) return 1;
  return 2;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
