/**
 * Chooses which identifiers to list under a token budget: the likeliest to be needed per token, none that the reader finds
 * verbatim elsewhere. A path covers its parts. Never lists one twice, never exceeds the budget by its own count.
 */

import { descendingOrder, type RankedFact, scanIdentifiers } from "../../../core/facts/facts.ts";
import { addToFilter, createPartFilter, EVERY_PART, type PartFilter, visitParts } from "./path-parts.ts";
import { LIKELIHOOD_LISTED_MIN, listShare } from "./shares.ts";

/**
 * Identifiers with their prices, sorted by what they are worth per token: a position stands for one. Lists side by side, since
 * they are gone through several times and an object for each would cost more than all of that.
 */
export interface Offers {
  readonly texts: readonly string[];
  readonly likelihoods: Float64Array;
  readonly costs: Float64Array;
  /** For each the positions of others that stand verbatim in it. */
  readonly inside: readonly (readonly number[])[];
  /** Undefined where it is not offered. */
  readonly positionOf: (text: string) => number | undefined;
}

export interface OfferOptions {
  readonly budgetTokens: number;
  readonly costOf: (text: string) => number;
}

/** Identifiers take three tokens or more on average, so that of more than this for each token of their list none would fit. */
const OFFERS_PER_TOKEN = 0.4;
const OFFERS_MIN = 256;

/** How many facts are worth looking at under a budget. */
export function offersMax(budgetTokens: number): number {
  return Math.max(OFFERS_MIN, Math.floor(budgetTokens * listShare(budgetTokens, false) * OFFERS_PER_TOKEN));
}

export function offerIdentifiers(facts: readonly RankedFact[], { budgetTokens, costOf }: OfferOptions): Offers {
  const considered = facts.slice(0, offersMax(budgetTokens));
  const ranks = new Map<string, number>();
  const filter = createPartFilter(considered.length);
  considered.forEach(({ text }, rank) => {
    ranks.set(text, rank);
    addToFilter(filter, text);
  });
  // The likeliest come first. Behind these nothing is ever listed: it only counts as a part of others, and needs no price.
  const offered = considered.findLastIndex(({ likelihood }) => likelihood >= LIKELIHOOD_LISTED_MIN) + 1;
  const parts: (readonly number[])[] = [];
  const prices = new Float64Array(offered);
  const densities = new Float64Array(offered);
  for (let rank = 0; rank < offered; rank++) {
    const { text, likelihood } = considered[rank] as RankedFact; // below its length
    const own = text.includes("/") ? ranksInside(text, ranks, filter) : NONE;
    let value = likelihood;
    // A part is worth less here than alone, since it may be covered elsewhere.
    for (const part of own) value += PART_SHARE * (considered[part]?.likelihood ?? 0);
    const price = costOf(text);
    parts.push(own);
    prices[rank] = price;
    densities[rank] = value / price;
  }
  return inOrder(descendingOrder(densities), { considered, prices, parts, ranks });
}

interface Weighed {
  readonly considered: readonly RankedFact[];
  readonly prices: Float64Array;
  readonly parts: readonly (readonly number[])[];
  readonly ranks: ReadonlyMap<string, number>;
}

function inOrder(order: Int32Array, { considered, prices, parts, ranks }: Weighed): Offers {
  const positions = new Int32Array(order.length);
  for (let position = 0; position < order.length; position++) positions[order[position] ?? 0] = position;
  const texts: string[] = [];
  const inside: (readonly number[])[] = [];
  const likelihoods = new Float64Array(order.length);
  const costs = new Float64Array(order.length);
  for (let position = 0; position < order.length; position++) {
    const rank = order[position] ?? 0;
    const own = parts[rank] ?? NONE;
    texts.push(considered[rank]?.text ?? "");
    // What is not offered has no position.
    inside.push(own.length === 0 ? NONE : own.flatMap((part) => positions[part] ?? []));
    likelihoods[position] = considered[rank]?.likelihood ?? 0;
    costs[position] = prices[rank] ?? 0;
  }
  const positionOf = (text: string): number | undefined => {
    const rank = ranks.get(text);
    return rank === undefined ? undefined : positions[rank];
  };
  return { texts, likelihoods, costs, inside, positionOf };
}

const NONE: readonly number[] = [];

function ranksInside(path: string, ranks: ReadonlyMap<string, number>, filter: PartFilter): readonly number[] {
  let found: number[] | undefined;
  visitParts(path, filter, (part) => {
    const rank = ranks.get(part);
    if (rank === undefined) return;
    found ??= [];
    found.push(rank);
  });
  return found ?? NONE;
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
  const limits = { budgetTokens, likelihoodMin };
  // What a longer choice turns out to contain is taken out in a second round, and the room given to others.
  const inside = covered.marks.slice();
  takeWhatFits(offers, { ...limits, marks: covered.marks.slice() }, (position) => markInside(offers, position, inside));
  const texts: string[] = [];
  let usedTokens = 0;
  takeWhatFits(offers, { ...limits, marks: inside }, (position) => {
    mark(offers, position, covered.marks);
    texts.push(offers.texts[position] ?? "");
    usedTokens += offers.costs[position] ?? 0;
  });
  return { texts, usedTokens };
}

interface Limits extends Omit<ChoiceOptions, "covered">, Covered {}

/** Takes what fits, in order; what that contains is marked on the way. */
function takeWhatFits(
  offers: Offers,
  { budgetTokens, likelihoodMin, marks }: Limits,
  take: (position: number) => void,
): void {
  const { costs, likelihoods } = offers;
  let left = budgetTokens;
  for (let position = 0; position < costs.length && left >= 1; position++) {
    const cost = costs[position] ?? 0;
    if (cost > left || (likelihoods[position] ?? 0) < likelihoodMin || marks[position] === 1) continue;
    take(position);
    mark(offers, position, marks);
    left -= cost;
  }
}

function mark(offers: Offers, position: number, marks: Uint8Array): void {
  marks[position] = 1;
  markInside(offers, position, marks);
}

function markInside({ inside }: Offers, position: number, marks: Uint8Array): void {
  for (const inner of inside[position] ?? NONE) marks[inner] = 1;
}

/** What the reader will find verbatim, by position. */
export interface Covered {
  readonly marks: Uint8Array;
}

export function coveredBy(texts: readonly string[], offers: Offers, base?: Covered): Covered {
  const marks = base?.marks.slice() ?? new Uint8Array(offers.texts.length);
  for (const text of texts) {
    scanIdentifiers(text, (start, end) => {
      const identifier = text.slice(start, end);
      const position = offers.positionOf(identifier);
      if (position !== undefined) mark(offers, position, marks);
      else if (identifier.includes("/")) {
        visitParts(identifier, EVERY_PART, (part) => {
          const inner = offers.positionOf(part);
          if (inner !== undefined) marks[inner] = 1;
        });
      }
    });
  }
  return { marks };
}
