/**
 * Chooses the whole sentences that together say the most in a given length: each content word counts once, weighed by how
 * many sentences share it. Lazy greedy over a heap, so near-linear; the same input always gives the same choice.
 */

import { createWordTable, type WordTable } from "../text/word-table.ts";
import { createHeap } from "./heap.ts";

export interface Candidate {
  readonly text: string;
  /** What it costs, in any unit that adds up. */
  readonly cost: number;
  /** Multiplies its value: above 1 for what matters more. */
  readonly weight: number;
}

export interface WeighOptions {
  /** Words that count several times. */
  readonly focus: ReadonlySet<string>;
  /**
   * What of its weight a candidate keeps at a closer look, 0 for one that must not be chosen: asked of what is about to be chosen alone, since
   * such a look may cost more than all else. Default: all of it.
   */
  readonly shareOf?: (at: number) => number;
}

export interface CoverageOptions {
  readonly budget: number;
  /** Texts that the reader has anyway: their words are worth nothing. */
  readonly known: readonly string[];
}

/** Indexes of the chosen candidates, in the order in which they were chosen: the most telling first. */
export type ChooseByCoverage = (options: CoverageOptions) => readonly number[];

/** A word in more than this share of the sentences says nothing about any. */
const COMMON_SHARE = 0.2;
const COMMON_MIN = 8;
/** How much more a word counts that more sentences share. */
const SHARED_EXPONENT = 1.25;

/** Indexes the words once; choosing may then be asked for several budgets. */
export function coverageOf(candidates: readonly Candidate[], options: WeighOptions): ChooseByCoverage {
  const index = indexWords(candidates);
  const values = wordValues(index, candidates.length, options.focus);
  const costMin = candidates.reduce((least, { cost }) => Math.min(least, cost), Infinity);
  const coveredBy = coverer(index);
  const weighed = { index, values, costMin, shares: sharesOf(candidates.length, options) };
  return ({ budget, known }) => choose(candidates, weighed, { budget, covered: coveredBy(known) });
}

interface Weighed {
  readonly index: WordIndex;
  readonly values: Float64Array;
  /** What the cheapest candidate costs. */
  readonly costMin: number;
  readonly shares: Shares;
}

interface Shares {
  /** What is known: 1 of whatever nobody looked at. */
  readonly known: Float64Array;
  /** True where that told something new. */
  look(at: number): boolean;
}

/** Each candidate is looked at once, whoever chooses. */
function sharesOf(count: number, { shareOf }: WeighOptions): Shares {
  const known = new Float64Array(count).fill(1);
  const isKnown = new Uint8Array(count);
  return {
    known,
    look(at) {
      if (isKnown[at] === 1 || shareOf === undefined) return false;
      isKnown[at] = 1;
      known[at] = shareOf(at);
      return known[at] !== 1;
    },
  };
}

interface ChooseOptions {
  readonly budget: number;
  /** Of each word, 1 where the reader has it; marks what is chosen, too. */
  readonly covered: Uint8Array;
}

function choose(
  candidates: readonly Candidate[],
  { index, values, costMin, shares }: Weighed,
  { budget, covered }: ChooseOptions,
): readonly number[] {
  const gainOf = (at: number): number => {
    let sum = 0;
    const end = index.starts[at + 1] ?? 0;
    for (let slot = index.starts[at] ?? 0; slot < end; slot++) {
      const id = index.words[slot] ?? 0;
      if (covered[id] === 0) sum += values[id] ?? 0;
    }
    const { cost = 1, weight = 1 } = candidates[at] ?? {};
    return (sum * weight * (shares.known[at] ?? 1)) / cost;
  };
  const heap = createHeap(candidates.length);
  for (let at = 0; at < candidates.length; at++) heap.push(at, gainOf(at));
  const chosen: number[] = [];
  let used = 0;
  for (let at = heap.pop(); at !== undefined && used + costMin <= budget; at = heap.pop()) {
    const { cost = 0 } = candidates[at] ?? {};
    if (used + cost > budget) continue;
    let gain = gainOf(at);
    if (gain >= heap.top() && shares.look(at)) gain = gainOf(at);
    if (gain <= 0) continue;
    // Its words may have been covered since it was weighed; then it waits for its turn again.
    if (gain < heap.top()) {
      heap.push(at, gain);
      continue;
    }
    chosen.push(at);
    used += cost;
    const end = index.starts[at + 1] ?? 0;
    for (let slot = index.starts[at] ?? 0; slot < end; slot++) covered[index.words[slot] ?? 0] = 1;
  }
  return chosen;
}

/** Marks the words of texts. Most texts are the same whenever somebody asks, so that each is read once. */
function coverer({ table, frequencies }: WordIndex): (texts: readonly string[]) => Uint8Array {
  const known = new Map<string, Int32Array>();
  const wordsIn = (text: string): Int32Array => {
    const count = table.read(text);
    const words = table.found().slice(0, count);
    known.set(text, words);
    return words;
  };
  return (texts) => {
    const covered = new Uint8Array(frequencies.length);
    for (const text of texts) {
      const words = known.get(text) ?? wordsIn(text);
      for (const word of words) if (word < covered.length) covered[word] = 1;
    }
    return covered;
  };
}

interface WordIndex {
  readonly table: WordTable;
  /** Distinct word ids of all candidates, one after the other. */
  readonly words: readonly number[];
  /** Where each candidate's words start. */
  readonly starts: readonly number[];
  readonly frequencies: readonly number[];
}

function indexWords(candidates: readonly Candidate[]): WordIndex {
  const table = createWordTable();
  const words: number[] = [];
  const starts: number[] = [];
  const frequencies: number[] = [];
  const seenIn: number[] = [];
  let at = 0;
  for (const { text } of candidates) {
    starts.push(words.length);
    const count = table.read(text);
    const found = table.found();
    for (let slot = 0; slot < count; slot++) {
      const id = found[slot] as number; // below the count
      while (frequencies.length <= id) {
        frequencies.push(0);
        seenIn.push(-1);
      }
      if (seenIn[id] === at) continue;
      seenIn[id] = at;
      frequencies[id] = (frequencies[id] ?? 0) + 1;
      words.push(id);
    }
    at++;
  }
  starts.push(words.length);
  return { table, words, starts, frequencies };
}

/** What the caller asked to focus on counts several times. */
const FOCUS_FACTOR = 4;

function wordValues({ table, frequencies }: WordIndex, sentences: number, focus: ReadonlySet<string>): Float64Array {
  const common = Math.max(COMMON_MIN, sentences * COMMON_SHARE);
  const values = new Float64Array(frequencies.length);
  // Most words share a few counts, so that each count is weighed once.
  const known: number[] = [];
  frequencies.forEach((count, id) => {
    known[count] ??= count > common ? 0 : Math.log(1 + count) ** SHARED_EXPONENT;
    values[id] = known[count];
  });
  for (const word of focus) {
    const count = table.read(word);
    for (const id of table.found().subarray(0, count))
      if (id < values.length) values[id] = FOCUS_FACTOR * Math.max(1, values[id] ?? 0);
  }
  return values;
}
