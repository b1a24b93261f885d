/**
 * What a language model of the AI SDK returns, as a response of the Anthropic Messages form. What that form has no place for (metadata, files)
 * is kept in fields of its own and sent back as it was. Pure.
 */

import { isArray, isObject, type JsonObject, type JsonValue, numberOf, stringOf } from "../core/json.ts";

/** The fields in which a block keeps what only the AI SDK knows: a part's metadata, or a whole part. */
export const METADATA_KEY = "provider_options";
export const PART_TYPE = "ai_sdk_part";
/** Stands for a signature, without which reasoning is not kept, where the metadata has what the provider wants to see again. */
export const SIGNED_ELSEWHERE = "see provider_options";

export function answerOf(result: unknown, modelId: string): JsonObject {
  const { content, finishReason, usage, response }: JsonObject = isObject(result) ? result : {};
  const { id, modelId: answeredBy }: JsonObject = isObject(response) ? response : {};
  const reason = isObject(finishReason) ? finishReason : {};
  const unified = stringOf(reason.unified);
  if (unified === "error") throw new TypeError(`the model ended with an error (${stringOf(reason.raw) ?? ""})`);
  return {
    id: stringOf(id) ?? "",
    type: "message",
    role: "assistant",
    model: stringOf(answeredBy) ?? modelId,
    content: isArray(content) ? content.filter(isObject).flatMap(blockOf) : [],
    // Null, as in an answer that has not ended, where the stream broke off or nobody said why it ended.
    stop_reason: STOP_REASONS.get(unified ?? "") ?? (unified === "interrupted" ? null : (stringOf(reason.raw) ?? null)),
    stop_sequence: null,
    usage: usageOf(isObject(usage) ? usage : {}),
  };
}

const STOP_REASONS: ReadonlyMap<string, string> = new Map([
  ["stop", "end_turn"],
  ["length", "max_tokens"],
  ["tool-calls", "tool_use"],
  ["content-filter", "refusal"],
]);

function usageOf({ inputTokens, outputTokens }: JsonObject): JsonObject {
  const input = isObject(inputTokens) ? inputTokens : {};
  const output = isObject(outputTokens) ? outputTokens : {};
  const [read, written] = [numberOf(input.cacheRead) ?? 0, numberOf(input.cacheWrite) ?? 0];
  const uncached = numberOf(input.noCache) ?? Math.max(0, (numberOf(input.total) ?? 0) - read - written);
  return {
    input_tokens: uncached,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
    output_tokens: numberOf(output.total) ?? 0,
    output_tokens_details: { thinking_tokens: numberOf(output.reasoning) ?? 0 },
  };
}

function blockOf(part: JsonObject): readonly JsonObject[] {
  const { type, providerMetadata } = part;
  const kept = isObject(providerMetadata) ? { [METADATA_KEY]: providerMetadata } : {};
  // Sources and requests for an approval are for the application; the AI SDK does not send them back either.
  if (type === "source" || type === "tool-approval-request") return [];
  if (type === "text") {
    // An empty text may carry a signature.
    return part.text === ""
      ? isObject(providerMetadata)
        ? [wholePart(part)]
        : []
      : [{ type, text: part.text, ...kept }];
  }
  if (type === "reasoning") {
    return [
      { type: "thinking", thinking: stringOf(part.text) ?? "", signature: signatureOf(providerMetadata), ...kept },
    ];
  }
  if (type !== "tool-call" || part.providerExecuted === true) return [wholePart(part)];
  return [{ type: "tool_use", id: part.toolCallId, name: part.toolName, input: parsed(part.input), ...kept }];
}

function wholePart(part: JsonObject): JsonObject {
  return { type: PART_TYPE, part };
}

function signatureOf(metadata: JsonValue | undefined): string {
  const anthropic = isObject(metadata) ? metadata.anthropic : undefined;
  return (isObject(anthropic) ? stringOf(anthropic.signature) : undefined) ?? SIGNED_ELSEWHERE;
}

/** Arguments come as JSON text, and as an empty one where there are none. Those that are no object stay a text under a name. */
export function parsed(input: JsonValue | undefined): JsonValue {
  if (typeof input !== "string") return input ?? {};
  if (input.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(input);
    return isObject(value) ? value : { input };
  } catch {
    return { input };
  }
}
