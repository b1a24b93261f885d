/** Models of the AI SDK over its own providers and real HTTP: what was returned is sent back as it was, whole and streamed. */

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { wrapLanguageModel } from "ai";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createCompactor } from "../src/compactor.ts";
import { isArray, type JsonObject, type JsonValue } from "../src/core/json.ts";
import type { Model, ModelEvent, ModelReply } from "../src/core/model.ts";
import { aiSdk } from "../src/models.ts";
import { openSession } from "../src/session.ts";
import { llm } from "../src/summarizers/llm.ts";
import { anthropicAnswer, responsesAnswer } from "./model-answers.ts";
import { type ModelServer, PATIENTLY, startModelServer } from "./model-server.ts";
import { checkpointText } from "./summarizer-script.ts";

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.requests.length = 0;
  server.onRequest = undefined;
});

const claude = (model = "claude-opus-5-5") =>
  createAnthropic({ baseURL: `${server.origin}/v1`, apiKey: "none" })(model);
const sol = () => createOpenAI({ baseURL: `${server.origin}/v1`, apiKey: "none" }).responses("gpt-6-sol");
const TOOLS = ["bash", "status"].map((name) => ({ name, input_schema: { type: "object", properties: {} } }));
const RESULTS = (ids: readonly string[]): JsonObject => ({
  role: "user",
  content: [
    ...ids.map((id) => ({ type: "tool_result", tool_use_id: id, content: `done ${id}` })),
    { type: "text", text: "Go on." },
  ],
});

const ASKED = { max_tokens: 100, messages: [{ role: "user", content: "Go." }] };

async function replyOf(model: Model, body: object, form: string, signal?: AbortSignal): Promise<ModelReply> {
  if (form === "whole") return model.complete(body, signal);
  const end = (await Array.fromAsync(model.stream(body, signal))).at(-1);
  if (end?.type !== "end") throw new Error("the stream has no end");
  return end.reply;
}

/** Asks, answers the calls, asks again; returns the bodies that the provider was sent. */
async function twoRounds(model: Model, base: object, form: string): Promise<readonly JsonObject[]> {
  const session = await openSession("s", {
    store: "memory:",
    compactor: { format: model.format },
    body: { model: model.id, max_tokens: 1_024, system: "You build.", tools: TOOLS, ...base },
  });
  await session.append("Test it.");
  const reply = await replyOf(model, await session.request(), form);
  expect(reply).toMatchObject({ text: "Running both.", stopReason: "tool-calls", model: model.id });
  expect(reply.calls.map((call) => [call.name, call.input])).toEqual([
    ["bash", { cmd: "npm test" }],
    ["status", {}],
  ]);
  await session.append(reply.response);
  await session.append(RESULTS(reply.calls.map(({ callId = "" }) => callId)));
  expect(model.format.validate(await session.request(), { sending: true })).toEqual([]);
  await replyOf(model, await session.request(), form);
  await session.close();
  return server.requests.map(({ body }) => body);
}

test.each(["whole", "streamed"])(
  "Anthropic's, %s: signed thinking, calls and results come back as they were",
  async (form) => {
    server.answers = [anthropicAnswer];
    const thinking = { type: "adaptive" };
    const [first, second] = await twoRounds(aiSdk(claude()), { provider_options: { anthropic: { thinking } } }, form);
    expect(first).toMatchObject({ model: "claude-opus-5-5", max_tokens: 1_024, thinking });
    expect(first?.tools).toMatchObject([{ name: "bash" }, { name: "status" }]);
    expect(first?.system).toMatchObject([{ text: "You build." }]);
    const { content } = anthropicAnswer.whole;
    expect(second?.messages).toMatchObject([
      { role: "user", content: [{ text: "Test it." }] },
      { role: "assistant", content },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "toolu_1", content: "done toolu_1" },
          { type: "tool_result", tool_use_id: "toolu_2", content: "done toolu_2" },
          { type: "text", text: "Go on." },
        ],
      },
    ]);
  },
);

