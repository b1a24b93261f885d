/**
 * What refusals and successes teach about a model's window, in input tokens. A maximum that the provider states is the window. A
 * refusal without numbers only says that the window is smaller than what was sent, and a smaller one is assumed. Never guesses a
 * window for a model that has refused nothing.
 */

import { setBounded } from "../bounded-map.ts";
import { isObject, type JsonObject, numberOf } from "../json.ts";
import type { Overflow } from "../ports.ts";

export interface LearnedWindow {
  readonly windowTokens: number;
  /** False where it is assumed: the provider refused a request and did not say how much it takes. */
  readonly isStated: boolean;
  /** A size that is most probably taken; what a refused request is compacted for. At most the window. */
  readonly safeTokens: number;
}

export interface LearnedWindows {
  of(model: string): LearnedWindow | undefined;
  /** `sentTokens` is the best estimate of the request that failed. */
  learn(model: string, overflow: Overflow, sentTokens: number): void;
  /** A request that went through shows that a bound at or below its size was wrong. */
  accepted(model: string, inputTokens: number): void;
  /** What is known of a model, to be kept elsewhere; undefined where it has refused nothing. */
  save(model: string): JsonObject | undefined;
  /** Takes what was kept for a model that nothing is known of here; anything else is left alone. */
  restore(model: string, saved: unknown): void;
}

/** A window below this leaves hardly any room for a conversation: it is used only where somebody tells it. */
export const TINY_WINDOW_TOKENS = 16_000;

/** A request may name any model, and a gateway sees many. */
const MODELS_MAX = 1_000;

/** Estimates are off by about so much, and what was refused is one. */
const BELOW_REFUSED = 0.95;
/** Without any success near it, nobody knows how far above the window a refused request was. */
const FAR_BELOW_REFUSED = 0.5;
/** A success below this share of what was refused says too little to compact for it. */
const NEAR_SHARE = 1 / 8;
/** The provider stated its window and refuses what we take for less than that: the estimate is too low. */
const BELOW_STATED = 0.9;

/** In tokens; each is absent until it is known. */
interface Facts {
  /** The maximum that the provider stated, without the room for the answer where that counts too. */
  readonly stated?: number;
  /** The smallest request that is known to have failed, where that says more than what was stated. */
  readonly refused?: number;
  /** The largest request that went through. */
  readonly accepted?: number;
}

export function createLearnedWindows(): LearnedWindows {
  const models = new Map<string, Facts>();
  const keep = (model: string, facts: Facts): void => setBounded(models, [model, facts], MODELS_MAX);
  const of = (model: string): LearnedWindow | undefined => windowOf(models.get(model) ?? {});
  return {
    of,
    learn: (model, overflow, sentTokens) => {
      if (overflow.isBodySize) return;
      keep(model, factsAfter(models.get(model) ?? {}, overflow, sentTokens));
    },
    accepted: (model, inputTokens) => {
      if (!isCount(inputTokens)) return;
      const { refused, ...facts } = models.get(model) ?? {};
      const accepted = Math.max(inputTokens, facts.accepted ?? 0);
      keep(model, { ...facts, accepted, ...(refused !== undefined && refused > accepted && { refused }) });
    },
    save: (model) => (of(model) === undefined ? undefined : { ...models.get(model) }),
    restore: (model, saved) => {
      if (!isObject(saved) || of(model) !== undefined) return;
      const [stated, refused, accepted] = [saved.stated, saved.refused, saved.accepted].map(numberOf);
      const known = models.get(model)?.accepted ?? 0;
      const largest = Math.max(known, isCount(accepted) ? accepted : 0);
      keep(model, {
        ...(isCount(stated) && { stated }),
        // What went through since has disproved it.
        ...(isCount(refused) && refused > known && { refused }),
        ...(largest > 0 && { accepted: largest }),
      });
    },
  };
}

/** The input that the provider counted, without the room for the answer; undefined where it did not say. */
export function refusedInput({ actualTokens, outputTokens = 0 }: Overflow): number | undefined {
  return inputOf(actualTokens, outputTokens);
}

function inputOf(tokens: number | undefined, outputTokens: number): number | undefined {
  if (!isCount(tokens)) return undefined;
  return tokens > outputTokens ? tokens - outputTokens : tokens;
}

function factsAfter(before: Facts, overflow: Overflow, sentTokens: number): Facts {
  const stated = inputOf(overflow.maximumTokens, overflow.outputTokens ?? 0);
  const counted = refusedInput(overflow);
  const { stated: statedBefore, refused: refusedBefore, ...known } = before;
  const limit = stated ?? statedBefore;
  // Where the provider says both, what was estimated before tells nothing more.
  const isTold = stated !== undefined && counted !== undefined;
  const failed = [counted ?? sentTokens, isTold ? undefined : refusedBefore].filter(isCount);
  const refused = Math.min(...failed);
  const saysMore = failed.length > 0 && (limit === undefined || refused <= limit);
  return { ...known, ...(limit !== undefined && { stated: limit }), ...(saysMore && { refused }) };
}

function windowOf({ stated, refused, accepted = 0 }: Facts): LearnedWindow | undefined {
  if (stated !== undefined) {
    const windowTokens = refused === undefined ? stated : Math.floor(Math.min(stated, refused * BELOW_STATED));
    return { windowTokens, isStated: true, safeTokens: windowTokens };
  }
  if (refused === undefined) return undefined;
  const far = Math.ceil(refused * FAR_BELOW_REFUSED);
  const near = Math.floor(Math.min(accepted, refused * BELOW_REFUSED));
  const safeTokens = near >= refused * NEAR_SHARE ? near : far;
  return { windowTokens: Math.max(far, near), isStated: false, safeTokens };
}

function isCount(tokens: number | undefined): tokens is number {
  return tokens !== undefined && Number.isFinite(tokens) && tokens > 0;
}
