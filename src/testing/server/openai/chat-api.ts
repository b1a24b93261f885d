/** The Chat Completions API: its answers, streams and limits. It has no compaction and no count of its own. */

import { isObject, type JsonObject, numberOf } from "../../../core/json.ts";
import { formatNamed } from "../../../formats.ts";
import {
  type Answer,
  type ProviderApi,
  type ProviderCall,
  type Reading,
  type Refusal,
  refusalOf,
  type ScriptedStop,
  type ServerMemory,
  type StreamEvent,
  textPieces,
  type WrittenAnswer,
} from "../provider-api.ts";
import {
  cacheKeyOf,
  cachePolicy,
  checkKey,
  checkParameters,
  failures,
  unknownModel,
  usageOf,
  writeError,
} from "./openai-service.ts";

const format = formatNamed("openai-chat");

const PARAMETERS: ReadonlySet<string> = new Set([
  ...["model", "messages", "tools", "tool_choice", "parallel_tool_calls", "functions", "function_call", "stream"],
  ...["stream_options", "max_tokens", "max_completion_tokens", "temperature", "top_p", "n", "stop", "seed", "logprobs"],
  ...["top_logprobs", "logit_bias", "frequency_penalty", "presence_penalty", "response_format", "reasoning_effort"],
  ...["verbosity", "modalities", "audio", "prediction", "metadata", "store", "service_tier", "user", "moderation"],
  ...["safety_identifier", "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention", "web_search_options"],
]);

export const chatApi: ProviderApi = {
  read,
  compacted: ({ conversation }) => conversation,
  write,
  writeCount: (inputTokens) => ({ input_tokens: inputTokens }),
  writeError,
  errorEvents: (refusal) => [{ data: writeError(refusal) }],
  overflow,
  failures,
  unknownModel,
  cachePolicy,
  streamEnd: "data: [DONE]\n\n",
};

function read(call: ProviderCall): Reading | Refusal {
  const { body } = call;
  const refused =
    checkKey(call) ?? checkParameters(body, PARAMETERS) ?? refusalOf(format.validate(body, { sending: true }));
  return refused ?? { conversation: format.decode(body), summaries: [], ...cacheKeyOf(body) };
}

function overflow({ body }: ProviderCall, inputTokens: number, windowTokens: number): Refusal | undefined {
  const answerTokens = numberOf(body.max_completion_tokens ?? body.max_tokens) ?? 0;
  if (inputTokens + answerTokens <= windowTokens) return undefined;
  const limit = `This model's maximum context length is ${windowTokens} tokens.`;
  const sum = `${inputTokens + answerTokens} tokens (${inputTokens} in the messages, ${answerTokens} in the completion)`;
  const said =
    inputTokens > windowTokens
      ? `${limit} However, your messages resulted in ${inputTokens} tokens. Please reduce the length of the messages.`
      : `${limit} However, you requested ${sum}. Please reduce the length of the messages or completion.`;
  return { status: 400, message: said, code: "context_length_exceeded", param: "messages" };
}

const FINISH_REASONS: Readonly<Record<ScriptedStop, string>> = {
  end: "stop",
  "tool-calls": "tool_calls",
  "output-limit": "length",
  "window-full": "length",
  refusal: "stop",
};

function write({ call, reply = {}, usage }: Answer, memory: ServerMemory): WrittenAnswer {
  const { text = "", toolCalls = [], stop = "end" } = reply;
  const calls = toolCalls.map(({ id = memory.nextId("call_"), name, input }) => {
    return { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
  });
  const content = stop === "refusal" || (text === "" && calls.length > 0) ? null : text;
  const refusal = stop === "refusal" ? text : null;
  const message = { role: "assistant", content, refusal, ...(calls.length > 0 && { tool_calls: calls }) };
  const choice = { index: 0, message, logprobs: null, finish_reason: FINISH_REASONS[stop] };
  const envelope = { id: memory.nextId("chatcmpl-"), created: memory.nowSeconds(), model: call.model };
  const total = usageOf(usage, ["prompt", "completion"]);
  const { stream_options: options } = call.body;
  const includesUsage = isObject(options) && options.include_usage === true;
  const chunk = (delta: JsonObject, finish: string | null = null): StreamEvent => {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: finish }];
    return { data: { ...envelope, object: "chat.completion.chunk", choices, ...(includesUsage && { usage: null }) } };
  };
  const key = refusal === null ? "content" : "refusal";
  return {
    whole: { ...envelope, object: "chat.completion", choices: [choice], usage: total, service_tier: "default" },
    events: [
      chunk({ role: "assistant", content: content === null ? null : "", refusal: null }),
      ...textPieces(text).map((piece) => chunk({ [key]: piece })),
      ...calls.flatMap((toolCall, index) => callChunks(toolCall, index).map((delta) => chunk(delta))),
      chunk({}, FINISH_REASONS[stop]),
      ...(includesUsage ? [{ data: { ...envelope, object: "chat.completion.chunk", choices: [], usage: total } }] : []),
    ],
  };
}

interface WireCall extends JsonObject {
  readonly function: { readonly name: string; readonly arguments: string };
}

/** The first names the call, the others bring its arguments. */
function callChunks(toolCall: WireCall, index: number): readonly JsonObject[] {
  const { name, arguments: input } = toolCall.function;
  const begun = { index, ...toolCall, function: { name, arguments: "" } };
  const pieces = textPieces(input).map((piece) => ({ index, function: { arguments: piece } }));
  return [begun, ...pieces].map((call) => ({ tool_calls: [call] }));
}
