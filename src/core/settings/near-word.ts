/** The known word that was probably meant. Pure; answers undefined when nothing is near. */

export function nearestWord(word: string, known: readonly string[]): string | undefined {
  if (word.length > WORD_CHARACTERS_MAX) return undefined;
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const distance = rank(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Longer words were never meant as a key, an option or a command; the bound keeps garbage cheap. */
const WORD_CHARACTERS_MAX = 60;

/** A beginning counts as near: `conv` means `conversation`, `anthropic` means `anthropic-messages`. */
function rank(word: string, candidate: string): number {
  return word.length >= 3 && candidate.startsWith(word) ? 0.5 : editDistance(word, candidate);
}

/** Letters to insert, remove, replace or swap with their neighbour. */
export function editDistance(a: string, b: string): number {
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = at(last, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swapped = isSwap ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY;
      current.push(Math.min(replaced, swapped, at(last, column) + 1, at(current, column - 1) + 1));
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
