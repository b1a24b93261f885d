/**
 * What the last passes say about the next one: after two in a row that free too little, or one whose summary failed,
 * automatic passes wait until enough was added. A pass that the caller asks for always runs. Pure.
 */

import { shareOf } from "../core/plan/trigger.ts";
import type { Settings } from "../core/settings/settings.ts";
import type { PassHistory } from "../core/store/counters.ts";

export interface Passes extends PassHistory {
  /** How often in a row the provider refused the view as too long; absent for never. */
  readonly refusals?: number;
}

export const NO_PASSES: Passes = { weak: 0, tokensAfter: 0 };

export function isHeldOff({ weak, tokensAfter }: Passes, tokens: number, { antiThrash }: Settings): boolean {
  return weak >= antiThrash.maxPasses && tokens < tokensAfter + shareOf(tokensAfter, antiThrash.minFreedRatio);
}

export interface PassTokens {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

export function passesAfter(before: Passes, { tokensBefore, tokensAfter }: PassTokens, settings: Settings): Passes {
  const isWeak = tokensBefore - tokensAfter < shareOf(tokensBefore, settings.antiThrash.minFreedRatio);
  return { weak: isWeak ? before.weak + 1 : 0, tokensAfter };
}

export function passesAfterFailure(tokensAfter: number, { antiThrash }: Settings): Passes {
  return { weak: antiThrash.maxPasses, tokensAfter };
}

export function withRefusals(passes: Passes, refusals: number | undefined): Passes {
  if (passes.refusals === refusals) return passes;
  const { refusals: _, ...others } = passes;
  return refusals === undefined ? others : { ...others, refusals };
}
