/**
 * Requests that stay in the view in full, in a summary of few tokens: cut to what they ask, left out, or added in the room that nothing else
 * wants. What leaves the view is never touched.
 */

import { renderCheckpoint } from "../../../core/checkpoint/checkpoint.ts";
import { oneLine } from "../text/sentences.ts";
import type { Composed, ComposeOptions, Draft } from "./compose.ts";
import { HEADING_TOKENS, ITEM_TOKENS } from "./essentials.ts";

const SEEN_GOAL_CHARS = 100;

/** Of the requests that stay in the view, the newest by what it asks. The draft itself where it has no other. */
export function withSeenCut(draft: Draft, kept: readonly string[]): Draft {
  const { goal, quote, charsNeeded } = draft;
  const isUnseen = unseenIn(kept);
  const newest = goal.at(-1) ?? "";
  const charsMax = Math.max(SEEN_GOAL_CHARS, charsNeeded?.(newest) ?? newest.length);
  const cut = newest.length <= charsMax || isUnseen(newest) ? newest : quote(newest, charsMax);
  const others = goal.slice(0, -1).filter(isUnseen);
  return cut === newest && others.length === goal.length - 1 ? draft : { ...draft, goal: [...others, cut] };
}

/** Whether a quote stands in none of the texts. */
function unseenIn(kept: readonly string[]): (quote: string) => boolean {
  const seen = kept.map((text) => oneLine(text, Infinity));
  return (quote) => {
    const pieces = oneLine(quote, Infinity)
      .split("…")
      .map((piece) => piece.trim());
    return !seen.some((view) => pieces.every((piece) => view.includes(piece)));
  };
}

/** Without the requests that stay in the view in full. */
export function withoutSeen(draft: Draft, kept: readonly string[]): Draft {
  const isUnseen = unseenIn(kept);
  const { latestRequest, leading = [], ...rest } = draft;
  const isShown = draft.goal.slice(-1).every(isUnseen);
  return {
    ...rest,
    goal: isShown ? draft.goal.filter(isUnseen) : leading.filter(isUnseen).slice(0, 1),
    nextSteps: draft.nextSteps.filter(isUnseen),
    ...(latestRequest !== undefined && isUnseen(latestRequest) && { latestRequest }),
  };
}

/** What is left of so few tokens goes to what is asked now, though it stays in the view: a summary says what it is about. */
export function withGoal(unseen: Composed, { goal, quote, charsNeeded }: Draft, options: ComposeOptions): Composed {
  const { budgetTokens, counter, language } = options;
  const newest = goal.at(-1);
  if (newest === undefined || unseen.checkpoint.goal.length > 0) return unseen;
  const left = budgetTokens - counter.countText(unseen.text) - HEADING_TOKENS - ITEM_TOKENS;
  const chars = Math.floor((newest.length * left) / counter.countText(newest));
  const needed = Math.min(newest.length, charsNeeded?.(newest) ?? newest.length);
  for (const charsMax of new Set([Math.max(chars, needed), needed])) {
    const checkpoint = { ...unseen.checkpoint, goal: [quote(newest, charsMax)] };
    const text = renderCheckpoint(checkpoint, { language });
    if (counter.countText(text) <= budgetTokens) return { checkpoint, text };
  }
  return unseen;
}
