/**
 * Makes a summary count at most so many tokens by taking whole lines out: list items first, always from the section that
 * takes the most room, oldest first; then from the middle of what is left. Deterministic, and never over the limit.
 */

import { cutMiddleToTokens, type TokenLimit } from "./cut-text.ts";
import { isListItem, parseSections, renderSections, type TextSection } from "./sections.ts";

const SUMMARY_CUT_MARKER = "\n[... cut to fit ...]\n";
/** Each round takes a share of what is over, so a few dozen do; then the middle is cut. */
const ROUNDS_MAX = 40;

export function shrinkToTokens(text: string, limit: TokenLimit): string {
  let sections = parseSections(text);
  let candidate = text;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const overTokens = limit.count(candidate) - limit.limitTokens;
    if (overTokens <= 0) return candidate;
    const thinner = dropOldestItems(sections, overTokens, limit.count);
    if (thinner === undefined) break;
    sections = thinner;
    candidate = renderSections(sections);
  }
  return cutMiddleToTokens(candidate, limit, SUMMARY_CUT_MARKER);
}

/** Takes items from the largest section until they cover what is over, or half its items are gone; undefined if it has none. */
function dropOldestItems(
  sections: readonly TextSection[],
  overTokens: number,
  count: (text: string) => number,
): readonly TextSection[] | undefined {
  const weights = sections.map(({ lines }) => (lines.filter(isListItem).length > 1 ? count(lines.join("\n")) : 0));
  const largest = weights.indexOf(Math.max(...weights));
  const target = sections[largest];
  if (target === undefined || (weights[largest] ?? 0) === 0) return undefined;
  const itemsMax = Math.ceil(target.lines.filter(isListItem).length / 2);
  let dropped = 0;
  let freedTokens = 0;
  let isDropping = false;
  const lines = target.lines.filter((line) => {
    if (isListItem(line)) isDropping = dropped < itemsMax && freedTokens < overTokens;
    // Indented lines belong to the item above them and go with it.
    else if (!/^\s/.test(line)) isDropping = false;
    if (!isDropping) return true;
    if (isListItem(line)) dropped++;
    freedTokens += count(line) + 1;
    return false;
  });
  return sections.map((section, index) => (index === largest ? { ...section, lines } : section));
}
