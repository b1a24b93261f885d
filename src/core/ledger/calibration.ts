/**
 * How far an estimate is from what a model really counts, learned per model from reported usage. One ratio for a model,
 * 1 until something was learned. Holds no message and no session, so one calibration may serve many ledgers.
 *
 * The ratio is one of sums, not a mean of ratios: what grew by 5,000 tokens says more than what grew by 50. Older
 * evidence fades by the tokens that came after it, so the first reports move the ratio fast and later ones slowly. A
 * moving average of weight 0.1 per report does neither; bench/calibration.ts shows the two side by side.
 */

import { setBounded } from "../bounded-map.ts";

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
