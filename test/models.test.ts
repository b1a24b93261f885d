/** Models over the official clients and real HTTP: what they send, what is read from whole and streamed answers, and how they fail. */

import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { CompactionError } from "../src/core/errors.ts";
import { isArray, type JsonObject } from "../src/core/json.ts";
import type { Model, ModelEvent } from "../src/core/model.ts";
import { anthropic, gemini, openaiChat, openaiResponses } from "../src/models.ts";
import { openSession } from "../src/session.ts";
import { anthropicAnswer, chatAnswer, geminiAnswer, responsesAnswer, type WholeAnswer } from "./model-answers.ts";
import { type ModelServer, PATIENTLY, startModelServer } from "./model-server.ts";

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.requests.length = 0;
});

const anthropicClient = (maxRetries = 0) => new Anthropic({ baseURL: server.origin, apiKey: "none", maxRetries });
const openaiClient = (maxRetries = 0) => new OpenAI({ baseURL: `${server.origin}/v1`, apiKey: "none", maxRetries });
const geminiClient = () => new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: server.origin } });
/** One attempt, so that nothing waits. */
const once = { request: { config: { httpOptions: { retryOptions: { attempts: 1 } } } } };

interface Provider {
  readonly name: string;
  readonly model: () => Model;
  readonly answer: WholeAnswer;
  readonly body: JsonObject;
  /** What answers the first call. */
  readonly results: readonly JsonObject[];
}

const PROVIDERS: readonly Provider[] = [
  {
    name: "anthropic",
    model: () => anthropic(anthropicClient(), "claude-opus-5-5"),
    answer: anthropicAnswer,
    body: { max_tokens: 1024, messages: [{ role: "user", content: "Test it." }] },
    results: [
      {
        role: "user",
        content: ["toolu_1", "toolu_2"].map((id) => ({ type: "tool_result", tool_use_id: id, content: "ok" })),
      },
    ],
  },
  {
    name: "openaiResponses",
    model: () => openaiResponses(openaiClient(), "gpt-6-sol"),
    answer: responsesAnswer,
    body: { input: [{ role: "user", content: "Test it." }], store: false },
    results: ["call_1", "call_2"].map((id) => ({ type: "function_call_output", call_id: id, output: "ok" })),
  },
  {
    name: "openaiChat",
    model: () => openaiChat(openaiClient(), "deepseek-x"),
    answer: chatAnswer,
    body: { messages: [{ role: "user", content: "Test it." }] },
    results: ["call_1", "call_2"].map((id) => ({ role: "tool", tool_call_id: id, content: "ok" })),
  },
  {
    name: "gemini",
    model: () => gemini(geminiClient(), "gemini-3.5-flash", once),
    answer: geminiAnswer,
    body: { contents: [{ role: "user", parts: [{ text: "Test it." }] }] },
    results: [
      {
        role: "user",
        parts: ["bash", "status"].map((name) => ({ functionResponse: { name, response: { output: "ok" } } })),
      },
    ],
  },
];

