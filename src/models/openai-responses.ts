/** OpenAI's Responses API through `openai`, or a client of the same shape. Retries are the client's own. */

import { isArray, isObject, type JsonObject, type JsonValue, stringOf } from "../core/json.ts";
import type { ModelDelta } from "../core/model.ts";
import { openaiResponses as format, type OpenaiResponsesRequest } from "../formats/openai-responses.ts";
import { type CompactingModel, createModel, type ModelOptions } from "./model.ts";

/** The part of the client that is used. The bodies are the format's, so the client's own parameter types are not asked. */
export interface ResponsesClient {
  readonly responses: {
    create(body: never, options: { signal: AbortSignal }): PromiseLike<unknown>;
    compact(body: never, options: { signal: AbortSignal }): PromiseLike<unknown>;
    readonly inputTokens: {
      count(body: never, options: { signal: AbortSignal }): PromiseLike<{ readonly input_tokens: number }>;
    };
  };
}

export interface ResponsesOptions extends ModelOptions {
  /**
   * How the provider is asked to compact: `endpoint` is `/responses/compact`, which repeats the users' messages; `trigger` is an ordinary
   * request that ends with a trigger item, and reads what it compacts from the prompt cache. Default: `endpoint`.
   */
  readonly compaction?: "endpoint" | "trigger";
}

/**
 * A model of the OpenAI Responses API.
 *
 * @example
 * const model = openaiResponses(new OpenAI(), "gpt-6-sol");
 * const { text } = await model.complete({ input: [{ role: "user", content: "Fix the build" }], store: false });
 */
export function openaiResponses(
  client: ResponsesClient,
  model: string,
  options: ResponsesOptions = {},
): CompactingModel<OpenaiResponsesRequest> {
  const { responses } = client;
  const create = (body: JsonObject, signal: AbortSignal) => responses.create(params(body), { signal });
  return createModel({
    id: model,
    format,
    options,
    send: create,
    stream: (body, signal) => streamed(responses.create(params({ ...body, stream: true }), { signal })),
    count: async (body, signal) => (await responses.inputTokens.count(params(counted(body)), { signal })).input_tokens,
    stopOf,
    question: ({ system, prompt, maxOutputTokens }) => ({
      model,
      instructions: system,
      input: [{ role: "user", content: prompt }],
      // Reasoning counts as output.
      max_output_tokens: maxOutputTokens + REASONING_TOKENS,
      store: false,
    }),
    native:
      options.compaction === "trigger"
        ? { kind: "responses-trigger", send: create }
        : { kind: "responses-compact", send: (body, signal) => responses.compact(params(body), { signal }) },
  });
}

const REASONING_TOKENS = 8_192;

/** The client's parameter type knows fewer fields than the API. */
function params(body: JsonObject): never {
  return body as never;
}

/** The last event holds the whole response. Some servers leave its items out, and then they are those that were finished before. */
async function* streamed(opened: PromiseLike<unknown>): AsyncGenerator<ModelDelta, unknown, undefined> {
  const items: JsonValue[] = [];
  // With `stream: true` the client resolves with a stream of events.
  for await (const event of (await opened) as AsyncIterable<unknown>) {
    if (!isObject(event)) continue;
    const { type, delta, item, response } = event;
    if (type === "error") return event;
    const kind = DELTAS.get(stringOf(type) ?? "");
    if (kind !== undefined && typeof delta === "string") yield { type: kind, text: delta };
    if (type === "response.output_item.done" && item !== undefined) items.push(item);
    if (!ENDS.has(stringOf(type) ?? "") || !isObject(response)) continue;
    return isArray(response.output) && response.output.length > 0 ? response : { ...response, output: items };
  }
  return { object: "response", status: "in_progress", output: items };
}

const DELTAS: ReadonlyMap<string, ModelDelta["type"]> = new Map([
  ["response.output_text.delta", "text"],
  ["response.refusal.delta", "text"],
  ["response.reasoning_summary_text.delta", "reasoning"],
  ["response.reasoning_text.delta", "reasoning"],
]);

const ENDS: ReadonlySet<string> = new Set(["response.completed", "response.incomplete", "response.failed"]);

/** A response that is in progress or queued has not ended; compatible servers may leave the status out. */
function stopOf({ type, status, incomplete_details: details, output }: JsonObject): string | undefined {
  if (type === "error") return type;
  if (status === "in_progress" || status === "queued") return undefined;
  if (isObject(details) && typeof details.reason === "string") return details.reason;
  const isRefusal = isArray(output) && output.some((item) => isObject(item) && holdsRefusal(item.content));
  return isRefusal ? "refusal" : (stringOf(status) ?? "completed");
}

function holdsRefusal(content: JsonValue | undefined): boolean {
  return isArray(content) && content.some((part) => isObject(part) && part.type === "refusal");
}

/** What the endpoint that counts takes of a request. */
const COUNTED: ReadonlySet<string> = new Set([
  "conversation",
  "input",
  "instructions",
  "model",
  "parallel_tool_calls",
  "previous_response_id",
  "reasoning",
  "text",
  "tool_choice",
  "tools",
  "truncation",
]);

function counted(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([key]) => COUNTED.has(key)));
}
