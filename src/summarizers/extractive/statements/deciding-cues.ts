/**
 * Which of the cues that decide something, or lay down a rule, a sentence has: looked for all at once, one bit each. Looks at the words
 * alone; what they come to is judged elsewhere.
 */

import { type CueFinder, cueFinder } from "../cues/cue-guard.ts";
import type { CueTable } from "../cues/cue-table.ts";

/** A sentence that decides something has one of these. */
export function decidingCues({ chosen, contrast, commit, means, remedy }: CueTable): readonly RegExp[] {
  return [chosen, contrast, commit, means, remedy];
}

export const CHOSEN = 1;
export const CONTRAST = 2;
export const COMMIT = 4;
export const REMEDY = 16;
/** All of them. */
export const DECIDING = 31;
/** Behind them in the list of those that are looked for. */
export const AGAINST = 32;
export const CONSTRAINT = 64;
/** By what users decide: what they need, or what would mend a thing, they say without deciding anything. */
export const SAID = CHOSEN | CONTRAST | COMMIT | AGAINST;

/** Only those of the `wanted` bits. */
export function cuesIn(sentence: string, cues: CueTable, wanted: number): number {
  let find = FINDERS.get(cues);
  if (find === undefined) {
    find = cueFinder([...decidingCues(cues), cues.against, cues.constraint]);
    FINDERS.set(cues, find);
  }
  return find(sentence, wanted);
}

/** Made from each table once; holds nothing of what was read. */
const FINDERS = new WeakMap<CueTable, CueFinder>();