describe.each(PROVIDERS)("$name", ({ name, model, answer, body, results }) => {
  test("an answer is the same whole and streamed, and as it came", async () => {
    server.answers = [answer];
    const asked = model();
    const whole = await asked.complete(body);
    const events = await all(asked.stream(body));
    const streamed = events.at(-1);
    expect(whole).toMatchObject({ text: "Running both.", stopReason: "tool-calls" });
    expect(whole.calls.map((call) => [call.name, call.input])).toEqual([
      ["bash", { cmd: "npm test" }],
      ["status", {}],
    ]);
    expect(whole.usage).toMatchObject(name === "anthropic" ? { inputTokens: 992 } : { inputTokens: 900 });
    expect(whole.model).toBe(answer.whole.model ?? answer.whole.modelVersion);
    expect(plain(whole.response)).toMatchObject(answer.whole);
    // What the clients add to a response for convenience.
    const { output_text: _text, sdkHttpResponse: _http, ...said } = plain(whole.response);
    if (streamed?.type !== "end") throw new Error("the stream has no end");
    expect(plain(streamed.reply.response)).toEqual(said);
    expect(plain({ ...streamed.reply, response: {} })).toEqual(plain({ ...whole, response: {} }));
  });

  test("a stream yields typed events in order", async () => {
    server.answers = [answer];
    const events = await all(model().stream(body));
    const texts = (type: string) => events.map((event) => ("text" in event && event.type === type ? event.text : ""));
    expect(texts("text").join("")).toBe("Running both.");
    expect(texts("text").filter((text) => text !== "").length).toBeGreaterThan(1);
    expect(texts("reasoning").join("")).toBe("Two suites.");
    const types = events.map(({ type }) => type).filter((type, index, list) => type !== list[index - 1]);
    expect(types).toEqual(["reasoning", "text", "tool-call", "usage", "end"]);
    expect(server.requests).toHaveLength(1);
  });

  test.each(["whole", "streamed"])("%s, it can be appended to a session and sent back", async (form) => {
    server.answers = [answer];
    const asked = model();
    const session = await openSession(`${name}-${form}`, {
      store: "memory:",
      compactor: { format: asked.format },
      body: { model: asked.id, ...body, [asked.format.listKey]: [] },
    });
    await session.append("Test it.");
    const request = await session.request();
    const end = (await all(asked.stream(request))).at(-1);
    const { response } = form === "whole" ? await asked.complete(request) : end?.type === "end" ? end.reply : fail();
    await session.append(response);
    for (const result of results) await session.append(result);
    await asked.complete(await session.request());
    expect(asked.format.validate(await session.request(), { sending: true })).toEqual([]);
    const added = asked.format.readReply(answer.whole) ?? fail();
    const sent = server.requests.at(-1)?.body[asked.format.listKey];
    expect(isArray(sent) && sent.slice(1, 1 + added.length)).toEqual(added);
    await session.close();
  });

  test("a cut stream is no answer, and may be asked for again", async () => {
    server.answers = [{ events: answer.events.slice(0, -3), isCut: true }];
    await expect(all(model().stream(body))).rejects.toMatchObject({ code: "model-failed", retryable: true });
  });

  test("an abort reaches the client at once, whole and streamed", async () => {
    server.answers = [{ hangs: true }];
    const before = await abortedAfter((signal) => model().complete(body, signal));
    expect(before).toMatchObject({ code: "aborted", cause: "enough" });
    server.answers = [{ events: answer.events.slice(0, 4), hangs: true }];
    const during = await abortedAfter((signal) => all(model().stream(body, signal)));
    expect(during).toMatchObject({ code: "aborted", cause: "enough" });
    await expect(model().complete(body, AbortSignal.abort("never sent"))).rejects.toMatchObject({
      cause: "never sent",
    });
    await expect(all(model().stream(body, AbortSignal.abort("never sent")))).rejects.toMatchObject({
      cause: "never sent",
    });
    expect(server.requests).toHaveLength(2);
  });

  test("a caller that stops reading ends the request", async () => {
    server.answers = [{ events: answer.events.slice(0, 6), hangs: true }];
    for await (const event of model().stream(body)) {
      expect(event.type).toBe("reasoning");
      break;
    }
    await expect.poll(() => server.requests[0]?.isAborted, PATIENTLY).toBe(true);
  });

  test("an error keeps what the client threw as its cause", async () => {
    const error = { type: "overloaded_error", message: "The service is overloaded.", code: 529, status: "UNAVAILABLE" };
    server.answers = [{ status: 529, whole: { type: "error", error } }];
    for (const ask of [() => model().complete(body), () => all(model().stream(body))]) {
      const thrown = await ask().catch((reason: unknown) => reason);
      expect(thrown).toMatchObject({ code: "model-failed", retryable: true, cause: { status: 529 } });
      expect(String(thrown)).toContain("overloaded");
    }
    server.answers = [{ status: 401, whole: { type: "error", error: { ...error, type: "authentication_error" } } }];
    await expect(model().complete(body)).rejects.toMatchObject({ retryable: false, cause: { status: 401 } });
  });

  test("a bare list is no request", async () => {
    await expect(model().complete([{ role: "user" }])).rejects.toMatchObject({ code: "invalid-request" });
    await expect(all(model().stream([{ role: "user" }]))).rejects.toMatchObject({ code: "invalid-request" });
  });
});

test.each([
  ["anthropic", 0, "prompt is too long: 213462 tokens > 200000 maximum", "invalid_request_error"],
  ["openaiResponses", 1, "Your input exceeds the context window of this model.", "context_length_exceeded"],
  ["openaiChat", 2, "This model's maximum context length is 128000 tokens.", "context_length_exceeded"],
  ["gemini", 3, "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).", "400"],
] as const)("%s: an overflow says so, and a session learns from it", async (_, index, message, code) => {
  const provider = PROVIDERS[index] ?? fail();
  server.answers = [{ status: 400, whole: { type: "error", error: { type: code, code, message } } }];
  const asked = provider.model();
  const thrown = await asked.complete(provider.body).catch((error: CompactionError) => error);
  expect(thrown).toMatchObject({ code: "model-failed", reason: "overflow", retryable: false });
  expect(asked.format.readOverflow(thrown)).toBeDefined();
});

