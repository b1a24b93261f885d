/** Token usage of several calls as one. Pure arithmetic. */

import type { Usage } from "./ports.ts";

export function sumUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
  };
}

/** Of those that are known; undefined when none is. */
export function totalUsage(usages: readonly (Usage | undefined)[]): Usage | undefined {
  return usages.reduce((sum, usage) =>
    sum === undefined || usage === undefined ? (sum ?? usage) : sumUsage(sum, usage),
  );
}
