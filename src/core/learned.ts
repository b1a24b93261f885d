/**
 * What providers teach: how far an estimate is from what a model really counts, from reported usage, and how large a model's window is,
 * from refusals and successes. Holds no message and no session, so one may serve any number of conversations.
 */

import { isObject, type JsonObject, numberOf } from "./json.ts";
import type { Overflow } from "./ports.ts";
import { setBounded } from "./remember.ts";

/**
 * The ratio is one of sums, not a mean of ratios: what grew by 5,000 tokens says more than what grew by 50. Older evidence fades by the
 * tokens that came after it, so the first reports move the ratio fast and later ones slowly. A moving average of weight 0.1 per
 * report does neither; bench/calibration.ts shows the two side by side.
 */
export interface Calibration {
  /** Reported tokens per estimated token; 1 for a model that nothing is known about. */
  ratio(model: string): number;
  learn(model: string, evidence: Evidence): void;
}

export interface Evidence {
  readonly estimatedTokens: number;
  readonly reportedTokens: number;
}

/** Beyond these bounds it is not the estimate that is wrong: something was sent, or left out, that nobody showed us. */
export const RATIO_MIN = 0.5;
export const RATIO_MAX = 3;

/** The estimate is trusted as if this much had been reported to agree with it, so that one short answer decides nothing. */
const PRIOR_TOKENS = 1_000;
/** Estimated tokens after which evidence counts for 1/e of what it did. */
const MEMORY_TOKENS = 100_000;

/** A request may name any model, and a gateway sees many. */
const MODELS_MAX = 1_000;

interface Sums {
  readonly reportedTokens: number;
  readonly estimatedTokens: number;
}

const PRIOR: Sums = { reportedTokens: PRIOR_TOKENS, estimatedTokens: PRIOR_TOKENS };

/** Knows nothing yet; one may serve any number of ledgers. */
export function createCalibration(): Calibration {
  const sums = new Map<string, Sums>();
  return {
    ratio: (model) => {
      const { reportedTokens, estimatedTokens } = sums.get(model) ?? PRIOR;
      return reportedTokens / estimatedTokens;
    },
    learn: (model, evidence) => {
      if (isPlausible(evidence)) setBounded(sums, [model, add(sums.get(model) ?? PRIOR, evidence)], MODELS_MAX);
    },
  };
}

/** Every kept piece of evidence lies within the bounds, and so does the ratio of their sums. */
export function isPlausible({ estimatedTokens, reportedTokens }: Evidence): boolean {
  const ratio = reportedTokens / estimatedTokens;
  return estimatedTokens > 0 && ratio >= RATIO_MIN && ratio <= RATIO_MAX;
}

function add(sums: Sums, evidence: Evidence): Sums {
  const fading = Math.exp(-evidence.estimatedTokens / MEMORY_TOKENS);
  return {
    reportedTokens: sums.reportedTokens * fading + evidence.reportedTokens,
    estimatedTokens: sums.estimatedTokens * fading + evidence.estimatedTokens,
  };
}

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
