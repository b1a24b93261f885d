/** One answer of each provider with reasoning, text and two calls, whole and as it is streamed. */

import type { JsonObject } from "../src/core/json.ts";
import type { Answer } from "./model-server.ts";

export interface WholeAnswer extends Answer {
  readonly whole: JsonObject;
  readonly events: readonly JsonObject[];
}

const claudeUsage = { input_tokens: 12, cache_read_input_tokens: 900, cache_creation_input_tokens: 80 };
const claude = { id: "msg_1", type: "message", role: "assistant", model: "claude-opus-5-5", stop_sequence: null };
const start = (index: number, block: JsonObject): JsonObject => ({
  type: "content_block_start",
  index,
  content_block: block,
});
const delta = (index: number, piece: JsonObject): JsonObject => ({ type: "content_block_delta", index, delta: piece });
const stop = (index: number): JsonObject => ({ type: "content_block_stop", index });

export const anthropicAnswer: WholeAnswer = {
  whole: {
    ...claude,
    content: [
      { type: "thinking", thinking: "Two suites.", signature: "EuYB" },
      { type: "text", text: "Running both." },
      { type: "tool_use", id: "toolu_1", name: "bash", input: { cmd: "npm test" } },
      { type: "tool_use", id: "toolu_2", name: "status", input: {} },
    ],
    stop_reason: "tool_use",
    usage: { ...claudeUsage, output_tokens: 57 },
  },
  events: [
    {
      type: "message_start",
      message: { ...claude, content: [], stop_reason: null, usage: { ...claudeUsage, output_tokens: 1 } },
    },
    start(0, { type: "thinking", thinking: "", signature: "" }),
    delta(0, { type: "thinking_delta", thinking: "Two " }),
    { type: "ping" },
    delta(0, { type: "thinking_delta", thinking: "suites." }),
    delta(0, { type: "signature_delta", signature: "EuYB" }),
    stop(0),
    start(1, { type: "text", text: "" }),
    delta(1, { type: "text_delta", text: "Running " }),
    delta(1, { type: "text_delta", text: "both." }),
    stop(1),
    start(2, { type: "tool_use", id: "toolu_1", name: "bash", input: {} }),
    delta(2, { type: "input_json_delta", partial_json: '{"cmd":"npm' }),
    delta(2, { type: "input_json_delta", partial_json: ' test"}' }),
    stop(2),
    start(3, { type: "tool_use", id: "toolu_2", name: "status", input: {} }),
    stop(3),
    { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage: { output_tokens: 57 } },
    { type: "message_stop" },
  ],
};

const chunk = (piece: JsonObject, finishReason: string | null = null): JsonObject => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "deepseek-x",
  choices: [{ index: 0, delta: piece, finish_reason: finishReason, logprobs: null }],
});
const chatUsage = { prompt_tokens: 900, completion_tokens: 20, total_tokens: 920 };
const chatCall = (id: string, name: string, args: string): JsonObject => ({
  id,
  type: "function",
  function: { name, arguments: args },
});

/** Of a compatible server that states its reasoning. */
export const chatAnswer: WholeAnswer = {
  whole: {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "deepseek-x",
    choices: [
      {
        index: 0,
        finish_reason: "tool_calls",
        logprobs: null,
        message: {
          role: "assistant",
          content: "Running both.",
          reasoning_content: "Two suites.",
          tool_calls: [chatCall("call_1", "bash", '{"cmd":"npm test"}'), chatCall("call_2", "status", "{}")],
        },
      },
    ],
    usage: chatUsage,
  },
  events: [
    chunk({ role: "assistant", content: "" }),
    chunk({ reasoning_content: "Two " }),
    chunk({ reasoning_content: "suites." }),
    chunk({ content: "Running " }),
    chunk({ content: "both." }),
    chunk({ tool_calls: [{ index: 0, ...chatCall("call_1", "bash", "") }] }),
    // Some servers repeat what they have said.
    chunk({ tool_calls: [{ index: 0, id: "call_1", function: { name: "bash", arguments: '{"cmd":"npm' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: ' test"}' } }] }),
    chunk({ tool_calls: [{ index: 1, ...chatCall("call_2", "status", "{}") }] }),
    chunk({}, "tool_calls"),
    { ...chunk({}), choices: [], usage: chatUsage },
  ],
};

