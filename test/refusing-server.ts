/**
 * A model with a small window behind the official SDKs, on the loopback interface: it counts in its own way, refuses what is over its
 * window in its provider's words, and otherwise asks for a tool, with usage. One per wire format.
 */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import type { JsonObject } from "../src/core/json.ts";
import type { FormatName } from "../src/core/message.ts";

export const WINDOW_TOKENS = 24_000;

/** Fewer than the estimate expects of such texts, so that both disagree until usage is reported. */
const CHARS_PER_TOKEN = 3.6;

export interface RefusingServer {
  /** Requests that were refused so far. */
  refusals: number;
  /** As an agent calls it: through the provider's SDK. Throws what the SDK throws, or the event of a stream that says so. */
  send(request: object): Promise<object>;
  close(): Promise<void>;
}

export async function startRefusingServer(name: FormatName, hasNumbers: boolean): Promise<RefusingServer> {
  const state = { refusals: 0, calls: 0 };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readText(request);
    const tokens = Math.ceil(body.length / CHARS_PER_TOKEN);
    const [status, json] =
      tokens > WINDOW_TOKENS ? refusal(name, hasNumbers, tokens) : reply(name, tokens, ++state.calls);
    if (tokens > WINDOW_TOKENS) state.refusals++;
    const isStreamed = name === "openai-responses" && body.includes('"stream":true');
    if (isStreamed) {
      const event = { type: json.error === null ? "response.completed" : "response.failed", sequence_number: 0 };
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`event: ${event.type}\ndata: ${JSON.stringify({ ...event, response: json })}\n\n`);
    } else response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    send: sender(name, `http://127.0.0.1:${port}`, hasNumbers),
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}

function refusal(name: FormatName, hasNumbers: boolean, tokens: number): readonly [status: number, json: JsonObject] {
  const [bare, stated] = WORDS[name](tokens);
  const message = hasNumbers ? stated : bare;
  switch (name) {
    case "anthropic-messages":
      return [400, { type: "error", error: { type: "invalid_request_error", message }, request_id: "req_1" }];
    case "gemini":
      return [400, { error: { code: 400, message, status: "INVALID_ARGUMENT" } }];
    case "openai-chat":
      return [400, { error: { message, type: "invalid_request_error", param: "messages", code: LONG } }];
    case "openai-responses":
      // Over a stream the status is 200, and the failure is an event.
      return hasNumbers
        ? [400, { error: { message, type: "invalid_request_error", param: "input", code: LONG } }]
        : [200, { id: "resp_0", object: "response", status: "failed", error: { code: LONG, message }, output: [] }];
    default:
      return name satisfies never;
  }
}

const LONG = "context_length_exceeded";

const WORDS: Readonly<Record<FormatName, (tokens: number) => readonly [bare: string, stated: string]>> = {
  "anthropic-messages": (tokens) => [
    "Prompt is too long",
    `prompt is too long: ${tokens} tokens > ${WINDOW_TOKENS} maximum`,
  ],
  "openai-chat": (tokens) => [
    "Please reduce the length of the messages or completion.",
    `This model's maximum context length is ${WINDOW_TOKENS} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
  ],
  "openai-responses": (tokens) => [
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
    `Input tokens exceed the configured limit of ${WINDOW_TOKENS} tokens. Your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
  ],
  gemini: (tokens) => [
    "The input token count exceeds the maximum number of tokens allowed.",
    `The input token count (${tokens}) exceeds the maximum number of tokens allowed (${WINDOW_TOKENS}).`,
  ],
};

