/** Token usage of a Gemini response, a streamed chunk, the array that streaming without SSE gives, or a bare usage. */

import { isArray, isObject, type JsonObject, numberOf } from "../../core/json.ts";
import type { Usage } from "../../core/ports.ts";
import { saysNumber } from "../usage.ts";
import { unwrapped } from "./reply.ts";
import { type Field, fieldOf, objectOf } from "./spelling.ts";

export function readUsage(response: unknown): Usage | undefined {
  const usage = findUsage(response);
  if (usage === undefined) return undefined;
  const count = (field: Field): number => Math.max(0, numberOf(fieldOf(usage, field)) ?? 0);
  const reasoningTokens = count("thoughtsTokenCount");
  return {
    // What built-in tools returned is fed back to the model as input, billed as such, and not part of the prompt count.
    inputTokens: count("promptTokenCount") + count("toolUsePromptTokenCount"),
    cacheReadTokens: count("cachedContentTokenCount"),
    // Implicit caches are written for free and explicit ones by another request: no response reports a write.
    cacheWriteTokens: 0,
    // Thoughts are counted beside the candidates; the Live API says `response` for `candidates`.
    outputTokens: (count("candidatesTokenCount") || count("responseTokenCount")) + reasoningTokens,
    reasoningTokens,
  };
}

function findUsage(response: unknown): JsonObject | undefined {
  if (isArray(response)) return response.map(findUsage).findLast((usage) => usage !== undefined);
  if (!isObject(response)) return undefined;
  const inner = objectOf(unwrapped(response), "usageMetadata");
  if (inner !== undefined) return saysNumber(inner) ? inner : undefined;
  return numberOf(fieldOf(response, "promptTokenCount")) === undefined ? undefined : response;
}
