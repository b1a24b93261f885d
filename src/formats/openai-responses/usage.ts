/** Responses usage from a response, a terminal stream event, a token count, or a bare usage object. */

import { isObject } from "../../core/json.ts";
import type { Usage } from "../../core/ports.ts";
import { countOf, findUsage } from "../usage.ts";

export function readUsage(response: unknown): Usage | undefined {
  const inner = isObject(response) && isObject(response.response) ? response.response : response;
  const usage = findUsage(inner, "usage", "input_tokens");
  if (usage === undefined) return undefined;
  return {
    inputTokens: countOf(usage, "input_tokens"),
    // The flat names are those of Codex events.
    cacheReadTokens: countOf(usage.input_tokens_details, "cached_tokens") || countOf(usage, "cached_input_tokens"),
    cacheWriteTokens: countOf(usage.input_tokens_details, "cache_write_tokens"),
    outputTokens: countOf(usage, "output_tokens"),
    reasoningTokens:
      countOf(usage.output_tokens_details, "reasoning_tokens") || countOf(usage, "reasoning_output_tokens"),
  };
}
