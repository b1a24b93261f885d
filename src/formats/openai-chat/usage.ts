/** Chat usage from a response, the last chunk of a stream, or a bare usage object. Compatible servers name the cache differently. */

import { type JsonObject, numberOf } from "../../core/json.ts";
import type { Usage } from "../../core/ports.ts";
import { countOf, findUsage } from "../usage.ts";

export function readUsage(response: unknown): Usage | undefined {
  const usage = findUsage(response, "usage", "prompt_tokens");
  if (usage === undefined) return undefined;
  return {
    inputTokens: countOf(usage, "prompt_tokens"),
    cacheReadTokens:
      countOf(usage.prompt_tokens_details, "cached_tokens") ||
      firstCount(usage, ["prompt_cache_hit_tokens", "cache_read_input_tokens", "cached_tokens"]),
    cacheWriteTokens:
      countOf(usage.prompt_tokens_details, "cache_write_tokens") || firstCount(usage, ["cache_creation_input_tokens"]),
    outputTokens: countOf(usage, "completion_tokens"),
    reasoningTokens: countOf(usage.completion_tokens_details, "reasoning_tokens"),
  };
}

function firstCount(usage: JsonObject, keys: readonly string[]): number {
  const key = keys.find((name) => numberOf(usage[name]) !== undefined);
  return key === undefined ? 0 : countOf(usage, key);
}
