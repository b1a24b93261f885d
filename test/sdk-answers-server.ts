/**
 * A server on the loopback interface that answers as the four APIs do, whole and streamed, always with the same words and the same call.
 * It refuses fields that no request has, as the providers do.
 */

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { isArray, isObject, type JsonObject, type JsonValue } from "../src/core/json.ts";

const TEXT = '{"path":"a.ts"}';

export interface AnswerServer {
  readonly origin: string;
  close(): void;
}

export async function startAnswerServer(): Promise<AnswerServer> {
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? "").split("?")[0] ?? "";
  // The SDKs send JSON objects.
  const body = JSON.parse(await readText(request)) as JsonObject;
  const refused = unknownField(body.messages ?? body.input ?? body.contents, path);
  if (refused !== undefined) {
    const error = { type: "invalid_request_error", message: `Unknown parameter: '${refused}'.` };
    response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ type: "error", error }));
    return;
  }
  const isStream = body.stream === true || path.endsWith(":streamGenerateContent");
  const { whole, events } = answersTo(path);
  if (!isStream) {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(whole));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const isNamed = path.endsWith("/messages") || path.endsWith("/responses");
  for (const event of events) {
    const name = isNamed && isObject(event) ? `event: ${String(event.type)}\n` : "";
    response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
  }
  response.end(path.endsWith("/completions") ? "data: [DONE]\n\n" : "");
}

const PARSED = ["parsed", "parsed_arguments", "parsed_output", "output_parsed", "_request_id"];

/** The first field of a list that no request has. */
function unknownField(value: JsonValue | undefined, path: string): string | undefined {
  if (isArray(value)) return value.map((element) => unknownField(element, path)).find((found) => found !== undefined);
  if (!isObject(value)) return undefined;
  const isMessage = path.endsWith("/messages") && value.role !== undefined;
  const isUnknown = (key: string): boolean =>
    PARSED.includes(key) || (isMessage && key !== "role" && key !== "content");
  return (
    Object.keys(value).find(isUnknown) ??
    Object.values(value)
      .map((inner) => unknownField(inner, path))
      .find((found) => found !== undefined)
  );
}

interface Answers {
  readonly whole: JsonObject;
  readonly events: readonly JsonObject[];
}

function answersTo(path: string): Answers {
  if (path.endsWith("/messages")) return anthropicAnswers;
  if (path.endsWith("/completions")) return chatAnswers;
  return path.endsWith("/responses") ? responsesAnswers : geminiAnswers;
}

const anthropicUsage = { input_tokens: 5, output_tokens: 2 };
const anthropicMessage = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-opus-5",
  stop_sequence: null,
};
export const anthropicAnswers: Answers = {
  whole: {
    ...anthropicMessage,
    content: [
      { type: "text", text: TEXT },
      { type: "tool_use", id: "toolu_1", name: "read", input: { path: "a.ts" } },
    ],
    stop_reason: "tool_use",
    usage: anthropicUsage,
  },
  events: [
    {
      type: "message_start",
      message: { ...anthropicMessage, content: [], stop_reason: null, usage: { input_tokens: 5, output_tokens: 1 } },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: TEXT } },
    { type: "content_block_stop", index: 0 },
    {
      type: "content_block_start",
      index: 1,
      content_block: { type: "tool_use", id: "toolu_1", name: "read", input: {} },
    },
    { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"path":' } },
    { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '"a.ts"}' } },
    { type: "content_block_stop", index: 1 },
    { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage: { output_tokens: 2 } },
    { type: "message_stop" },
  ],
};

const chatCall = { id: "call_1", type: "function", function: { name: "read", arguments: TEXT } };
const chunk = (delta: JsonObject, finishReason: string | null = null): JsonObject => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "gpt-5.1",
  choices: [{ index: 0, delta, finish_reason: finishReason, logprobs: null }],
});
const chatAnswers: Answers = {
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "gpt-5.1",
    choices: [
      {
        index: 0,
        finish_reason: "tool_calls",
        logprobs: null,
        message: { role: "assistant", content: TEXT, refusal: null, tool_calls: [chatCall] },
      },
    ],
    usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
  },
  events: [
    chunk({ role: "assistant", content: "", refusal: null }),
    chunk({ content: TEXT }),
    chunk({ tool_calls: [{ index: 0, ...chatCall, function: { name: "read", arguments: "" } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: TEXT } }] }),
    chunk({}, "tool_calls"),
  ],
};

const block = { type: "output_text", text: TEXT, annotations: [] };
const said = { type: "message", id: "msg_1", role: "assistant", status: "completed", content: [block] };
const called = {
  type: "function_call",
  id: "fc_1",
  call_id: "call_1",
  name: "read",
  arguments: TEXT,
  status: "completed",
};
const response = { id: "resp_1", object: "response", created_at: 1, model: "gpt-6-sol", error: null, tools: [] };
const finished: JsonObject = {
  ...response,
  status: "completed",
  output: [said, called],
  usage: { input_tokens: 5, output_tokens: 2, total_tokens: 7 },
};
const responsesAnswers: Answers = {
  whole: finished,
  events: [
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    { type: "response.output_item.added", output_index: 0, item: { ...said, status: "in_progress", content: [] } },
    {
      type: "response.content_part.added",
      item_id: "msg_1",
      output_index: 0,
      content_index: 0,
      part: { ...block, text: "" },
    },
    { type: "response.output_text.delta", item_id: "msg_1", output_index: 0, content_index: 0, delta: TEXT },
    { type: "response.output_text.done", item_id: "msg_1", output_index: 0, content_index: 0, text: TEXT },
    { type: "response.content_part.done", item_id: "msg_1", output_index: 0, content_index: 0, part: block },
    { type: "response.output_item.done", output_index: 0, item: said },
    { type: "response.output_item.added", output_index: 1, item: { ...called, status: "in_progress", arguments: "" } },
    { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 1, delta: TEXT },
    { type: "response.function_call_arguments.done", item_id: "fc_1", output_index: 1, arguments: TEXT },
    { type: "response.output_item.done", output_index: 1, item: called },
    { type: "response.completed", response: finished },
  ].map((event, index): JsonObject => ({ ...event, sequence_number: index })),
};

const geminiAnswers: Answers = {
  whole: { candidates: [{ content: { role: "model", parts: [{ text: TEXT }] }, finishReason: "STOP", index: 0 }] },
  events: [
    { candidates: [{ content: { role: "model", parts: [{ text: '{"path":' }] }, index: 0 }] },
    { candidates: [{ content: { role: "model", parts: [{ text: '"a.ts"}' }] }, finishReason: "STOP", index: 0 }] },
  ],
};