test.each(["whole", "streamed"])(
  "OpenAI's, %s: encrypted reasoning and its items come back as they were",
  async (form) => {
    server.answers = [responsesAnswer];
    const provider_options = { openai: { store: false, include: ["reasoning.encrypted_content"] } };
    const [first, second] = await twoRounds(aiSdk(sol()), { provider_options }, form);
    expect(first).toMatchObject({ model: "gpt-6-sol", store: false, max_output_tokens: 1_024 });
    const input: readonly JsonValue[] = isArray(second?.input) ? second.input : [];
    expect(input.slice(2)).toMatchObject([
      { type: "reasoning", encrypted_content: "gAAA", summary: [{ text: "Two suites." }] },
      { role: "assistant", content: "Running both." },
      { type: "function_call", call_id: "call_1", name: "bash" },
      { type: "function_call", call_id: "call_2", name: "status" },
      { type: "function_call_output", call_id: "call_1", output: "done call_1" },
      { type: "function_call_output", call_id: "call_2", output: "done call_2" },
      { role: "user", content: [{ text: "Go on." }] },
    ]);
  },
);

test("where OpenAI stores them, answers are sent as references", async () => {
  server.answers = [responsesAnswer];
  const second = (await twoRounds(aiSdk(sol()), {}, "streamed"))[1];
  expect(isArray(second?.input) && second.input.slice(2, 6)).toMatchObject([
    { type: "item_reference", id: "rs_1" },
    { type: "item_reference", id: "msg_1" },
    { type: "function_call", call_id: "call_1" },
    { type: "function_call", call_id: "call_2" },
  ]);
});

test("without the reasoning, its items are sent without their ids", async () => {
  server.answers = [responsesAnswer];
  const { messages } = await aiSdk(sol()).complete({ messages: [{ role: "user", content: "Go." }] });
  const [answer] = messages as [{ content: JsonObject[] }];
  const stripped = { ...answer, content: answer.content.filter(({ type }) => type !== "thinking") };
  await aiSdk(sol()).complete({
    messages: [{ role: "user", content: "Go." }, stripped, RESULTS(["call_1", "call_2"])],
  });
  expect(JSON.stringify(server.requests[1]?.body.input)).not.toMatch(/fc_1|msg_1|item_reference/);
});

test("a stream yields the same events as those of the other models", async () => {
  server.answers = [anthropicAnswer];
  const events: ModelEvent[] = await Array.fromAsync(aiSdk(claude()).stream(ASKED));
  const types = events.map(({ type }) => type).filter((type, index, list) => type !== list[index - 1]);
  expect(types).toEqual(["reasoning", "text", "tool-call", "usage", "end"]);
  const usage = { inputTokens: 992, cacheReadTokens: 900, cacheWriteTokens: 80, outputTokens: 57 };
  expect(events.at(-2)).toMatchObject({ type: "usage", usage });
});

test("media, tool choice and cache marks are sent in the provider's words", async () => {
  server.answers = [anthropicAnswer];
  const source = { type: "base64", media_type: "image/png", data: "iVBOR" };
  const marked = { type: "text", text: "See.", cache_control: { type: "ephemeral" } };
  // Newer models refuse to be forced, which the AI SDK knows.
  await aiSdk(claude("claude-opus-4-6")).complete({
    max_tokens: 100,
    tools: TOOLS,
    system: [marked, { type: "text", text: "Then say it." }],
    tool_choice: { type: "tool", name: "bash" },
    messages: [{ role: "user", content: [{ type: "image", source }, marked] }],
  });
  expect(server.requests[0]?.body).toMatchObject({
    system: [marked, { text: "Then say it." }],
    tool_choice: { type: "tool", name: "bash" },
    messages: [{ content: [{ type: "image", source }, marked] }],
  });
});

