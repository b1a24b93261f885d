/** Token usage as the recorders wrote it, brought to one form. Returns undefined where nothing was counted. */

import { isArray, isObject, type JsonObject, numberOf } from "../core/json.ts";
import type { Usage } from "../core/ports.ts";

/** Usage of a provider's response, found by its own field names: Anthropic, Chat, Responses or Gemini. */
export function usageOfResponse(response: unknown): Usage | undefined {
  if (!isObject(response)) return undefined;
  const usage = response.usage ?? response.usageMetadata ?? response.usage_metadata;
  if (!isObject(usage)) return undefined;
  if ((usage.promptTokenCount ?? usage.prompt_token_count) !== undefined) return geminiUsage(usage);
  if (usage.prompt_tokens !== undefined) return chatUsage(usage);
  return isResponses(usage) ? responsesUsage(usage) : anthropicUsage(usage);
}

/** Both say `output_tokens_details`; what they call inside it, and how they count the cache, differs. */
function isResponses(usage: JsonObject): boolean {
  if (usage.cache_read_input_tokens !== undefined || usage.cache_creation_input_tokens !== undefined) return false;
  if (isObject(usage.input_tokens_details) || usage.total_tokens !== undefined) return true;
  return detail(usage, "output_tokens_details", "reasoning_tokens") !== undefined;
}

/** Anthropic counts uncached, cached and newly cached input apart. */
export function anthropicUsage(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const input = lastIteration(usage) ?? usage;
  const cacheReadTokens = count(input.cache_read_input_tokens);
  const cacheWriteTokens = count(input.cache_creation_input_tokens);
  return settled({
    inputTokens: count(input.input_tokens) + cacheReadTokens + cacheWriteTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: count(usage.output_tokens),
    reasoningTokens: count(detail(usage, "output_tokens_details", "thinking_tokens")),
  });
}

/** A request that was sampled several times is billed the sum; what stood in the window is what the last answer was made from. */
function lastIteration({ iterations }: JsonObject): JsonObject | undefined {
  return isArray(iterations)
    ? iterations.filter(isObject).findLast((iteration) => iteration.type === "message")
    : undefined;
}

/** pi: `{input, output, cacheRead, cacheWrite}`, counted apart like Anthropic's. */
export function piUsage(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const cacheReadTokens = count(usage.cacheRead);
  const cacheWriteTokens = count(usage.cacheWrite);
  return settled({
    inputTokens: count(usage.input) + cacheReadTokens + cacheWriteTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: count(usage.output),
    reasoningTokens: 0,
  });
}

/** Codex `last_token_usage`: input includes what was cached. */
export function codexUsage(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  return settled({
    inputTokens: count(usage.input_tokens),
    cacheReadTokens: count(usage.cached_input_tokens),
    cacheWriteTokens: count(usage.cache_write_input_tokens),
    outputTokens: count(usage.output_tokens),
    reasoningTokens: count(usage.reasoning_output_tokens),
  });
}

/** Gemini CLI `tokens`: input includes what was cached, output leaves thoughts out. */
export function geminiCliUsage(tokens: unknown): Usage | undefined {
  if (!isObject(tokens)) return undefined;
  const reasoningTokens = count(tokens.thoughts);
  return settled({
    inputTokens: count(tokens.input) + count(tokens.tool),
    cacheReadTokens: count(tokens.cached),
    cacheWriteTokens: 0,
    outputTokens: count(tokens.output) + reasoningTokens,
    reasoningTokens,
  });
}

function chatUsage(usage: JsonObject): Usage | undefined {
  return settled({
    inputTokens: count(usage.prompt_tokens),
    cacheReadTokens: count(detail(usage, "prompt_tokens_details", "cached_tokens")),
    cacheWriteTokens: count(detail(usage, "prompt_tokens_details", "cache_write_tokens")),
    outputTokens: count(usage.completion_tokens),
    reasoningTokens: count(detail(usage, "completion_tokens_details", "reasoning_tokens")),
  });
}

function responsesUsage(usage: JsonObject): Usage | undefined {
  return settled({
    inputTokens: count(usage.input_tokens),
    cacheReadTokens: count(detail(usage, "input_tokens_details", "cached_tokens")),
    cacheWriteTokens: count(detail(usage, "input_tokens_details", "cache_write_tokens")),
    outputTokens: count(usage.output_tokens),
    reasoningTokens: count(detail(usage, "output_tokens_details", "reasoning_tokens")),
  });
}

/** The Python SDK spells the fields with underscores. */
function geminiUsage(usage: JsonObject): Usage | undefined {
  const reasoningTokens = count(usage.thoughtsTokenCount ?? usage.thoughts_token_count);
  const toolTokens = count(usage.toolUsePromptTokenCount ?? usage.tool_use_prompt_token_count);
  return settled({
    inputTokens: count(usage.promptTokenCount ?? usage.prompt_token_count) + toolTokens,
    cacheReadTokens: count(usage.cachedContentTokenCount ?? usage.cached_content_token_count),
    cacheWriteTokens: 0,
    outputTokens: count(usage.candidatesTokenCount ?? usage.candidates_token_count) + reasoningTokens,
    reasoningTokens,
  });
}

function detail(usage: JsonObject, group: string, field: string): unknown {
  const details = usage[group];
  return isObject(details) ? details[field] : undefined;
}

function count(value: unknown): number {
  return Math.max(0, numberOf(value) ?? 0);
}

/** A call that was aborted, or whose usage was never filled in, is recorded without input; that is no usage. */
function settled(usage: Usage): Usage | undefined {
  return usage.inputTokens === 0 ? undefined : usage;
}