const reasoning = {
  type: "reasoning",
  id: "rs_1",
  summary: [{ type: "summary_text", text: "Two suites." }],
  encrypted_content: "gAAA",
};
const said = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "Running both.", annotations: [] }],
};
const called = (number: number, name: string, args: string): JsonObject => ({
  type: "function_call",
  id: `fc_${number}`,
  call_id: `call_${number}`,
  name,
  arguments: args,
  status: "completed",
});
const output = [reasoning, said, called(1, "bash", '{"cmd":"npm test"}'), called(2, "status", "{}")];
const response = { id: "resp_1", object: "response", created_at: 1, model: "gpt-6-sol", error: null, tools: [] };
const finished = {
  ...response,
  status: "completed",
  output,
  usage: {
    input_tokens: 900,
    input_tokens_details: { cached_tokens: 800 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 8 },
    total_tokens: 920,
  },
};
const numbered = (events: readonly JsonObject[]): readonly JsonObject[] =>
  events.map((event, index) => ({ ...event, sequence_number: index }));

const added = (index: number, item: JsonObject): JsonObject => ({
  type: "response.output_item.added",
  output_index: index,
  item: { ...item, status: "in_progress" },
});
const done = (index: number, item: JsonObject): JsonObject => ({
  type: "response.output_item.done",
  output_index: index,
  item,
});
const calledItem = (index: number, item: JsonObject): readonly JsonObject[] => [
  added(index, { ...item, arguments: "" }),
  {
    type: "response.function_call_arguments.delta",
    item_id: item.id,
    output_index: index,
    delta: item.arguments,
  },
  done(index, item),
];
const summary = { item_id: "rs_1", output_index: 0, summary_index: 0 };
const text = { item_id: "msg_1", output_index: 1, content_index: 0 };

export const responsesAnswer: WholeAnswer = {
  whole: finished,
  events: numbered([
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    added(0, { ...reasoning, summary: [], encrypted_content: "gA" }),
    { type: "response.reasoning_summary_part.added", ...summary, part: { type: "summary_text", text: "" } },
    { type: "response.reasoning_summary_text.delta", ...summary, delta: "Two " },
    { type: "response.reasoning_summary_text.delta", ...summary, delta: "suites." },
    { type: "response.reasoning_summary_part.done", ...summary, part: reasoning.summary[0] },
    done(0, reasoning),
    added(1, { ...said, content: [] }),
    { type: "response.output_text.delta", ...text, delta: "Running ", logprobs: [] },
    { type: "response.output_text.delta", ...text, delta: "both.", logprobs: [] },
    done(1, said),
    ...output.slice(2).flatMap((item, index) => calledItem(index + 2, item)),
    { type: "response.completed", response: finished },
  ]),
};

const geminiUsage = {
  promptTokenCount: 900,
  cachedContentTokenCount: 800,
  candidatesTokenCount: 12,
  thoughtsTokenCount: 8,
};
const call = { functionCall: { name: "bash", args: { cmd: "npm test" } }, thoughtSignature: "CsYB" };
const second = { functionCall: { name: "status", args: {} } };
const piece = (parts: readonly JsonObject[], rest: JsonObject = {}): JsonObject => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...rest }],
  modelVersion: "gemini-3.5-flash",
  responseId: "r1",
});

export const geminiAnswer: WholeAnswer = {
  whole: {
    ...piece([{ text: "Two suites.", thought: true }, { text: "Running both." }, call, second], {
      finishReason: "STOP",
    }),
    usageMetadata: geminiUsage,
  },
  events: [
    { ...piece([{ text: "Two ", thought: true }]), usageMetadata: { promptTokenCount: 900 } },
    piece([{ text: "suites.", thought: true }]),
    piece([{ text: "Running " }]),
    piece([{ text: "both." }, call]),
    { ...piece([second], { finishReason: "STOP" }), usageMetadata: geminiUsage },
  ],
};
