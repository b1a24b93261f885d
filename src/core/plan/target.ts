/** What a pass aims below, in tokens. */

import type { Settings, Target } from "../settings/settings.ts";
import { shareOf } from "./share-of.ts";
import { type ContextSize, thresholdTokens } from "./trigger.ts";

/** What the target is in tokens, not rounded; undefined where there is none, or none before a trigger fires. */
export function targetTokensOf(target: Target, settings: Settings): number | undefined {
  switch (target.type) {
    case "none":
      return undefined;
    case "tokens":
      return target.tokens;
    case "ratioOfWindow":
      return shareOf(settings.windowTokens, target.ratio);
    case "ratioOfThreshold": {
      const threshold = thresholdTokens(settings);
      return threshold === undefined ? undefined : shareOf(threshold, target.ratio);
    }
    default:
      return target satisfies never;
  }
}

/**
 * The same for a whole request, in whole tokens: an amount, and a share of a limit, count what the triggers count, so what these
 * leave out comes on top; a share of the window counts all that is sent.
 */
export function targetOfRequest(settings: Settings, outside: Omit<ContextSize, "messagesTokens">): number | undefined {
  const { compact, count, windowTokens } = settings;
  const tokens = targetTokensOf(compact.target, settings);
  if (tokens === undefined || compact.target.type === "ratioOfWindow") return wholeTokens(tokens);
  const uncounted = (count.system ? 0 : outside.systemTokens) + (count.tools ? 0 : outside.toolsTokens);
  return Math.min(windowTokens, Math.floor(tokens) + uncounted);
}

function wholeTokens(tokens: number | undefined): number | undefined {
  return tokens === undefined ? undefined : Math.floor(tokens);
}
