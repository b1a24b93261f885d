/**
 * Makes a summary count at most so many tokens by taking whole lines out: list items first, always from the section that
 * takes the most room, oldest first; then from the middle of the longest sections. A cut stays within its section, and what
 * follows it begins a line only where it did before, so that no quoted text gets a heading. Deterministic, and never over the limit.
 */

import { cutMiddleToTokens, type TokenLimit } from "./cut-text.ts";
import { isListItem, parseSections, renderSections, type TextSection } from "./sections.ts";

const CUT_NOTE = "[... cut to fit ...]";
/** Between whole lines, and within a single one. */
const LINES_CUT_MARKER = `\n${CUT_NOTE}\n`;
const LINE_CUT_MARKER = ` ${CUT_NOTE} `;
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
  return cutLongest(sections, limit);
}

/** Cuts the longest section until the rest fits; where not even the headings do, only as many of them as fit are left. */
function cutLongest(sections: readonly TextSection[], limit: TokenLimit): string {
  let cut = sections;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const text = renderSections(cut);
    const overTokens = limit.count(text) - limit.limitTokens;
    if (overTokens <= 0) return text;
    const bodies = cut.map(({ lines }) => lines.join("\n"));
    const longest = bodies.indexOf(bodies.reduce((long, body) => (body.length > long.length ? body : long), ""));
    const body = bodies[longest] ?? "";
    if (body === "") break;
    const limitTokens = Math.max(0, limit.count(body) - overTokens);
    const lines = cutBody(body, { ...limit, limitTokens }).split("\n");
    cut = cut.map((section, index) => (index === longest ? { ...section, lines } : section));
  }
  const headings = cut.map(({ heading }) => ({ heading, lines: [] }));
  return cutMiddleToTokens(renderSections(headings), limit, LINES_CUT_MARKER);
}

/** The lines of one section, cut from the middle: behind the cut only whole lines stand. */
function cutBody(body: string, limit: TokenLimit): string {
  const isOneLine = !body.trim().includes("\n");
  const cut = cutMiddleToTokens(body.trim(), limit, isOneLine ? LINE_CUT_MARKER : LINES_CUT_MARKER);
  const end = isOneLine ? -1 : cut.lastIndexOf(LINES_CUT_MARKER);
  if (end < 0) return cut;
  const head = cut.slice(0, end);
  const tail = cut.slice(end + LINES_CUT_MARKER.length);
  const isWhole = body.trim().endsWith(`\n${tail}`);
  const next = tail.indexOf("\n");
  const lines = isWhole ? tail : next < 0 ? "" : tail.slice(next + 1);
  return lines === "" ? `${head}\n${CUT_NOTE}` : `${head}${LINES_CUT_MARKER}${lines}`;
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