test("a failed response in a stream is an error with the response as its cause", async () => {
  const failed = (code: string) => ({
    type: "response.failed",
    response: { object: "response", status: "failed", output: [], error: { code, message: "It failed." } },
  });
  const asked = openaiResponses(openaiClient(), "gpt-6-sol");
  const check = async (event: JsonObject, expected: object): Promise<void> => {
    server.answers = [{ events: [event] }];
    await expect(all(asked.stream({ input: "x" }))).rejects.toMatchObject({ code: "model-failed", ...expected });
  };
  await check(failed("server_error"), { retryable: true, cause: { error: { code: "server_error" } } });
  await check(failed("invalid_prompt"), { retryable: false });
  await check(failed("context_length_exceeded"), { retryable: false, reason: "overflow" });
  await check({ type: "error", code: "server_error", message: "It failed." }, { retryable: true });
  await check(
    { type: "error", error: { code: "context_length_exceeded", message: "It is too long." } },
    { reason: "overflow" },
  );
});

test("a server that leaves the items out of the last event has them all the same", async () => {
  const finished = responsesAnswer.whole;
  const events = responsesAnswer.events.map((event) =>
    event.type === "response.completed" ? { ...event, response: { ...finished, output: [] } } : event,
  );
  server.answers = [{ events }];
  const end = (await all(openaiResponses(openaiClient(), "gpt-6-sol").stream({ input: "x" }))).at(-1);
  expect(end).toMatchObject({ type: "end", reply: { response: finished } });
});

test.each([
  ["anthropic", 0, { ...anthropicAnswer.whole, content: [], stop_reason: "refusal" }, "refusal"],
  ["anthropic", 0, { ...anthropicAnswer.whole, content: [], stop_reason: "pause_turn" }, "pause"],
  [
    "openaiResponses",
    1,
    { ...responsesAnswer.whole, output: [], status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
    "length",
  ],
  [
    "openaiResponses",
    1,
    {
      ...responsesAnswer.whole,
      output: [
        {
          type: "message",
          id: "m",
          role: "assistant",
          status: "completed",
          content: [{ type: "refusal", refusal: "No." }],
        },
      ],
    },
    "refusal",
  ],
  [
    "openaiChat",
    2,
    {
      ...chatAnswer.whole,
      choices: [{ index: 0, finish_reason: "content_filter", message: { role: "assistant", content: null } }],
    },
    "refusal",
  ],
  [
    "openaiChat",
    2,
    {
      ...chatAnswer.whole,
      choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: null, refusal: "No." } }],
    },
    "refusal",
  ],
  ["gemini", 3, { candidates: [{ finishReason: "MAX_TOKENS", index: 0 }] }, "length"],
] as const)("%s: an answer that says nothing, or no, is a reply", async (_, index, whole, stopReason) => {
  const provider = PROVIDERS[index] ?? fail();
  // The answer is JSON.
  server.answers = [{ whole: whole as unknown as JsonObject }];
  const reply = await provider.model().complete(provider.body);
  expect(reply).toMatchObject({ stopReason, calls: [] });
  const session = await openSession("empty", { store: "memory:", compactor: { format: provider.model().format } });
  await session.append("Go.");
  expect(await session.append(reply.response)).toHaveLength(reply.messages.length);
  await session.close();
});

test("several choices are no answer to go on with", async () => {
  const [choice] = isArray(chatAnswer.whole.choices) ? chatAnswer.whole.choices : [];
  server.answers = [{ whole: { ...chatAnswer.whole, choices: [choice ?? null, choice ?? null] } }];
  const asked = openaiChat(openaiClient(), "x").complete({ messages: [], n: 2 });
  await expect(asked).rejects.toMatchObject({ code: "model-failed", message: expect.stringContaining("2 choices") });
});

test("a blocked prompt is an error that is not retried", async () => {
  server.answers = [{ whole: { promptFeedback: { blockReason: "PROHIBITED_CONTENT" } } }];
  const asked = gemini(geminiClient(), "gemini-3.5-flash", once).complete(PROVIDERS[3]?.body ?? {});
  await expect(asked).rejects.toMatchObject({ code: "model-failed", retryable: false });
});

/** Aborts once the server has been asked. */
async function abortedAfter(ask: (signal: AbortSignal) => Promise<unknown>): Promise<unknown> {
  const controller = new AbortController();
  const seen = server.requests.length;
  const outcome = ask(controller.signal).catch((error: unknown) => error);
  await expect.poll(() => server.requests.length, PATIENTLY).toBe(seen + 1);
  controller.abort("enough");
  const error = await outcome;
  await expect.poll(() => server.requests[seen]?.isAborted, PATIENTLY).toBe(true);
  return error;
}

async function all(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  return Array.fromAsync(events);
}

/** As it would be stored. */
function plain(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

function fail(): never {
  throw new Error("this case is missing");
}
