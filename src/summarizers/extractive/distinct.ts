/** Each thing once: items that differ in case and marks alone, and decisions about the same thing, of which the newest counts. Pure. */

import type { Decision } from "../../core/checkpoint/checkpoint.ts";
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

function isNew(item: string, seen: Set<string>): boolean {
  const key = item
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}
