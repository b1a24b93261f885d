/**
 * A model with a small window behind the paths of the four APIs, on the loopback interface. It refuses what is over its window and what its
 * provider would refuse, in the provider's words, asks for a tool so many times and then ends. Whole or streamed, streams cut at odd bytes.
 */

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { onTestFinished } from "vitest";
import { isObject, type JsonObject } from "../src/core/json.ts";
import type { FormatName } from "../src/core/message.ts";
import { formatNamed } from "../src/formats.ts";

export interface ModelOptions {
  readonly windowTokens: number;
  /** How often it asks for the tool `read_file`. */
  readonly calls?: number;
  /** What it says to a request, without a call; undefined: as always. */
  readonly say?: (request: ModelRequest) => string | undefined;
  /** Answers a request in another way; undefined: as always. */
  readonly answer?: (request: ModelRequest, response: ServerResponse) => boolean;
}

export interface ModelRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly bytes: Buffer;
  readonly body: JsonObject;
  readonly tokens: number;
}

export interface Model {
  readonly origin: string;
  readonly requests: readonly ModelRequest[];
  /** What it refused as too long, and as wrong. */
  readonly refusals: readonly string[];
  readonly violations: readonly string[];
  /** The bytes of its answers. */
  readonly answers: readonly Buffer[];
}

const CHARS_PER_TOKEN = 3.6;

export async function startModel(options: ModelOptions): Promise<Model> {
  const state = { requests: [] as ModelRequest[], refusals: [] as string[], violations: [] as string[] };
  const answers: Buffer[] = [];
  let asked = 0;
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request = await readRequest(incoming);
    state.requests.push(request);
    if (options.answer?.(request, response) === true) return;
    const format = formatAt(request.path);
    if (format === undefined) return void response.writeHead(404).end(request.bytes);
    const long =
      request.tokens > options.windowTokens ? wording(format, request.tokens, options.windowTokens) : undefined;
    const wrong = formatNamed(format).validate(request.body, { sending: true })[0]?.message;
    if (long !== undefined) state.refusals.push(long);
    else if (wrong !== undefined) state.violations.push(wrong);
    const refusal = long ?? wrong;
    if (refusal !== undefined) return void refuse(response, refusalBody(format, refusal, long !== undefined));
    const said = options.say?.(request);
    const call = said === undefined && asked < (options.calls ?? 0) ? ++asked : undefined;
    const isThinking = isObject(request.body.thinking);
    const { whole, events } = answerOf(format, request.tokens, { call, said, isThinking });
    const isStream = request.body.stream === true || request.path.includes(":stream");
    const bytes = Buffer.from(isStream ? streamOf(format, events) : JSON.stringify(whole));
    answers.push(bytes);
    response.writeHead(200, {
      "content-type": isStream ? "text/event-stream" : "application/json",
      "x-request-id": "req_1",
    });
    for (let at = 0; at < bytes.length; at += 61) response.write(bytes.subarray(at, at + 61));
    response.end();
  };
  const server = createServer((incoming, response) => void answer(incoming, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, answers, ...state };
}

async function readRequest(incoming: IncomingMessage): Promise<ModelRequest> {
  const { headers, url = "" } = incoming;
  const bytes = await buffer(incoming);
  const plain = headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes;
  const text = plain.toString();
  let body: JsonObject = {};
  try {
    body = JSON.parse(text);
  } catch {
    // Not every endpoint takes JSON.
  }
  return { path: url.split("?")[0] ?? "", headers, bytes, body, tokens: Math.ceil(text.length / CHARS_PER_TOKEN) };
}

function formatAt(path: string): FormatName | undefined {
  if (path.endsWith("/messages")) return "anthropic-messages";
  if (path.endsWith("/chat/completions")) return "openai-chat";
  if (path.endsWith("/responses")) return "openai-responses";
  return /:(?:stream)?generateContent$/i.test(path) ? "gemini" : undefined;
}

/** True, for an answer has been given. */
export function refuse(response: ServerResponse, body: JsonObject, status = 400): true {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  return true;
}

