/**
 * Lessons from providers: the ratio of a model's real count to the estimate, from reported usage, and the size of its window,
 * from refusals and successes. Holds no message and no session, so one instance may serve any number of conversations.
 */

import { isObject, type JsonObject, numberOf } from "./json.ts";
import type { Overflow } from "./ports.ts";
import { setBounded } from "./remember.ts";

/**
 * The ratio is one of sums, not a mean of ratios: growth of 5,000 tokens weighs more than growth of 50. Older evidence
 * fades with the tokens that come after it, so the first reports move the ratio fast and later ones slowly. A moving
 * average of weight 0.1 per report does neither; bench/calibration.ts shows the two side by side.
 */
export interface Calibration {
  /** Reported tokens per estimated token; 1 for an unknown model. */
  ratio(model: string): number;
  learn(model: string, evidence: Evidence): void;
}

export interface Evidence {
  readonly estimatedTokens: number;
  readonly reportedTokens: number;
}

/** Outside these bounds the estimate is not the cause: the provider counted other content than we saw. */
export const RATIO_MIN = 0.5;
export const RATIO_MAX = 3;

/** The estimate starts with this much agreeing evidence, so that one short answer decides little. */
const PRIOR_TOKENS = 1_000;
/** After this many estimated tokens, evidence weighs 1/e of its first weight. */
const MEMORY_TOKENS = 100_000;

/** A bound: requests may name any model, and a gateway sees many. */
const MODELS_MAX = 1_000;

const PRIOR: Evidence = { reportedTokens: PRIOR_TOKENS, estimatedTokens: PRIOR_TOKENS };

/** Starts without knowledge; one instance may serve any number of ledgers. */
export function createCalibration(): Calibration {
  const sums = new Map<string, Evidence>();
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

/** Evidence within the bounds keeps the ratio of the sums within them. */
export function isPlausible({ estimatedTokens, reportedTokens }: Evidence): boolean {
  const ratio = reportedTokens / estimatedTokens;
  return estimatedTokens > 0 && ratio >= RATIO_MIN && ratio <= RATIO_MAX;
}

function add(sums: Evidence, evidence: Evidence): Evidence {
  const fading = Math.exp(-evidence.estimatedTokens / MEMORY_TOKENS);
  return {
    reportedTokens: sums.reportedTokens * fading + evidence.reportedTokens,
    estimatedTokens: sums.estimatedTokens * fading + evidence.estimatedTokens,
  };
}

export interface LearnedWindow {
  readonly windowTokens: number;
  /** False where it is assumed: the provider refused a request without stating its window. */
  readonly isStated: boolean;
  /** A size that the provider will most probably accept: the aim for a refused request. At most the window. */
  readonly safeTokens: number;
}

export interface LearnedWindows {
  of(model: string): LearnedWindow | undefined;
  /** `sentTokens` is the best estimate of the refused request. */
  learn(model: string, overflow: Overflow, sentTokens: number): void;
  /** An accepted request disproves a bound at or below its size. */
  accepted(model: string, inputTokens: number): void;
  /** The knowledge about a model, to be stored; undefined where the model has refused nothing. */
  save(model: string): JsonObject | undefined;
  /** Restores stored knowledge, only for a model without any here. */
  restore(model: string, saved: unknown): void;
}

/** A window below this leaves hardly any room for a conversation: used only where the caller sets it. */
export const TINY_WINDOW_TOKENS = 16_000;

/** The usual error of an estimate, such as the size of the refused request. */
const BELOW_REFUSED = 0.95;
/** Without an accepted request near it, a refused request may be far above the window. */
const FAR_BELOW_REFUSED = 0.5;
/** An accepted request below this share of the refused one is too small to be the aim. */
const NEAR_SHARE = 1 / 8;
/** The provider refuses what we estimate below its stated window: the estimate is too low. */
const BELOW_STATED = 0.9;

/** In tokens; each is absent while unknown. */
interface Facts {
  /** The stated maximum, without the room for the answer where the provider includes that. */
  readonly stated?: number;
  /** The smallest refused request, where it is at or below the stated maximum. */
  readonly refused?: number;
  /** The largest accepted request. */
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
        // A larger accepted request has disproved the refused size.
        ...(isCount(refused) && refused > known && { refused }),
        ...(largest > 0 && { accepted: largest }),
      });
    },
  };
}

/** The input that the provider counted, without the room for the answer; undefined where it gave no number. */
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
  // Where the provider states both numbers, earlier estimates add nothing.
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