function reply(name: FormatName, tokens: number, call: number): readonly [status: number, json: JsonObject] {
  const text = `Step ${call}: reading module ${call} next.`;
  const path = `src/module-${call}.ts`;
  switch (name) {
    case "anthropic-messages":
      return [200, anthropicReply(tokens, call, text)];
    case "openai-chat": {
      const run = { name: "read_file", arguments: JSON.stringify({ path }) };
      const message = {
        role: "assistant",
        content: text,
        tool_calls: [{ id: callId(call), type: "function", function: run }],
      };
      const usage = { prompt_tokens: tokens, completion_tokens: 30, total_tokens: tokens + 30 };
      const choices = [{ index: 0, message, finish_reason: "tool_calls" }];
      return [200, { id: `chatcmpl-${call}`, object: "chat.completion", model: "m", choices, usage }];
    }
    case "openai-responses": {
      const output = [
        {
          type: "message",
          id: `msg_${call}`,
          status: "completed",
          role: "assistant",
          content: [{ type: "output_text", text, annotations: [] }],
        },
        {
          type: "function_call",
          id: `fc_${call}`,
          call_id: callId(call),
          name: "read_file",
          arguments: JSON.stringify({ path }),
          status: "completed",
        },
      ];
      const usage = { input_tokens: tokens, output_tokens: 30, total_tokens: tokens + 30 };
      return [200, { id: `resp_${call}`, object: "response", status: "completed", error: null, output, usage }];
    }
    case "gemini": {
      const parts = [{ text }, { functionCall: { id: callId(call), name: "read_file", args: { path } } }];
      const usage = { promptTokenCount: tokens, candidatesTokenCount: 30, totalTokenCount: tokens + 30 };
      const candidates = [{ content: { role: "model", parts }, finishReason: "STOP" }];
      return [200, { candidates, usageMetadata: usage, responseId: `r${call}` }];
    }
    default:
      return name satisfies never;
  }
}

function anthropicReply(tokens: number, call: number, text: string): JsonObject {
  const input = { path: `src/module-${call}.ts` };
  const content = [
    { type: "text", text },
    { type: "tool_use", id: callId(call), name: "read_file", input },
  ];
  const usage = { input_tokens: tokens, output_tokens: 30 };
  return {
    id: `msg_${call}`,
    type: "message",
    role: "assistant",
    model: "m",
    content,
    stop_reason: "tool_use",
    stop_sequence: null,
    usage,
  };
}

export const callId = (call: number): string => `call_${call}`;

/** The result of the tool that the server asked for, as the wire has it. */
export function toolResult(name: FormatName, call: number, text: string): object {
  switch (name) {
    case "anthropic-messages":
      return { role: "user", content: [{ type: "tool_result", tool_use_id: callId(call), content: text }] };
    case "openai-chat":
      return { role: "tool", tool_call_id: callId(call), content: text };
    case "openai-responses":
      return { type: "function_call_output", call_id: callId(call), output: text };
    case "gemini":
      return {
        role: "user",
        parts: [{ functionResponse: { id: callId(call), name: "read_file", response: { output: text } } }],
      };
    default:
      return name satisfies never;
  }
}

/** Requests are made by the library in the wire form of their provider, which the SDK's parameter types describe. */
function sender(name: FormatName, baseURL: string, hasNumbers: boolean): (request: object) => Promise<object> {
  const options = { apiKey: "none", baseURL, maxRetries: 0 };
  switch (name) {
    case "anthropic-messages": {
      const client = new Anthropic(options);
      return (request) => client.messages.create(request as Anthropic.MessageCreateParamsNonStreaming);
    }
    case "openai-chat": {
      const client = new OpenAI(options);
      return (request) => client.chat.completions.create(request as OpenAI.Chat.ChatCompletionCreateParamsNonStreaming);
    }
    case "openai-responses": {
      const client = new OpenAI(options);
      return hasNumbers
        ? (request) => client.responses.create(request as OpenAI.Responses.ResponseCreateParamsNonStreaming)
        : (request) => streamed(client, request as OpenAI.Responses.ResponseCreateParamsNonStreaming);
    }
    case "gemini": {
      const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: baseURL } });
      return (request) => client.models.generateContent(request as Parameters<typeof client.models.generateContent>[0]);
    }
    default:
      return name satisfies never;
  }
}

async function streamed(
  client: OpenAI,
  request: OpenAI.Responses.ResponseCreateParamsNonStreaming,
): Promise<OpenAI.Responses.Response> {
  for await (const event of await client.responses.create({ ...request, stream: true })) {
    if (event.type === "response.completed") return event.response;
    if (event.type === "response.failed") throw event;
  }
  throw new Error("The stream ended without an answer.");
}
