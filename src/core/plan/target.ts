/** What a pass aims below, in tokens (C10). */

import type { Settings, Target } from "../settings/settings.ts";
import { shareOf } from "./share-of.ts";
import { thresholdTokens } from "./trigger.ts";

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
