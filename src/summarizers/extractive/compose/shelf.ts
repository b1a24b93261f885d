/** A section's candidates while a budget is spent on them. Holds what was taken; decides nothing. */

/** Candidates of a section with what they cost, the most important first, and the positions of those that were taken. */
export interface Shelf<Item> {
  readonly items: readonly Item[];
  readonly costs: readonly number[];
  readonly taken: Set<number>;
  spentTokens: number;
}

export function isMissing({ items, taken }: Shelf<unknown>): boolean {
  return items.length > 0 && taken.size === 0;
}

export function takenFrom<Item>({ items, taken }: Shelf<Item>): readonly Item[] {
  return items.filter((_, position) => taken.has(position));
}
