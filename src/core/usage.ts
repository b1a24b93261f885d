/** Token usage of several calls as one. Pure arithmetic. */

import { isObject, numberOf } from "./json.ts";
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
  return usages.reduce(
    (sum, usage) => (sum === undefined || usage === undefined ? (sum ?? usage) : sumUsage(sum, usage)),
    undefined,
  );
}

/** What a function from outside says it used, which may be anything: a count that is missing is 0, and without any nothing was said. */
export function saidUsage(said: unknown): Usage | undefined {
  if (!isObject(said)) return undefined;
  let isSaid = false;
  const count = (key: keyof Usage): number => {
    const value = numberOf(said[key]);
    isSaid ||= value !== undefined;
    return Math.max(0, value ?? 0);
  };
  const usage: Usage = {
    inputTokens: count("inputTokens"),
    cacheReadTokens: count("cacheReadTokens"),
    cacheWriteTokens: count("cacheWriteTokens"),
    outputTokens: count("outputTokens"),
    reasoningTokens: count("reasoningTokens"),
  };
  return isSaid ? usage : undefined;
}