test("what has no place in a prompt is refused before anything is sent", async () => {
  const ask = (fields: object) => aiSdk(claude()).complete({ messages: [{ role: "user", content: "Go." }], ...fields });
  await expect(ask({ tools: [{ type: "web_search_20250305", name: "web_search" }] })).rejects.toMatchObject({
    code: "invalid-request",
  });
  const block = { type: "compaction", content: "Before.", signature: "x" };
  await expect(ask({ messages: [{ role: "assistant", content: [block] }] })).rejects.toMatchObject({
    code: "invalid-request",
  });
  expect(() => aiSdk({ ...claude(), specificationVersion: "v2" })).toThrow(/specification v4/);
  expect(server.requests).toEqual([]);
});

test("failures are retried here, an overflow is not, and both keep their cause", async () => {
  const busy = {
    status: 529,
    whole: { type: "error", error: { type: "overloaded_error", message: "Busy." } },
    headers: { "retry-after-ms": "1" },
  };
  server.answers = [busy, busy, anthropicAnswer];
  expect((await aiSdk(claude()).complete(ASKED)).text).toBe("Running both.");
  server.requests.length = 0;
  server.answers = [busy];
  await expect(Array.fromAsync(aiSdk(claude()).stream(ASKED))).rejects.toMatchObject({
    code: "model-failed",
    retryable: true,
    cause: { statusCode: 529 },
  });
  expect(server.requests).toHaveLength(3);
  server.requests.length = 0;
  const message = "prompt is too long: 213462 tokens > 200000 maximum";
  server.answers = [{ status: 400, whole: { type: "error", error: { type: "invalid_request_error", message } } }];
  await expect(aiSdk(claude()).complete(ASKED)).rejects.toMatchObject({
    reason: "overflow",
    cause: { statusCode: 400 },
  });
  expect(server.requests).toHaveLength(1);
});

test.each([
  ["whole", { hangs: true }],
  ["streamed", { events: anthropicAnswer.events.slice(0, 4), hangs: true }],
])("an abort reaches the provider at once, %s", async (form, answer) => {
  server.answers = [answer];
  const controller = new AbortController();
  const outcome = replyOf(aiSdk(claude()), ASKED, form, controller.signal).catch((error: unknown) => error);
  await expect.poll(() => server.requests.length, PATIENTLY).toBe(1);
  controller.abort("enough");
  expect(await outcome).toMatchObject({ code: "aborted", cause: "enough" });
  await expect.poll(() => server.requests[0]?.isAborted, PATIENTLY).toBe(true);
});

test("a cut stream is no answer, and may be asked for again", async () => {
  server.answers = [{ events: anthropicAnswer.events.slice(0, -2), isCut: true }];
  const outcome = Array.fromAsync(aiSdk(claude()).stream(ASKED));
  await expect(outcome).rejects.toMatchObject({ code: "model-failed", retryable: true });
});

test("a wrapped model is one too, and writes summaries", async () => {
  const text = checkpointText("Read the modules.", "Module 0 is in src/module-0.ts.");
  server.answers = [
    { whole: { ...anthropicAnswer.whole, stop_reason: "end_turn", content: [{ type: "text", text }] } },
  ];
  const model = aiSdk(wrapLanguageModel({ model: claude(), middleware: [] }));
  const messages = Array.from({ length: 12 }, (_, turn) => ({
    role: turn % 2 === 0 ? "user" : "assistant",
    content: `Read src/module-${turn}.ts. ${"It exports a function and a list of states. ".repeat(40)}`,
  }));
  const compactor = createCompactor({ format: model.format, windowTokens: 32_000, summarizer: llm({ model }) });
  const asked = { model: model.id, max_tokens: 100, messages: [...messages, { role: "user", content: "Go on." }] };
  const { report } = await compactor.compact(asked, { target: { tokens: 2_500 } });
  expect(report).toMatchObject({ fallbacks: [], model: "claude-opus-5-5" });
});
