/** Finds the places where a conversation may be cut, from the marks that `structure.ts` keeps. Reads only. */

/** `pair-safe`: anywhere legal. `turn-start`: only before a real user message. `split-turn`: also where the model begins to speak. */
export type CutMode = "pair-safe" | "turn-start" | "split-turn";

export interface CutMarks {
  /** As long as the conversation: an index itself where a cut before it breaks nothing, else one nearer to the last such index. */
  readonly freeBefore: readonly number[];
  /** Indices of real user messages, ascending. */
  readonly turnStarts: readonly number[];
  /** Indices where the model begins to speak, ascending. */
  readonly stepStarts: readonly number[];
  /** The start of an open round, else the end: the results of an open round are still to come, so nothing may be cut behind it. */
  readonly lastCut: number;
}

export function isCut(marks: CutMarks, index: number, mode: CutMode): boolean {
  if (index === 0) return marks.freeBefore.length > 0;
  if (index < 0 || index > marks.lastCut || marks.freeBefore[index] !== index) return false;
  if (mode === "pair-safe") return true;
  return includes(marks.turnStarts, index) || (mode === "split-turn" && includes(marks.stepStarts, index));
}

export function cutPoints(marks: CutMarks, mode: CutMode): readonly number[] {
  return [...marks.freeBefore.keys()].filter((index) => isCut(marks, index, mode));
}

export function cutAtOrAfter(marks: CutMarks, index: number, mode: CutMode): number | undefined {
  const { freeBefore, turnStarts, lastCut } = marks;
  if (index <= 0) return freeBefore.length > 0 ? 0 : undefined;
  if (mode === "turn-start") {
    return turnStarts.slice(lowerBound(turnStarts, index)).find((start) => isCut(marks, start, mode));
  }
  for (let candidate = index; candidate <= lastCut; candidate++) if (isCut(marks, candidate, mode)) return candidate;
  return undefined;
}

export function cutAtOrBefore(marks: CutMarks, index: number, mode: CutMode): number {
  const { turnStarts, lastCut } = marks;
  const from = Math.min(index, lastCut);
  if (mode === "turn-start") {
    return turnStarts.slice(0, lowerBound(turnStarts, from + 1)).findLast((start) => isCut(marks, start, mode)) ?? 0;
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
