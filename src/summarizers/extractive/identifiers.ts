/**
 * Chooses which identifiers to list under a token budget: the likeliest to be needed per token, none that the reader finds
 * verbatim elsewhere. A path covers its parts. Never lists one twice, never exceeds the budget by its own count.
 */

import { type RankedFact, scanIdentifiers } from "../../core/facts/facts.ts";

/** Identifiers with their prices, sorted by what they are worth per token. A position in this list stands for one. */
export interface Offers {
  readonly list: readonly Offer[];
  readonly positions: ReadonlyMap<string, number>;
}

export interface Offer {
  readonly text: string;
  readonly likelihood: number;
  readonly cost: number;
  /** Positions of others that stand verbatim in this one. */
  readonly inside: readonly number[];
}

export interface OfferOptions {
  readonly budgetTokens: number;
  readonly costOf: (text: string) => number;
}

/** Identifiers take three tokens or more on average, so that of more than this none would fit. */
const OFFERS_PER_TOKEN = 0.4;
const OFFERS_MIN = 256;

/** How many facts are worth looking at under a budget. */
export function offersMax(budgetTokens: number): number {
  return Math.max(OFFERS_MIN, Math.floor(budgetTokens * OFFERS_PER_TOKEN));
}

export function offerIdentifiers(facts: readonly RankedFact[], { budgetTokens, costOf }: OfferOptions): Offers {
  const considered = facts.slice(0, offersMax(budgetTokens));
  const likelihoods = new Map(considered.map(({ text, likelihood }) => [text, likelihood]));
  const weighed = considered.map(({ text, likelihood }, rank) => {
    const cost = costOf(text);
    const parts = partsOf(text).filter((part) => likelihoods.has(part));
    // A part is worth less here than alone, since it may be covered elsewhere.
    const value = parts.reduce((sum, part) => sum + PART_SHARE * (likelihoods.get(part) ?? 0), likelihood);
    return { text, likelihood, cost, rank, parts, density: value / cost };
  });
  weighed.sort((a, b) => b.density - a.density || a.rank - b.rank);
  const positions = new Map(weighed.map(({ text }, position) => [text, position]));
  const list = weighed.map(({ text, likelihood, cost, parts }) => ({
    text,
    likelihood,
    cost,
    inside: parts.map((part) => positions.get(part) ?? 0),
  }));
  return { list, positions };
}

const PART_SHARE = 0.7;

export interface ChoiceOptions {
  readonly budgetTokens: number;
  readonly likelihoodMin: number;
  /** What the reader finds elsewhere; the chosen ones are added. */
  readonly covered: Covered;
}

export interface Choice {
  readonly texts: readonly string[];
  readonly usedTokens: number;
}

export function chooseIdentifiers(offers: Offers, { budgetTokens, likelihoodMin, covered }: ChoiceOptions): Choice {
  const { list } = offers;
  const first = takeWhatFits(list, { budgetTokens, likelihoodMin, covered: copyOf(covered) });
  // What a longer choice turned out to contain is taken out, and the room given to others.
  const inside = copyOf(covered);
  for (const position of first) markInside(list, position, inside);
  const chosen = takeWhatFits(list, { budgetTokens, likelihoodMin, covered: inside });
  for (const position of chosen) mark(list, position, covered.marks);
  return {
    texts: chosen.map((position) => list[position]?.text ?? ""),
    usedTokens: chosen.reduce((sum, position) => sum + (list[position]?.cost ?? 0), 0),
  };
}

/** Positions of what fits, in order; what they contain is marked on the way. */
function takeWhatFits(
  list: readonly Offer[],
  { budgetTokens, likelihoodMin, covered }: ChoiceOptions,
): readonly number[] {
  const taken: number[] = [];
  let left = budgetTokens;
  for (let position = 0; position < list.length && left >= 1; position++) {
    const offer = list[position];
    if (offer === undefined || offer.cost > left || offer.likelihood < likelihoodMin) continue;
    if (covered.marks[position] === 1) continue;
    taken.push(position);
    mark(list, position, covered.marks);
    left -= offer.cost;
  }
  return taken;
}

function mark(list: readonly Offer[], position: number, marks: Uint8Array): void {
  marks[position] = 1;
  for (const inner of list[position]?.inside ?? []) marks[inner] = 1;
}

function markInside(list: readonly Offer[], position: number, { marks }: Covered): void {
  for (const inner of list[position]?.inside ?? []) marks[inner] = 1;
}

/** What the reader will find verbatim, by position. */
export interface Covered {
  readonly marks: Uint8Array;
}

export function coveredBy(texts: readonly string[], offers: Offers, base?: Covered): Covered {
  const marks = base?.marks.slice() ?? new Uint8Array(offers.list.length);
  for (const text of texts) {
    scanIdentifiers(text, (start, end) => {
      const identifier = text.slice(start, end);
      const position = offers.positions.get(identifier);
      if (position !== undefined) mark(offers.list, position, marks);
      else {
        for (const part of partsOf(identifier)) {
          const inner = offers.positions.get(part);
          if (inner !== undefined) marks[inner] = 1;
        }
      }
    });
  }
  return { marks };
}

function copyOf({ marks }: Covered): Covered {
  return { marks: marks.slice() };
}

const SEGMENTS_MAX = 16;

/** Of a path every run of its segments, with and without the leading slash, but not the whole. */
function partsOf(identifier: string): readonly string[] {
  if (!identifier.includes("/")) return [];
  const parts: string[] = [];
  const segments = identifier.split("/").slice(0, SEGMENTS_MAX);
  for (let from = 0; from < segments.length; from++) {
    let run = segments[from] ?? "";
    if (run !== "") parts.push(run);
    for (let to = from + 1; to < segments.length; to++) {
      run += `/${segments[to] ?? ""}`;
      parts.push(run);
      if (from > 0) parts.push(`/${run}`);
    }
  }
  return parts.filter((part) => part !== identifier);
}
