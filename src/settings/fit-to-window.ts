/**
 * Adapts settings to a smaller window. A profile's amounts are for its own window; in a smaller one, each is capped at a share of
 * it. `fitToWindow` fits a profile before the caller's values are laid over it, and never changes those. `refitToWindow` fits
 * settled settings as a whole, for a window that the caller did not set: a model's own, or one learned from errors.
 */

import { kindOf, targetTokensOf, thresholdTokens } from "../core/plan/trigger.ts";
import type { Settings, Target } from "../core/settings/settings.ts";

/** Shares that fit beside one another: every shipped profile stays below them in its own window. */
const SHARE = {
  tail: 0.3,
  limit: 0.8,
  reserve: 0.25,
  flush: 0.05,
  target: 0.4,
  output: 0.25,
  summary: 0.1,
} as const;

export function fitToWindow(profile: Settings, windowTokens: number): Settings {
  if (windowTokens >= profile.windowTokens) return { ...profile, windowTokens };
  const cap = (tokens: number, share: keyof typeof SHARE, least = 0): number =>
    Math.max(least, Math.min(tokens, Math.floor(windowTokens * SHARE[share])));
  const { compact, protect, summary, memoryFlush } = profile;
  const maxTokens = cap(summary.budget.maxTokens, "summary", 1);
  return {
    ...profile,
    windowTokens,
    maxOutputTokens: cap(profile.maxOutputTokens, "output", 1),
    compact: {
      ...compact,
      triggers: compact.triggers.map((trigger) => kindOf(trigger).fitted(trigger, cap)),
      target: fitTarget(compact.target, windowTokens),
    },
    protect: { ...protect, tailTokens: cap(protect.tailTokens, "tail") },
    summary: {
      ...summary,
      maxOutputTokens: cap(summary.maxOutputTokens, "output", 1),
      budget: { ...summary.budget, minTokens: Math.min(summary.budget.minTokens, maxTokens), maxTokens },
    },
    memoryFlush: { ...memoryFlush, softThresholdTokens: cap(memoryFlush.softThresholdTokens, "flush") },
  };
}

/** Adapts settled settings to another window: the kept tokens stay below the threshold. */
export function refitToWindow(settings: Settings, windowTokens: number): Settings {
  if (windowTokens === settings.windowTokens) return settings;
  const fitted = fitToWindow(settings, windowTokens);
  const { compact, protect } = fitted;
  const limit = thresholdTokens(fitted);
  if (limit === undefined) return fitted;
  const isTargetMet = (targetTokensOf(compact.target, fitted) ?? 0) < limit;
  const share = (limit / windowTokens) * SHARE.target;
  const target: Target = isTargetMet ? compact.target : { type: "ratioOfWindow", ratio: share };
  const tailTokens = protect.tailTokens < limit ? protect.tailTokens : Math.floor(limit * SHARE.tail);
  return { ...fitted, compact: { ...compact, target }, protect: { ...protect, tailTokens } };
}

/** The cap is a share: in a window of a few tokens an amount would be rounded to the window itself. */
function fitTarget(target: Target, windowTokens: number): Target {
  const isTooLarge = target.type === "tokens" && target.tokens > windowTokens * SHARE.target;
  return isTooLarge ? { type: "ratioOfWindow", ratio: SHARE.target } : target;
}
