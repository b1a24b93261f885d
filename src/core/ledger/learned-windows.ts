/**
 * What overflow errors teach about a model's window. A maximum that the provider states is the window; a failure without
 * numbers only says that the window is smaller than what was sent. Never guesses a window for a model that has not failed.
 */

import type { Overflow } from "../ports.ts";

export interface LearnedWindow {
  readonly windowTokens: number;
  /** False when it is only an upper bound: the smallest size that is known to have failed. */
  readonly isStated: boolean;
}

export interface LearnedWindows {
  of(model: string): LearnedWindow | undefined;
  /** `sentTokens` is the best estimate of the request that failed. */
  learn(model: string, overflow: Overflow, sentTokens: number): void;
  /** A request that went through shows that a bound at or below its size was wrong. */
  accepted(model: string, inputTokens: number): void;
}

export function createLearnedWindows(): LearnedWindows {
  const windows = new Map<string, LearnedWindow>();
  return {
    of: (model) => windows.get(model),
    learn: (model, { actualTokens, maximumTokens }, sentTokens) => {
      if (isCount(maximumTokens)) {
        windows.set(model, { windowTokens: maximumTokens, isStated: true });
        return;
      }
      const known = windows.get(model);
      const failedTokens = isCount(actualTokens) ? actualTokens : sentTokens;
      if (known?.isStated || !isCount(failedTokens)) return;
      windows.set(model, {
        windowTokens: Math.min(known?.windowTokens ?? failedTokens, failedTokens),
        isStated: false,
      });
    },
    accepted: (model, inputTokens) => {
      const known = windows.get(model);
      if (known !== undefined && !known.isStated && inputTokens >= known.windowTokens) windows.delete(model);
    },
  };
}

function isCount(tokens: number | undefined): tokens is number {
  return tokens !== undefined && Number.isFinite(tokens) && tokens > 0;
}
