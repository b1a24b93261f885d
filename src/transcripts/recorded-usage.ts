/** Token usage as the recorders wrote it, brought to one form. Returns undefined where nothing was counted. */

import { isObject, type JsonObject, numberOf } from "../core/json.ts";
import type { Usage } from "../core/ports.ts";

/** Usage of a provider's response, found by its own field names: Anthropic, Chat, Responses or Gemini. */
export function usageOfResponse(response: unknown): Usage | undefined {
  if (!isObject(response)) return undefined;
  const usage = response.usage ?? response.usageMetadata ?? response.usage_metadata;
  if (!isObject(usage)) return undefined;
  if (usage.promptTokenCount !== undefined) return geminiUsage(usage);
  if (usage.prompt_tokens !== undefined) return chatUsage(usage);
  const isResponses = isObject(usage.input_tokens_details) || isObject(usage.output_tokens_details);
  return isResponses ? responsesUsage(usage) : anthropicUsage(usage);
}

/** Anthropic counts uncached, cached and newly cached input apart. */
export function anthropicUsage(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const cacheReadTokens = count(usage.cache_read_input_tokens);
  const cacheWriteTokens = count(usage.cache_creation_input_tokens);
  return settled({
    inputTokens: count(usage.input_tokens) + cacheReadTokens + cacheWriteTokens,
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: count(usage.output_tokens),
    reasoningTokens: 0,
  });
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
    cacheWriteTokens: 0,
    outputTokens: count(usage.completion_tokens),
    reasoningTokens: count(detail(usage, "completion_tokens_details", "reasoning_tokens")),
  });
}

function responsesUsage(usage: JsonObject): Usage | undefined {
  return settled({
    inputTokens: count(usage.input_tokens),
    cacheReadTokens: count(detail(usage, "input_tokens_details", "cached_tokens")),
    cacheWriteTokens: 0,
    outputTokens: count(usage.output_tokens),
    reasoningTokens: count(detail(usage, "output_tokens_details", "reasoning_tokens")),
  });
}

function geminiUsage(usage: JsonObject): Usage | undefined {
  const reasoningTokens = count(usage.thoughtsTokenCount);
  return settled({
    inputTokens: count(usage.promptTokenCount) + count(usage.toolUsePromptTokenCount),
    cacheReadTokens: count(usage.cachedContentTokenCount),
    cacheWriteTokens: 0,
    outputTokens: count(usage.candidatesTokenCount) + reasoningTokens,
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
