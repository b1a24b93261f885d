/**
 * TextRank over sentences, for comparison: sentences vote for those they share words with, weighed by length, and the votes
 * are counted until they settle. Returns the best sentences that fit, in their order. Quadratic in the sentences.
 */

const DAMPING = 0.85;
const ROUNDS = 30;

export function textRank(
  sentences: readonly string[],
  wordsOf: (text: string) => readonly string[],
  budgetChars: number,
): string {
  const words = sentences.map((sentence) => new Set(wordsOf(sentence)));
  const holders = new Map<string, number[]>();
  words.forEach((set, index) => {
    for (const word of set) holders.set(word, [...(holders.get(word) ?? []), index]);
  });
  const edges = words.map((set, index) => neighbours(index, set, words, holders));
  const totals = edges.map((row) => [...row.values()].reduce((sum, weight) => sum + weight, 0));
  let ranks = new Float64Array(sentences.length).fill(1);
  for (let round = 0; round < ROUNDS; round++) {
    const next = new Float64Array(sentences.length).fill(1 - DAMPING);
    edges.forEach((row, from) => {
      for (const [to, weight] of row)
        next[to] = (next[to] ?? 0) + (DAMPING * (ranks[from] ?? 0) * weight) / (totals[from] ?? 1);
    });
    ranks = next;
  }
  let left = budgetChars;
  const chosen: number[] = [];
  for (const index of [...sentences.keys()].sort((a, b) => (ranks[b] ?? 0) - (ranks[a] ?? 0) || a - b)) {
    const cost = (sentences[index]?.length ?? 0) + 1;
    if (cost > left) continue;
    chosen.push(index);
    left -= cost;
  }
  return chosen
    .sort((a, b) => a - b)
    .map((index) => sentences[index])
    .join(" ");
}

function neighbours(
  index: number,
  set: ReadonlySet<string>,
  words: readonly ReadonlySet<string>[],
  holders: ReadonlyMap<string, readonly number[]>,
): Map<number, number> {
  const shared = new Map<number, number>();
  for (const word of set)
    for (const other of holders.get(word) ?? []) if (other !== index) shared.set(other, (shared.get(other) ?? 0) + 1);
  for (const [other, count] of shared) {
    const scale = Math.log(1 + set.size) + Math.log(1 + (words[other]?.size ?? 0));
    shared.set(other, count / scale);
  }
  return shared;
}
