/**
 * Budgeted coverage: of many lines those that together say most for their length. What one line has said adds nothing in another, so gains only fall,
 * and a line is looked at again only when it comes up (lazy greedy). Deterministic; ties go to what was given first.
 */

export interface Candidate {
  /** Numbers of features; equal numbers are the same thing said. */
  readonly features: readonly number[];
  /** What each feature adds when nothing else has said it. */
  readonly gains: readonly number[];
  /** What the line adds in any case. */
  readonly bonus: number;
  readonly cost: number;
  /** Lines under one head share its cost. */
  readonly head?: { readonly name: string; readonly cost: number };
}

export interface Choice {
  /** Indexes of the chosen candidates, in the order in which they were chosen. */
  readonly chosen: readonly number[];
  readonly cost: number;
}

export interface Chooser {
  /** Chooses among these candidates as long as they cost no more than `budget` together; what was chosen before stays chosen. */
  choose(among: readonly number[], budget: number): Choice;
}

export function createChooser(candidates: readonly Candidate[], covered: Iterable<number>): Chooser {
  const said = new Set(covered);
  const taken = new Set<number>();
  const open = new Set<string>();
  const worthOf = (index: number): number => {
    const { features, gains, bonus, head } = candidates[index] as Candidate; // an index of the list
    let gain = bonus;
    for (let at = 0; at < features.length; at++) if (!said.has(features[at] ?? -1)) gain += gains[at] ?? 0;
    return gain / (costOf(index) + (head === undefined || open.has(head.name) ? 0 : head.cost));
  };
  const costOf = (index: number): number => candidates[index]?.cost ?? 0;
  const priceOf = (index: number): number => {
    const head = candidates[index]?.head;
    return costOf(index) + (head === undefined || open.has(head.name) ? 0 : head.cost);
  };
  return {
    choose(among, budget) {
      const chosen: number[] = [];
      let cost = 0;
      const heap = createHeap(
        among.filter((index) => !taken.has(index)).map((index) => ({ index, value: worthOf(index) })),
      );
      for (let top = heap.pop(); top !== undefined; top = heap.pop()) {
        const price = priceOf(top.index);
        if (cost + price > budget) continue;
        const value = worthOf(top.index);
        const next = heap.peek();
        if (next !== undefined && value < next.value) {
          heap.push({ index: top.index, value });
          continue;
        }
        if (value <= 0) break;
        const { features, head } = candidates[top.index] as Candidate; // an index of the list
        for (const feature of features) said.add(feature);
        if (head !== undefined) open.add(head.name);
        taken.add(top.index);
        chosen.push(top.index);
        cost += price;
      }
      return { chosen, cost };
    },
  };
}

interface Entry {
  readonly index: number;
  readonly value: number;
}

/** The largest value on top; among equals the smallest index. */
function createHeap(entries: readonly Entry[]) {
  const heap = entries.toSorted(compare);
  const at = (index: number): Entry => heap[index] as Entry; // callers stay inside the list
  const sink = (from: number): void => {
    for (let parent = from; ; ) {
      let best = parent;
      for (const child of [2 * parent + 1, 2 * parent + 2])
        if (child < heap.length && compare(at(child), at(best)) < 0) best = child;
      if (best === parent) return;
      swap(parent, best);
      parent = best;
    }
  };
  const swap = (one: number, other: number): void => {
    const entry = at(one);
    heap[one] = at(other);
    heap[other] = entry;
  };
  return {
    peek: (): Entry | undefined => heap[0],
    push(entry: Entry): void {
      heap.push(entry);
      for (let child = heap.length - 1; child > 0; ) {
        const parent = (child - 1) >> 1;
        if (compare(at(child), at(parent)) >= 0) return;
        swap(child, parent);
        child = parent;
      }
    },
    pop(): Entry | undefined {
      const top = heap[0];
      const last = heap.pop();
      if (heap.length > 0 && last !== undefined) {
        heap[0] = last;
        sink(0);
      }
      return top;
    },
  };
}

function compare(one: Entry, other: Entry): number {
  return other.value - one.value || one.index - other.index;
}
