/** The end of an error line that names what was probably meant; empty when nothing is near. */

import { nearestWord } from "../core/settings/near-word.ts";

export function didYouMean(word: string, known: readonly string[]): string {
  const nearest = nearestWord(word, known);
  return nearest === undefined ? "" : `; did you mean ${nearest}?`;
}
