/** An agent of many calls over each model, in a window that is far too small for all of them: every request is valid and fits. */

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isArray, type JsonObject } from "../src/core/json.ts";
import type { Model, ModelReply } from "../src/core/model.ts";
import type { Format } from "../src/core/ports.ts";
import { openaiResponses as openaiResponsesFormat } from "../src/formats/openai-responses.ts";
import { aiSdk, anthropic, gemini, openaiChat, openaiResponses } from "../src/models.ts";
import { openSession } from "../src/session.ts";
import { type Answer, type ModelServer, startModelServer } from "./model-server.ts";

const ROUNDS = 40;
const WINDOW_TOKENS = 16_000;
const ARGUMENTS = (round: number): JsonObject => ({ path: `src/module-${round}.ts` });
const RESULT = (round: number): string =>
  `module-${round}: ${"It exports a function and a list of states. ".repeat(60)}`;

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());

const claudeAnswer = (round: number): Answer => {
  const message = { id: `msg_${round}`, type: "message", role: "assistant", model: "claude-opus-5-5" };
  const call = { type: "tool_use", id: `toolu_${round}`, name: "read" };
  const thinking = { type: "thinking", thinking: "Next.", signature: `sig${round}` };
  return {
    whole: {
      ...message,
      content: [thinking, { ...call, input: ARGUMENTS(round) }],
      stop_reason: "tool_use",
      stop_sequence: null,
      usage: { input_tokens: 100, output_tokens: 20 },
    },
    events: [
      {
        type: "message_start",
        message: { ...message, content: [], stop_reason: null, usage: { input_tokens: 100, output_tokens: 1 } },
      },
      { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "Next." } },
      { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: `sig${round}` } },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: { ...call, input: {} } },
      {
        type: "content_block_delta",
        index: 1,
        delta: { type: "input_json_delta", partial_json: JSON.stringify(ARGUMENTS(round)) },
      },
      { type: "content_block_stop", index: 1 },
      { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage: { output_tokens: 20 } },
      { type: "message_stop" },
    ],
  };
};
const claudeResult = (round: number): JsonObject => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: `toolu_${round}`, content: RESULT(round) }],
});

const responsesAnswer = (round: number): Answer => {
  const output = [
    { type: "reasoning", id: `rs_${round}`, summary: [], encrypted_content: `enc${round}` },
    {
      type: "function_call",
      id: `fc_${round}`,
      call_id: `call_${round}`,
      name: "read",
      arguments: JSON.stringify(ARGUMENTS(round)),
      status: "completed",
    },
  ];
  const whole = { id: `resp_${round}`, object: "response", status: "completed", model: "gpt-6-sol", output };
  const items = output.flatMap((item, index) => [
    { type: "response.output_item.added", output_index: index, item },
    { type: "response.output_item.done", output_index: index, item },
  ]);
  const events = [...items, { type: "response.completed", response: whole }];
  return { whole, events: events.map((event, index) => ({ ...event, sequence_number: index })) };
};

const chatAnswer = (round: number): Answer => {
  const call = {
    id: `call_${round}`,
    type: "function",
    function: { name: "read", arguments: JSON.stringify(ARGUMENTS(round)) },
  };
  const message = { role: "assistant", content: null };
  const base = { id: `chatcmpl-${round}`, created: 1, model: "gpt-4o" };
  return {
    whole: {
      ...base,
      object: "chat.completion",
      choices: [{ index: 0, finish_reason: "tool_calls", message: { ...message, tool_calls: [call] } }],
    },
    events: [
      {
        ...base,
        object: "chat.completion.chunk",
        choices: [{ index: 0, delta: { ...message, tool_calls: [{ index: 0, ...call }] }, finish_reason: null }],
      },
      { ...base, object: "chat.completion.chunk", choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
    ],
  };
};

const geminiAnswer = (round: number): Answer => {
  const part = { functionCall: { name: "read", args: ARGUMENTS(round) }, thoughtSignature: "CsYB" };
  const whole = { candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }] };
  return { whole, events: [whole] };
};

