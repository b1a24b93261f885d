/** Each thing once: items that differ in case and marks alone, and decisions about the same thing, of which the newest counts. Pure. */

import type { Decision } from "../../../core/checkpoint/checkpoint.ts";
import { growingMatcher } from "./shared-words.ts";

/** The first of each, whatever its case and marks. */
export function distinct(items: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return items.filter((item) => isNew(item, seen));
}

/** Newest first: a newer decision about the same thing replaces the older. */
export function distinctDecisions(decisions: readonly Decision[]): readonly Decision[] {
  const newer = growingMatcher();
  const seen = new Set<string>();
  return decisions.filter(({ decision }) => {
    if (!isNew(decision, seen) || newer.matches(decision)) return false;
    newer.add(decision);
    return true;
  });
}

/** More than these say no longer what matters. */
const DECISIONS_MAX = 10;
/** The newest are in force, with or without a reason. */
const NEWEST = 5;

/** Newest first, as they came: the newest, then those that say why, then the rest, no more than a reader can keep in mind. */
export function foremostDecisions(decisions: readonly Decision[]): readonly Decision[] {
  if (decisions.length <= DECISIONS_MAX) return decisions;
  const older = decisions.slice(NEWEST);
  const ranked = [
    ...older.filter(({ reason }) => reason !== undefined),
    ...older.filter(({ reason }) => reason === undefined),
  ];
  const taken = new Set([...decisions.slice(0, NEWEST), ...ranked.slice(0, DECISIONS_MAX - NEWEST)]);
  return decisions.filter((decision) => taken.has(decision));
}

function isNew(item: string, seen: Set<string>): boolean {
  const key = item.toLowerCase().replace(MARKS, " ").trim();
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

/** Whatever stands between words but for a single blank: most words have one, and to replace it by itself takes most of the time. */
const MARKS = /[^\p{L}\p{N}]{2,}|[^\p{L}\p{N} ]/gu;
