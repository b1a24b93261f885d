/** Chat Completions through `openai`, or a client of the same shape, of OpenAI or a compatible server. Retries are the client's own. */

import {
  copyJson,
  isArray,
  isObject,
  type JsonArray,
  type JsonObject,
  type JsonValue,
  stringOf,
} from "../core/json.ts";
import type { ModelDelta } from "../core/model.ts";
import { openaiChat as format, type OpenaiChatRequest } from "../formats/openai-chat.ts";
import { type CompactingModel, createModel, type ModelOptions } from "./model.ts";

/** The part of the client that is used. The bodies are the format's, so the client's own parameter types are not asked. */
export interface ChatClient {
  readonly chat: {
    readonly completions: { create(body: never, options: { signal: AbortSignal }): PromiseLike<unknown> };
  };
}

/**
 * A model of the Chat Completions API. It has no endpoint that counts tokens and no compaction of its own: `compact` makes a summary.
 *
 * @example
 * const model = openaiChat(new OpenAI(), "gpt-5.2");
 * const { text } = await model.complete({ messages: [{ role: "user", content: "Fix the build" }] });
 */
export function openaiChat(
  client: ChatClient,
  model: string,
  options: ModelOptions = {},
): CompactingModel<OpenaiChatRequest> {
  const { completions } = client.chat;
  return createModel({
    id: model,
    format,
    options,
    send: (body, signal) => completions.create(params(body), { signal }),
    stream: (body, signal) => {
      // Without it there is no usage in a stream.
      const streaming = { ...body, stream: true, stream_options: { include_usage: true } };
      return streamed(completions.create(params(streaming), { signal }));
    },
    stopOf,
    question: ({ system, prompt, maxOutputTokens }) => ({
      model,
      messages: [
        { role: "system", content: system },
        { role: "user", content: prompt },
      ],
      max_completion_tokens: maxOutputTokens,
    }),
  });
}

/** The client's parameter type knows fewer fields than the API. */
function params(body: JsonObject): never {
  return body as never;
}

function stopOf({ choices }: JsonObject): string | undefined {
  const choice = isArray(choices) ? choices[0] : undefined;
  if (!isObject(choice)) return "other";
  const { message, finish_reason: reason } = choice;
  return isObject(message) && stringOf(message.refusal) ? "refusal" : stringOf(reason);
}

/** The client's own helper keeps only the last piece of fields that it does not know, such as the reasoning of compatible servers. */
async function* streamed(opened: PromiseLike<unknown>): AsyncGenerator<ModelDelta, unknown, undefined> {
  const whole: Accumulated = {};
  // With `stream: true` the client resolves with a stream of chunks.
  for await (const chunk of (await opened) as AsyncIterable<unknown>) {
    if (!isObject(chunk)) continue;
    const { obfuscation: _, ...rest } = chunk;
    add(whole, rest);
    yield* deltasOf(chunk);
  }
  const choices = isArray(whole.choices) ? whole.choices.filter(isObject).map(completed) : [];
  return { ...whole, object: "chat.completion", choices };
}

function* deltasOf({ choices }: JsonObject): Generator<ModelDelta> {
  const first = isArray(choices) ? choices[0] : undefined;
  const delta = isObject(first) && isObject(first.delta) ? first.delta : {};
  const reasoning = stringOf(delta.reasoning_content) ?? stringOf(delta.reasoning);
  if (reasoning !== undefined) yield { type: "reasoning", text: reasoning };
  const text = stringOf(delta.content) ?? stringOf(delta.refusal);
  if (text !== undefined) yield { type: "text", text };
}

/** A choice as it is in a whole completion: the message under its name, and calls without their place in the stream. */
function completed({ delta, ...choice }: JsonObject): JsonObject {
  const { tool_calls: calls, ...message } = isObject(delta) ? delta : {};
  const plain = isArray(calls) ? calls.filter(isObject).map(({ index: _, ...call }) => call) : [];
  // A stream begins with an empty text where a whole message that only calls has null.
  const { content = null } = message;
  const said = content === "" && plain.length > 0 ? null : content;
  return {
    finish_reason: null,
    ...choice,
    message: { ...message, content: said, ...(plain.length > 0 && { tool_calls: plain }) },
  };
}

/** Fields that come whole, even if a server repeats them in every chunk. All other texts come in pieces. */
const WHOLE: ReadonlySet<string> = new Set([
  ...["id", "object", "model", "type", "role", "name", "format", "signature", "finish_reason"],
  ...["service_tier", "system_fingerprint"],
]);

/** Adds a piece to what came before, which is changed in place: a copy for every piece would take long for a long answer. */
function add(whole: Accumulated, piece: JsonObject): void {
  for (const [key, value] of Object.entries(piece)) {
    const before = whole[key];
    if (value === undefined || (value === null && before !== undefined)) continue;
    if (typeof before === "string" && typeof value === "string" && !WHOLE.has(key)) whole[key] = before + value;
    else if (isArray(before) && isArray(value)) addElements(before as JsonValue[], value);
    else if (isObject(before) && isObject(value)) add(before, value);
    else whole[key] = copyJson(value);
  }
}

type Accumulated = Record<string, JsonValue | undefined>;

/** Elements with an index continue the one with the same index; others are added. */
function addElements(list: JsonValue[], pieces: JsonArray): void {
  for (const piece of pieces) {
    const index = isObject(piece) ? piece.index : undefined;
    const before =
      index === undefined ? undefined : list.findLast((element) => isObject(element) && element.index === index);
    if (isObject(before) && isObject(piece)) add(before, piece);
    else list.push(copyJson(piece));
  }
}
