/** How many tokens a model makes of a text beside those that the estimate was fitted to, as far as its name tells. Facts only; what usage teaches goes on top. */

import { isClaude, isKnownBefore, SINCE_OPUS_4_7 } from "../claude-models.ts";

/** Anthropic's documentation: "roughly 30 % more" than with the Claude models before, whose counts the estimate meets. */
const NEW_CLAUDE_FACTOR = 1.3;

/** 1 for a model that is not named, or of which nothing is known. */
export function textFactor(model = ""): number {
  return isClaude(model) && !isKnownBefore(SINCE_OPUS_4_7, model) ? NEW_CLAUDE_FACTOR : 1;
}
