/** A share of a number of tokens, as it would be on paper. Binary fractions are not: 0.55 × 100,000 comes to more than 55,000. */

/** More digits than any window has, fewer than the last one of a product, which is the one that is off. */
const DIGITS = 12;

/** Not rounded to whole tokens. */
export function shareOf(tokens: number, ratio: number): number {
  return Number((tokens * ratio).toPrecision(DIGITS));
}
