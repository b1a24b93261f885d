/**
 * Any language model of the AI SDK (specification v4). Conversations have the Anthropic Messages form, which has a place for everything that
 * such a model takes and returns; they are never sent in it. These models do not retry, so it is done here.
 */

import { CompactionError } from "../core/errors.ts";
import { isObject, type JsonArray, type JsonObject, stringOf } from "../core/json.ts";
import type { ModelDelta } from "../core/model.ts";
import { type AnthropicRequest, anthropicMessages as format } from "../formats/anthropic-messages.ts";
import { CLIENT_RETRY, delayBefore, isOverflowError, isTransient } from "../retry.ts";
import { answerOf } from "./ai-sdk-answer.ts";
import { callOptions } from "./ai-sdk-prompt.ts";
import { type CompactingModel, createModel, type ModelOptions } from "./model.ts";

/** The part of a language model that is used. */
export interface AiSdkModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
  doStream(options: never): PromiseLike<{ readonly stream: ReadableStream<unknown> }>;
}

/**
 * A model of the AI SDK.
 *
 * @example
 * const model = aiSdk(createMistral()("mistral-large-latest"));
 * const { text } = await model.complete({ max_tokens: 1024, messages: [{ role: "user", content: "Fix the build" }] });
 */
export function aiSdk(languageModel: AiSdkModel, options: ModelOptions = {}): CompactingModel<AnthropicRequest> {
  const { modelId, specificationVersion } = languageModel;
  if (specificationVersion !== "v4") {
    const message = `aiSdk takes models of the specification v4 (AI SDK 7), not ${specificationVersion}.`;
    throw new CompactionError("invalid-settings", message);
  }
  return createModel({
    id: modelId,
    format,
    options,
    send: async (body, signal) => {
      const asked = callOptions(body, signal);
      return answerOf(await retried(() => languageModel.doGenerate(asked), signal), modelId);
    },
    stream: (body, signal) => {
      const asked = callOptions(body, signal);
      return streamed(() => retried(() => languageModel.doStream(asked), signal), modelId);
    },
    stopOf: ({ stop_reason: reason }) => stringOf(reason),
    question: ({ system, prompt, maxOutputTokens }) => ({
      model: modelId,
      max_tokens: maxOutputTokens,
      system,
      messages: [{ role: "user", content: prompt }],
    }),
  });
}

async function retried<Value>(call: () => PromiseLike<Value>, signal: AbortSignal): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const isFinal = attempt >= CLIENT_RETRY.maxAttempts || signal.aborted;
      if (isFinal || isOverflowError(error) || !isTransient(error)) throw error;
      await CLIENT_RETRY.sleep(delayBefore(attempt + 1, CLIENT_RETRY, error), signal);
    }
  }
}

async function* streamed(
  open: () => Promise<{ readonly stream: ReadableStream<unknown> }>,
  modelId: string,
): AsyncGenerator<ModelDelta, unknown, undefined> {
  const content: JsonObject[] = [];
  let result: JsonObject = {};
  const { stream } = await open();
  for await (const part of stream) {
    if (!isObject(part)) continue;
    const { type } = part;
    if (type === "error") throw part.error;
    if (type === "response-metadata") result = { ...result, response: part };
    else if (type === "finish") result = { ...result, usage: part.usage, finishReason: part.finishReason };
    else addPart(content, part);
    if (type === "text-delta" || type === "reasoning-delta") {
      yield { type: type === "text-delta" ? "text" : "reasoning", text: stringOf(part.delta) ?? "" };
    }
  }
  return answerOf({ ...result, content: content.map(({ id: _, ...whole }) => whole) as JsonArray }, modelId);
}

/** Texts come in pieces with an id; everything else comes whole, after pieces of it that are not needed. */
function addPart(content: JsonObject[], part: JsonObject): void {
  const [kind = "", phase] = (stringOf(part.type) ?? "").split(/-(start|delta|end)$/);
  const isText = kind === "text" || kind === "reasoning";
  if (isText && phase === "start") content.push({ ...part, type: kind, text: "" });
  else if (isText) {
    const at = content.findLastIndex(({ type, id }) => type === kind && id === part.id);
    const before = content[at];
    if (before === undefined) return;
    const { providerMetadata = before.providerMetadata } = part;
    const text = `${stringOf(before.text) ?? ""}${stringOf(part.delta) ?? ""}`;
    content[at] = { ...before, text, ...(providerMetadata !== undefined && { providerMetadata }) };
  } else if (WHOLE.has(kind)) content.push(part);
}

const WHOLE: ReadonlySet<string> = new Set(["tool-call", "tool-result", "custom", "file", "reasoning-file"]);
