/** Cuts the next step to the room there is: at a word, a path by its folders. Never to so little that it says nothing. */

import type { TokenCounter } from "../../../core/tokens/tokens.ts";
import { cutAtWord } from "../text/sentences.ts";

/** Fewer say nothing of a step. */
const STEP_TOKENS_MIN = 10;
/** A beginning may count more per character than the whole. */
const CUT_SAFETY = 0.95;

/** With the first cut to what there is room for; a path by its folders. As it is where too little would be left of it. */
export function firstCut(
  [first = "", ...others]: readonly string[],
  roomTokens: number,
  counter: TokenCounter,
): readonly string[] {
  if (first === "") return others;
  const tokens = counter.countText(first);
  if (tokens <= roomTokens || roomTokens < STEP_TOKENS_MIN) return [first, ...others];
  const charsMax = Math.floor((first.length * roomTokens * CUT_SAFETY) / tokens);
  const byFolders = first.replace(/(?<=\s)\S*\/(?=[^\s/]+$)/, "…/");
  return [byFolders.length <= charsMax ? byFolders : cutAtWord(first, charsMax), ...others];
}
