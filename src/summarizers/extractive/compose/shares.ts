/** How a summary's budget is shared between words, names and what was asked for: numbers alone, by the size of the budget. */

/** So few hardly list anything. */
const LINE_BUDGET_TOKENS = 120;

/**
 * Below this a fact takes no room from sentences. Many rarely needed facts together are needed often, so it is low, except where
 * there is room for few: there sentences keep as much of what is needed later (measured by bench/retention.ts).
 */
const LIKELIHOOD_MIN_SMALL = 0.05;
const LIKELIHOOD_MIN_LARGE = 0.005;
const FEW_TOKENS = 800;
const MANY_TOKENS = 3_000;
/** Below this it is not listed at all, whatever room there is. */
export const LIKELIHOOD_LISTED_MIN = 0.002;
/** The first tokens of any summary are for what it is all about. */
export const ESSENTIAL_TOKENS = 80;
const PROSE_SHARE_SMALL = 0.3;
const PROSE_SHARE_LARGE = 0.6;
/** On top of that for sections that would stay empty. */
export const FIRST_SHARE = 0.4;
export const SMALL_BUDGET_TOKENS = 200;
const LARGE_BUDGET_TOKENS = 4_000;

/** Share of the budget for words rather than identifiers: a small summary must carry what cannot be guessed. */
export function proseShare(budgetTokens: number): number {
  return (
    PROSE_SHARE_SMALL +
    (PROSE_SHARE_LARGE - PROSE_SHARE_SMALL) * sizeBetween(budgetTokens, SMALL_BUDGET_TOKENS, LARGE_BUDGET_TOKENS)
  );
}

/** 0 for a small budget, 1 for a large one, by orders of magnitude between. */
function sizeBetween(budgetTokens: number, small: number, large: number): number {
  return Math.log(Math.max(small, Math.min(large, budgetTokens)) / small) / Math.log(large / small);
}

export function likelihoodMin(budgetTokens: number): number {
  const size = sizeBetween(budgetTokens, FEW_TOKENS, MANY_TOKENS);
  return LIKELIHOOD_MIN_SMALL * (LIKELIHOOD_MIN_LARGE / LIKELIHOOD_MIN_SMALL) ** size;
}

/** Share of the budget that identifiers may take, files included, whatever room there is: the first up to these tokens, then less. */
const LIST_SHARE_LINE = 0.3;
const LIST_SHARE_SMALL = 0.8;
const LIST_SHARE_LARGE = 0.45;
const LIST_SHARE_TALK = 0.2;
const LIST_SMALL_TOKENS = 2_000;
const LIST_LARGE_TOKENS = 6_000;

export function listShare(budgetTokens: number, isTalk: boolean): number {
  if (isTalk) return LIST_SHARE_TALK;
  const line = sizeBetween(budgetTokens, LINE_BUDGET_TOKENS, 2 * LINE_BUDGET_TOKENS);
  const large = sizeBetween(budgetTokens, LIST_SMALL_TOKENS, LIST_LARGE_TOKENS);
  const most = LIST_SHARE_LINE + (LIST_SHARE_SMALL - LIST_SHARE_LINE) * line;
  return most + (LIST_SHARE_LARGE - LIST_SHARE_SMALL) * large;
}

/** What the instructions name may take of the budget; of a small one more, for a single sentence is long there. */
const FOCUS_SHARE_SMALL = 0.5;
const FOCUS_SHARE_LARGE = 0.25;

export function focusShare(budgetTokens: number): number {
  return (
    FOCUS_SHARE_SMALL +
    (FOCUS_SHARE_LARGE - FOCUS_SHARE_SMALL) * sizeBetween(budgetTokens, SMALL_BUDGET_TOKENS, LARGE_BUDGET_TOKENS)
  );
}
