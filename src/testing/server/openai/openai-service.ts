/** What OpenAI's two APIs share: keys, errors, limits, the prompt cache. */

import { isObject, type JsonObject, stringOf } from "../../../core/json.ts";
import type { CachePolicy } from "../prompt-cache.ts";
import type { AnswerUsage, FailureName, ProviderCall, Refusal } from "../provider-api.ts";

export function checkKey({ headers }: ProviderCall): Refusal | undefined {
  // Azure has a header of its own.
  if (headers.authorization !== undefined || headers["api-key"] !== undefined) return undefined;
  return { status: 401, message: "You didn't provide an API key." };
}

export function checkParameters(body: JsonObject, known: ReadonlySet<string>): Refusal | undefined {
  if (typeof body.model !== "string") {
    return { status: 400, message: "you must provide a model parameter", param: "model" };
  }
  const unknown = Object.keys(body).find((key) => !known.has(key));
  if (unknown === undefined) return undefined;
  return { status: 400, message: `Unknown parameter: '${unknown}'.`, code: "unknown_parameter", param: unknown };
}

export function writeError({ status, message, code, param }: Refusal): JsonObject {
  const type = status === 429 ? "tokens" : status >= 500 ? "server_error" : "invalid_request_error";
  return { error: { message, type, param: param ?? null, code: code ?? null } };
}

export const failures: Readonly<Record<FailureName, Refusal>> = {
  "rate-limit": {
    status: 429,
    code: "rate_limit_exceeded",
    message: "Rate limit reached on tokens per min (TPM): Limit 400000, Used 399000, Requested 2000.",
  },
  "server-error": { status: 500, message: "The server had an error while processing your request. Sorry about that!" },
  overloaded: { status: 503, message: "The engine is currently overloaded, please try again later" },
  "body-too-large": { status: 413, message: "Request entity too large" },
  "invalid-json": { status: 400, message: "We could not parse the JSON body of your request." },
};

export function unknownModel(model: string): Refusal {
  const message = `The model \`${model}\` does not exist or you do not have access to it.`;
  return { status: 404, message, code: "model_not_found" };
}

export function cachePolicy(model: string): CachePolicy {
  const [, major = "0", minor = "0"] = /gpt-(\d+)(?:\.(\d+))?/.exec(model) ?? [];
  const isNew = Number(major) > 5 || (Number(major) === 5 && Number(minor) >= 6);
  return { minimumTokens: 1_024, entries: "everywhere", reportsWrites: isNew, lifetimeMs: 1_800_000 };
}

/** Requests find each other's prefixes by this key. */
export function cacheKeyOf({ prompt_cache_key: key }: JsonObject): { readonly cacheKey: string } {
  return { cacheKey: stringOf(key) ?? "" };
}

/** In the spelling of either API; cached tokens are part of the input. */
export function usageOf(usage: AnswerUsage, [input, output]: readonly [input: string, output: string]): JsonObject {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage;
  return {
    [`${input}_tokens`]: inputTokens,
    [`${input}_tokens_details`]: { cached_tokens: cacheReadTokens, cache_write_tokens: cacheWriteTokens },
    [`${output}_tokens`]: outputTokens,
    [`${output}_tokens_details`]: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  };
}

/** The body that a conversation was decoded from. */
export function bodyOf(json: unknown): JsonObject {
  return isObject(json) ? json : {};
}