export function wording(format: FormatName, tokens: number, windowTokens: number): string {
  switch (format) {
    case "anthropic-messages":
      return `prompt is too long: ${tokens} tokens > ${windowTokens} maximum`;
    case "openai-chat":
      return `This model's maximum context length is ${windowTokens} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`;
    case "openai-responses":
      return "Your input exceeds the context window of this model. Please adjust your input and try again.";
    case "gemini":
      return `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${windowTokens}).`;
    default:
      return format satisfies never;
  }
}

export function refusalBody(format: FormatName, message: string, isLong: boolean): JsonObject {
  if (format === "anthropic-messages") return { type: "error", error: { type: "invalid_request_error", message } };
  if (format === "gemini") return { error: { code: 400, message, status: "INVALID_ARGUMENT" } };
  const code = isLong ? "context_length_exceeded" : null;
  return { error: { message, type: "invalid_request_error", param: null, code } };
}

function streamOf(format: FormatName, events: readonly JsonObject[]): string {
  const isNamed = format === "anthropic-messages" || format === "openai-responses";
  const text = events.map((event) => `${isNamed ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`);
  return `${text.join("")}${format === "openai-chat" ? "data: [DONE]\n\n" : ""}`;
}

interface Answer {
  readonly whole: JsonObject;
  readonly events: readonly JsonObject[];
}

interface Turn {
  readonly call: number | undefined;
  readonly said: string | undefined;
  /** Anthropic's, where a request asks for it. */
  readonly isThinking: boolean;
}

function answerOf(format: FormatName, tokens: number, { call, said, isThinking }: Turn): Answer {
  // Beyond ASCII, so that cuts at odd bytes split characters.
  const usual =
    call === undefined ? "Fertig – all modules are read. 完" : `Step ${call}: weiter – reading module ${call}.`;
  const text = said ?? usual;
  switch (format) {
    case "anthropic-messages":
      return anthropicAnswer(tokens, { call, isThinking }, text);
    case "openai-chat":
      return chatAnswer(tokens, call, text);
    case "openai-responses":
      return responsesAnswer(tokens, call, text);
    case "gemini": {
      const run = { name: "read_file", args: { path: `src/module-${call}.ts` } };
      const parts: JsonObject[] = [{ text }, ...(call === undefined ? [] : [{ functionCall: run }])];
      const usageMetadata = { promptTokenCount: tokens, candidatesTokenCount: 30, totalTokenCount: tokens + 30 };
      const chunk = (content: readonly JsonObject[], rest: JsonObject): JsonObject => ({
        candidates: [{ content: { role: "model", parts: content }, index: 0, ...rest }],
        usageMetadata,
      });
      const end = { finishReason: "STOP" };
      return {
        whole: chunk(parts, end),
        events: parts.map((part, at) => chunk([part], at === parts.length - 1 ? end : {})),
      };
    }
    default:
      return format satisfies never;
  }
}

function anthropicAnswer(tokens: number, { call, isThinking }: Omit<Turn, "said">, text: string): Answer {
  const message = {
    id: `msg_${call}`,
    type: "message",
    role: "assistant",
    model: "claude-opus-4-5",
    stop_sequence: null,
  };
  const usage = {
    input_tokens: tokens - 100,
    cache_read_input_tokens: 100,
    cache_creation_input_tokens: 0,
    output_tokens: 30,
  };
  const use = { type: "tool_use", id: `toolu_${call}`, name: "read_file" };
  const input = { path: `src/module-${call}.ts` };
  const stop = { stop_reason: call === undefined ? "end_turn" : "tool_use" };
  const said = { type: "text", text };
  const thought = { type: "thinking", thinking: "Which module is next?", signature: `signature-${call}` };
  const content: JsonObject[] = [
    ...(isThinking ? [thought] : []),
    said,
    ...(call === undefined ? [] : [{ ...use, input }]),
  ];
  const at = isThinking ? 1 : 0;
  const delta = (index: number, piece: JsonObject): JsonObject => ({
    type: "content_block_delta",
    index,
    delta: piece,
  });
  const block = (index: number, empty: JsonObject, piece: JsonObject): JsonObject[] => [
    { type: "content_block_start", index, content_block: empty },
    delta(index, piece),
    { type: "content_block_stop", index },
  ];
  const events: JsonObject[] = [
    {
      type: "message_start",
      message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
    },
    ...(isThinking ? thoughtEvents(thought) : []),
    ...block(at, { type: "text", text: "" }, { type: "text_delta", text }),
    ...(call === undefined
      ? []
      : block(at + 1, { ...use, input: {} }, { type: "input_json_delta", partial_json: JSON.stringify(input) })),
    { type: "message_delta", delta: { ...stop, stop_sequence: null }, usage: { output_tokens: 30 } },
    { type: "message_stop" },
  ];
  return { whole: { ...message, content, ...stop, usage }, events };
}

