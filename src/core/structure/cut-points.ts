/** Where a conversation may be cut, asked of the marks that `structure.ts` keeps. Reads only. */

/** `pair-safe`: anywhere legal. `turn-start`: only before a real user message. `split-turn`: also where the model begins to speak. */
export type CutMode = "pair-safe" | "turn-start" | "split-turn";

export interface CutMarks {
  /** True where a cut before the index would break something; as long as the conversation. */
  readonly blocked: readonly boolean[];
  /** Indices of real user messages, ascending. */
  readonly turnStarts: readonly number[];
  /** Indices where the model begins to speak, ascending. */
  readonly stepStarts: readonly number[];
  /** Beyond the start of an open round nothing may be cut: its results are still to come. */
  readonly lastCut: number;
}

export function isCut(marks: CutMarks, index: number, mode: CutMode): boolean {
  if (index === 0) return marks.blocked.length > 0;
  if (index < 0 || index > marks.lastCut || marks.blocked[index] !== false) return false;
  if (mode === "pair-safe") return true;
  return includes(marks.turnStarts, index) || (mode === "split-turn" && includes(marks.stepStarts, index));
}

export function cutPoints(marks: CutMarks, mode: CutMode): readonly number[] {
  const cuts: number[] = [];
  for (let index = 0; index < marks.blocked.length; index++) if (isCut(marks, index, mode)) cuts.push(index);
  return cuts;
}

export function cutAtOrAfter(marks: CutMarks, index: number, mode: CutMode): number | undefined {
  if (index <= 0) return marks.blocked.length > 0 ? 0 : undefined;
  if (mode === "turn-start") {
    const { turnStarts } = marks;
    for (let at = lowerBound(turnStarts, index); at < turnStarts.length; at++) {
      const candidate = turnStarts[at] ?? 0;
      if (isCut(marks, candidate, mode)) return candidate;
    }
    return undefined;
  }
  for (let candidate = index; candidate <= marks.lastCut; candidate++) {
    if (isCut(marks, candidate, mode)) return candidate;
  }
  return undefined;
}

export function cutAtOrBefore(marks: CutMarks, index: number, mode: CutMode): number {
  const from = Math.min(index, marks.lastCut);
  if (mode === "turn-start") {
    const { turnStarts } = marks;
    for (let at = lowerBound(turnStarts, from + 1) - 1; at >= 0; at--) {
      const candidate = turnStarts[at] ?? 0;
      if (isCut(marks, candidate, mode)) return candidate;
    }
    return 0;
  }
  for (let candidate = from; candidate > 0; candidate--) if (isCut(marks, candidate, mode)) return candidate;
  return 0;
}

/** First position in an ascending list whose value is at least `value`. */
export function lowerBound(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function includes(sorted: readonly number[], value: number): boolean {
  return sorted[lowerBound(sorted, value)] === value;
}
