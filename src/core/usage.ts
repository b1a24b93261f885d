/** Reads token usage, and adds up that of several calls. Pure arithmetic. */

import { isArray, isObject, type JsonObject, numberOf } from "./json.ts";
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

/** The sum of the known ones; undefined when none is known. */
export function totalUsage(usages: readonly (Usage | undefined)[]): Usage | undefined {
  return usages.reduce(
    (sum, usage) => (sum === undefined || usage === undefined ? (sum ?? usage) : sumUsage(sum, usage)),
    undefined,
  );
}

/** Usage from a function of the caller's, which may be any value: a missing count is 0; undefined where all are missing. */
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

export function readUsage(response: unknown): Usage | undefined {
  if (isArray(response)) return response.map(readUsage).findLast((usage) => usage !== undefined);
  if (!isObject(response)) return undefined;
  // Events, and an earlier Gemini SDK, hold the response in a field.
  for (const holder of [response, response.message, response.response]) {
    const usage = usageObject(holder);
    if (usage !== undefined) return Object.values(usage).some(isNumber) ? countsOf(usage) : undefined;
  }
  return BARE_FIELDS.some((field) => isNumber(response[field])) ? countsOf(response) : undefined;
}

/** The object with the counts; undefined where the response has none. */
export function usageObject(response: unknown): JsonObject | undefined {
  if (!isObject(response)) return undefined;
  return [response.usage, response.usageMetadata, response.usage_metadata].find(isObject);
}

/** A bare usage object has one of these fields. */
const BARE_FIELDS = ["input_tokens", "prompt_tokens", "promptTokenCount", "prompt_token_count"];

export function countsOf(usage: JsonObject): Usage {
  const { iterations, input_tokens_details: inputDetails } = usage;
  // With its own tools or compaction, Anthropic samples a request several times. The last answer shows what the window held.
  const answers = isArray(iterations) ? iterations.filter(isObject).filter(({ type }) => type === "message") : [];
  const input = reader(answers.at(-1) ?? usage);
  const all = reader(usage);
  // Anthropic and pi count cached input apart; all others include it.
  const cachedApart = isObject(inputDetails)
    ? 0
    : input("cache_read_input_tokens") + input("cache_creation_input_tokens");
  // Gemini counts thoughts beside the answer.
  const thoughtTokens = all("thoughtsTokenCount", "thoughts_token_count", "thoughts");
  return {
    inputTokens:
      all("prompt_tokens") ||
      // The results of Gemini's built-in tools are input too, and the prompt count does not include them.
      all("promptTokenCount", "prompt_token_count") + all("toolUsePromptTokenCount", "tool_use_prompt_token_count") ||
      input("input_tokens") + cachedApart ||
      all("input") + all("cacheRead") + all("cacheWrite") + all("tool"),
    cacheReadTokens: input(
      ...["prompt_tokens_details.cached_tokens", "input_tokens_details.cached_tokens", "prompt_cache_hit_tokens"],
      ...["cached_input_tokens", "cache_read_input_tokens", "cached_tokens"],
      ...["cachedContentTokenCount", "cached_content_token_count", "cacheRead", "cached"],
    ),
    cacheWriteTokens: input(
      ...["prompt_tokens_details.cache_write_tokens", "input_tokens_details.cache_write_tokens"],
      ...["cache_creation_input_tokens", "cache_write_input_tokens", "cacheWrite"],
    ),
    outputTokens:
      thoughtTokens +
      all(
        ...["completion_tokens", "output_tokens", "output", "candidatesTokenCount", "candidates_token_count"],
        // Gemini's Live API.
        ...["responseTokenCount", "response_token_count"],
      ),
    reasoningTokens:
      thoughtTokens ||
      all(
        ...["output_tokens_details.thinking_tokens", "output_tokens_details.reasoning_tokens"],
        ...["completion_tokens_details.reasoning_tokens", "reasoning_output_tokens"],
      ),
  };
}

/** Reads the first of several fields that holds a count. A dot leads into an object. */
function reader(usage: JsonObject): (...fields: readonly string[]) => number {
  return (...fields) => {
    for (const field of fields) {
      const [group = "", inner] = field.split(".");
      const value = usage[group];
      const count = numberOf(inner === undefined ? value : isObject(value) ? value[inner] : undefined) ?? 0;
      if (count > 0) return count;
    }
    return 0;
  };
}

function isNumber(value: unknown): boolean {
  return numberOf(value) !== undefined;
}