function thoughtEvents({
  thinking,
  signature,
}: {
  readonly thinking: string;
  readonly signature: string;
}): JsonObject[] {
  const deltas = [
    { type: "thinking_delta", thinking },
    { type: "signature_delta", signature },
  ];
  return [
    { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
    ...deltas.map((delta) => ({ type: "content_block_delta", index: 0, delta })),
    { type: "content_block_stop", index: 0 },
  ];
}

function chatAnswer(tokens: number, call: number | undefined, text: string): Answer {
  const run = { name: "read_file", arguments: JSON.stringify({ path: `src/module-${call}.ts` }) };
  const toolCall = { id: `call_${call}`, type: "function", function: run };
  const end = call === undefined ? "stop" : "tool_calls";
  const message = {
    role: "assistant",
    content: text,
    refusal: null,
    ...(call !== undefined && { tool_calls: [toolCall] }),
  };
  const usage = { prompt_tokens: tokens, completion_tokens: 30, total_tokens: tokens + 30 };
  const base = { id: `chatcmpl-${call}`, created: 1, model: "gpt-5" };
  const chunk = (delta: JsonObject, finish: string | null = null): JsonObject => ({
    ...base,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const whole = {
    ...base,
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason: end, logprobs: null }],
    usage,
  };
  const events = [
    chunk({ role: "assistant", content: "" }),
    chunk({ content: text }),
    ...(call === undefined ? [] : [chunk({ tool_calls: [{ index: 0, ...toolCall }] })]),
    chunk({}, end),
    { ...base, object: "chat.completion.chunk", choices: [], usage },
  ];
  return { whole, events };
}

function responsesAnswer(tokens: number, call: number | undefined, text: string): Answer {
  const said = {
    type: "message",
    id: `msg_${call}`,
    status: "completed",
    role: "assistant",
    content: [{ type: "output_text", text, annotations: [] }],
  };
  const args = JSON.stringify({ path: `src/module-${call}.ts` });
  const run = { type: "function_call", id: `fc_${call}`, call_id: `call_${call}`, name: "read_file", arguments: args };
  const output: JsonObject[] = call === undefined ? [said] : [said, { ...run, status: "completed" }];
  const usage = {
    input_tokens: tokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 30,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: tokens + 30,
  };
  const base = { id: `resp_${call}`, object: "response", created_at: 1, model: "gpt-5", error: null, tools: [] };
  const whole = { ...base, status: "completed", output, usage };
  const items = output.flatMap((item, index): JsonObject[] => [
    { type: "response.output_item.added", output_index: index, item: { ...item, content: [], arguments: "" } },
    ...(item.type === "message"
      ? [
          {
            type: "response.content_part.added",
            item_id: `msg_${call}`,
            output_index: index,
            content_index: 0,
            part: { type: "output_text", text: "", annotations: [] },
          },
          {
            type: "response.output_text.delta",
            item_id: `msg_${call}`,
            output_index: index,
            content_index: 0,
            delta: text,
          },
        ]
      : [
          { type: "response.function_call_arguments.delta", item_id: `fc_${call}`, output_index: index, delta: args },
          {
            type: "response.function_call_arguments.done",
            item_id: `fc_${call}`,
            output_index: index,
            arguments: args,
          },
        ]),
    { type: "response.output_item.done", output_index: index, item },
  ]);
  const started = { ...base, status: "in_progress", output: [] };
  const events = [
    { type: "response.created", response: started },
    { type: "response.in_progress", response: started },
    ...items,
    { type: "response.completed", response: whole },
  ].map((event, number) => ({ ...event, sequence_number: number }));
  return { whole, events };
}
