/** Claude through `@anthropic-ai/sdk`, or a client of the same shape. Retries are the client's own. */

import { isArray, isObject, type JsonObject, type JsonValue, stringOf } from "../core/json.ts";
import type { ModelDelta } from "../core/model.ts";
import { type AnthropicRequest, anthropicMessages } from "../formats/anthropic-messages.ts";
import { type CompactingModel, createModel, type ModelOptions } from "./model.ts";

/** The part of the client that is used. The bodies are the format's, so the client's own parameter types are not asked. */
export interface AnthropicClient {
  readonly beta: {
    readonly messages: {
      create(body: never, options: { signal: AbortSignal }): PromiseLike<unknown>;
      stream(
        body: never,
        options: { signal: AbortSignal },
      ): AsyncIterable<unknown> & { finalMessage(): Promise<unknown> };
      countTokens(body: never, options: { signal: AbortSignal }): PromiseLike<{ readonly input_tokens: number }>;
    };
  };
}

/**
 * A model of the Anthropic Messages API.
 *
 * @example
 * const model = anthropic(new Anthropic(), "claude-opus-5-5");
 * const { text } = await model.complete({ max_tokens: 1024, messages: [{ role: "user", content: "Fix the build" }] });
 */
export function anthropic(
  client: AnthropicClient,
  model: string,
  options: ModelOptions = {},
): CompactingModel<AnthropicRequest> {
  const { messages } = client.beta;
  const stream = (body: JsonObject, signal: AbortSignal) => streamed(messages.stream(withBetas(body), { signal }));
  const send = (body: JsonObject, signal: AbortSignal) =>
    isLong(body) ? drained(stream(body, signal)) : messages.create(withBetas(body), { signal });
  return createModel({
    id: model,
    format: anthropicMessages,
    options,
    send,
    stream,
    count: async (body, signal) => (await messages.countTokens(withBetas(counted(body)), { signal })).input_tokens,
    stopOf: ({ stop_reason: reason }) => stringOf(reason),
    question: ({ system, prompt, maxOutputTokens }) => ({
      model,
      // Reasoning counts as output, and some models cannot be asked without it.
      max_tokens: maxOutputTokens + REASONING_TOKENS,
      system,
      messages: [{ role: "user", content: prompt }],
    }),
    // A bare list says nothing of how long the answer may be, and no request goes without that.
    native: {
      kind: "anthropic-compact",
      send: (body, signal) => send({ max_tokens: COMPACTION_TOKENS, ...body }, signal),
    },
  });
}

const REASONING_TOKENS = 8_192;
const COMPACTION_TOKENS = 16_384;

/** The client refuses to wait for a longer answer that is not streamed. */
const WHOLE_TOKENS_MAX = 21_333;

function isLong({ max_tokens: maxTokens }: JsonObject): boolean {
  return typeof maxTokens === "number" && maxTokens > WHOLE_TOKENS_MAX;
}

async function drained(deltas: ReturnType<typeof streamed>): Promise<unknown> {
  for (;;) {
    const { done, value } = await deltas.next();
    if (done) return value;
  }
}

async function* streamed(
  stream: ReturnType<AnthropicClient["beta"]["messages"]["stream"]>,
): AsyncGenerator<ModelDelta, unknown, undefined> {
  let isWhole = false;
  for await (const event of stream) {
    isWhole ||= isObject(event) && event.type === "message_stop";
    const delta = isObject(event) && isObject(event.delta) ? event.delta : {};
    if (typeof delta.text === "string") yield { type: "text", text: delta.text };
    if (typeof delta.thinking === "string") yield { type: "reasoning", text: delta.thinking };
  }
  if (!isWhole) return UNFINISHED;
  const message = await stream.finalMessage();
  if (!isObject(message)) return message;
  // The client's helper adds it, and no response has it.
  const { parsed_output: _, ...response } = message;
  return response;
}

/** What came of a stream that broke off. */
const UNFINISHED: JsonObject = { type: "message", role: "assistant", content: [], stop_reason: null };

/** What the endpoint that counts takes of a request. */
const COUNTED: ReadonlySet<string> = new Set([
  "betas",
  "cache_control",
  "compaction",
  "context_management",
  "mcp_servers",
  "messages",
  "model",
  "output_config",
  "speed",
  "system",
  "thinking",
  "tool_choice",
  "tools",
]);

function counted(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([key]) => COUNTED.has(key)));
}

/** The client sends `betas` as a header. A field that needs one is refused without it, so the ones that the body needs are added. */
function withBetas(body: JsonObject): never {
  const given = isArray(body.betas) ? body.betas : [];
  const betas = [...new Set([...given, ...neededBetas(body)])];
  // The client's parameter type knows fewer fields than the API.
  return (betas.length === 0 ? body : { ...body, betas }) as never;
}

const ON_DEMAND = "compact-2026-09-04";
const THRESHOLD = "compact-2026-01-12";
const CLEARING = "context-management-2025-06-27";
const BINDING = "thinking-binding-controls-2026-08-01";

function neededBetas({ compaction, context_management: management, messages, thinking }: JsonObject): string[] {
  const edits = isObject(management) && isArray(management.edits) ? management.edits.map(typeOf) : [];
  const blocks = isArray(messages) ? messages.flatMap(compactionBlocks) : [];
  return [
    ...(isObject(compaction) || blocks.some(({ signature }) => stringOf(signature)) ? [ON_DEMAND] : []),
    ...(edits.some((type) => type.startsWith("compact_")) || blocks.some(({ signature }) => !stringOf(signature))
      ? [THRESHOLD]
      : []),
    ...(edits.some((type) => type.startsWith("clear_")) ? [CLEARING] : []),
    ...(isObject(thinking) && thinking.block_binding !== undefined ? [BINDING] : []),
  ];
}

function compactionBlocks(message: JsonValue): readonly JsonObject[] {
  const content = isObject(message) && isArray(message.content) ? message.content : [];
  return content.filter(isObject).filter((block) => block.type === "compaction");
}

function typeOf(edit: JsonValue): string {
  return (isObject(edit) ? stringOf(edit.type) : undefined) ?? "";
}