interface Agent {
  readonly make: () => Model;
  readonly answer: (round: number) => Answer;
  readonly result: (round: number) => JsonObject;
  readonly body: JsonObject;
  /** What arrives at the provider, where that is not the format of the conversation. */
  readonly sent?: Format;
}

const AGENTS: Readonly<Record<string, Agent>> = {
  anthropic: {
    make: () => anthropic(new Anthropic({ baseURL: server.origin, apiKey: "none" }), "claude-opus-5-5"),
    answer: claudeAnswer,
    result: claudeResult,
    body: { max_tokens: 500, tools: [{ name: "read", input_schema: { type: "object" } }] },
  },
  openaiResponses: {
    make: () => openaiResponses(new OpenAI({ baseURL: server.origin, apiKey: "none" }), "gpt-6-sol"),
    answer: responsesAnswer,
    result: (round) => ({ type: "function_call_output", call_id: `call_${round}`, output: RESULT(round) }),
    body: { store: false },
  },
  openaiChat: {
    make: () => openaiChat(new OpenAI({ baseURL: server.origin, apiKey: "none" }), "gpt-4o"),
    answer: chatAnswer,
    result: (round) => ({ role: "tool", tool_call_id: `call_${round}`, content: RESULT(round) }),
    body: {},
  },
  gemini: {
    make: () =>
      gemini(new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: server.origin } }), "gemini-3.5-flash"),
    answer: geminiAnswer,
    result: (round) => ({
      role: "user",
      parts: [{ functionResponse: { name: "read", response: { output: RESULT(round) } } }],
    }),
    body: {},
  },
  aiSdk: {
    make: () => aiSdk(createAnthropic({ baseURL: server.origin, apiKey: "none" })("claude-opus-5-5")),
    answer: claudeAnswer,
    result: claudeResult,
    body: { max_tokens: 500, tools: [{ name: "read", input_schema: { type: "object" } }] },
  },
  "aiSdk with OpenAI": {
    make: () => aiSdk(createOpenAI({ baseURL: server.origin, apiKey: "none" }).responses("gpt-6-sol")),
    answer: responsesAnswer,
    result: (round) => ({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: `call_${round}`, content: RESULT(round) }],
    }),
    body: {
      max_tokens: 500,
      tools: [{ name: "read", input_schema: { type: "object" } }],
      provider_options: { openai: { store: false } },
    },
    sent: openaiResponsesFormat,
  },
};

test.each(Object.keys(AGENTS).flatMap((name) => [`${name}, whole`, `${name}, streamed`]))("%s", async (agent) => {
  const [name = "", form] = agent.split(", ");
  const { make, answer, result, body, sent } = AGENTS[name] ?? {};
  if (make === undefined || answer === undefined || result === undefined) throw new Error("no such agent");
  const model = make();
  const session = await openSession(agent, {
    store: "memory:",
    compactor: { format: model.format, windowTokens: WINDOW_TOKENS },
    body: { model: model.id, ...body },
  });
  await session.append("Read every module.");
  for (let round = 0; round < ROUNDS; round++) {
    const { request, report } = await session.fit();
    expect(report.tokensAfter).toBeLessThanOrEqual(WINDOW_TOKENS);
    expect(model.format.validate(request, { sending: true })).toEqual([]);
    server.answers = [answer(round)];
    const reply = await ask(model, request, form);
    expect(reply.calls).toMatchObject([{ name: "read", input: ARGUMENTS(round) }]);
    expect(violationsAsSent(sent ?? model.format, model.id)).toEqual([]);
    await session.append(reply.response);
    await session.append(result(round));
  }
  expect((await session.history()).length).toBeGreaterThan(1);
  expect((await session.recall("module-0"))[0]).toBeDefined();
  await session.close();
});

async function ask(model: Model, request: object, form: string | undefined): Promise<ModelReply> {
  if (form === "whole") return model.complete(request);
  for await (const event of model.stream(request)) if (event.type === "end") return event.reply;
  throw new Error("the stream has no end");
}

/** What the provider would say to the request as it came in over the network. */
function violationsAsSent(format: Format, model: string): readonly object[] {
  const { body = {} } = server.requests.at(-1) ?? {};
  expect(isArray(body[format.listKey])).toBe(true);
  return format.validate({ ...body, model }, { sending: true });
}
