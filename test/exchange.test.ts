/** What the exchange does when the provider refuses, when something here fails, and whom it tells. Over real HTTP. */

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../src/core/json.ts";
import type { FormatName } from "../src/core/message.ts";
import { type ExchangeCompaction, type PalimpsestOptions, palimpsest } from "../src/fetch.ts";
import { formatNames } from "../src/formats.ts";
import { longBody } from "./fetch-agents.ts";
import { type ModelOptions, refusalBody, refuse, startModel, wording } from "./fetch-server.ts";
import { checkpointText } from "./summarizer-script.ts";

const PATH = "/v1/chat/completions";

/** A model, a fetch in front of it, and what it told. */
async function world(server: ModelOptions, options: PalimpsestOptions = {}) {
  const model = await startModel(server);
  const errors: unknown[] = [];
  const compactions: ExchangeCompaction[] = [];
  const fetch = palimpsest({
    onError: (error) => errors.push(error),
    onCompaction: (event) => compactions.push(event),
    ...options,
  });
  const post = (body: JsonObject, path = PATH, init: RequestInit = {}) =>
    fetch(model.origin + path, { method: "POST", body: JSON.stringify(body), ...init });
  return { model, errors, compactions, fetch, post };
}

test.each([400, 413, 422, 500])(
  "a refusal with status %i is learned from, and the request sent compacted",
  async (status) => {
    const { model, errors, compactions, post } = await world({
      windowTokens: 24_000,
      answer: ({ tokens }, response) => {
        const isLong = tokens > 24_000;
        if (isLong) refuse(response, refusalBody("openai-chat", wording("openai-chat", tokens, 24_000), true), status);
        return isLong;
      },
    });
    expect((await post(longBody(60))).status).toBe(200);
    expect((await post(longBody(61))).status).toBe(200);
    expect(model.requests).toHaveLength(3);
    expect(compactions.map(({ format, model: name }) => [format, name])).toEqual([["openai-chat", "gpt-5"]]);
    expect(compactions[0]?.report.overflow).toMatchObject({ retry: true, windowTokens: 24_000, isStated: true });
    expect(errors).toEqual([]);
  },
);

/** What refuses inside an answer with status 200, before its first content. */
const STREAMED_REFUSALS: Readonly<Record<FormatName, string>> = {
  "anthropic-messages": `event: error\ndata: ${JSON.stringify(refusalBody("anthropic-messages", "prompt is too long", true))}\n\n`,
  "openai-chat": `: waiting\n\ndata: ${JSON.stringify(refusalBody("openai-chat", "maximum context length exceeded", true))}\n\n`,
  "openai-responses": [
    { type: "response.created", response: { status: "in_progress" } },
    { type: "response.in_progress", response: { status: "in_progress" } },
    {
      type: "response.failed",
      response: { status: "failed", error: { code: "context_length_exceeded", message: "Too long" } },
    },
  ]
    .map((event) => `event: ${event.type}\r\ndata: ${JSON.stringify(event)}\r\n\r\n`)
    .join(""),
  gemini: `data: ${JSON.stringify(refusalBody("gemini", "The input token count exceeds the maximum number of tokens allowed", true))}\n\n`,
};

test.each(formatNames)("a refusal within a stream of %s never reaches the caller", async (name) => {
  let refusals = 0;
  const { model, errors, compactions, post } = await world({
    windowTokens: 24_000,
    answer: ({ tokens }, response) => {
      if (tokens <= 24_000) return false;
      refusals++;
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const byte of Buffer.from(STREAMED_REFUSALS[name])) response.write(Buffer.of(byte));
      response.end();
      return true;
    },
  });
  const response = await post({ ...bodyOf(name), stream: true }, PATHS[name]);
  expect(Buffer.from(await response.arrayBuffer())).toEqual(model.answers.at(-1));
  expect(refusals).toBe(1);
  expect(compactions).toHaveLength(1);
  expect(errors).toEqual([]);
});

const PATHS: Readonly<Record<FormatName, string>> = {
  "anthropic-messages": "/v1/messages",
  "openai-chat": PATH,
  "openai-responses": "/v1/responses",
  gemini: "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
};

/** About 50,000 tokens of talk. */
function bodyOf(name: FormatName): JsonObject {
  const texts = Array.from({ length: 121 }, (_, at) => `${at}: ${`words of message ${at} `.repeat(80)}`);
  const said = texts.map((content, at): JsonObject => ({ role: at % 2 === 0 ? "user" : "assistant", content }));
  if (name === "openai-responses") return { model: "gpt-5", store: false, input: said };
  if (name !== "gemini")
    return { model: name === "openai-chat" ? "gpt-5" : "claude-opus-4-5", max_tokens: 100, messages: said };
  return { contents: texts.map((text, at) => ({ role: at % 2 === 0 ? "user" : "model", parts: [{ text }] })) };
}

test("an answer that was cut for want of room is asked for again, where it is not streamed", async () => {
  const cut = { choices: [{ index: 0, message: { role: "assistant", content: "" }, finish_reason: "length" }] };
  const usage = { prompt_tokens: 24_000, completion_tokens: 0 };
  const { model, compactions, post } = await world({
    windowTokens: 24_000,
    answer: ({ tokens }, response) => {
      if (tokens > 24_000) refuse(response, { ...cut, usage }, 200);
      return tokens > 24_000;
    },
  });
  const response = await post(longBody(60));
  expect(Buffer.from(await response.arrayBuffer())).toEqual(model.answers[0]);
  expect(compactions[0]?.report.overflow).toMatchObject({ windowTokens: 21_600, retry: true });
});

test("a stream that ends because the window is full teaches the window", async () => {
  const stop = {
    type: "message_delta",
    delta: { stop_reason: "model_context_window_exceeded" },
    usage: { output_tokens: 500 },
  };
  const start = {
    type: "message_start",
    message: { role: "assistant", usage: { input_tokens: 30_000, output_tokens: 1 } },
  };
  const events = [start, stop].map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  const { compactions, post } = await world({
    windowTokens: 10 ** 6,
    answer: (_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).end(events);
      return true;
    },
  });
  const body = { ...bodyOf("anthropic-messages"), stream: true };
  expect(await (await post(body, "/v1/messages")).text()).toBe(events);
  expect(compactions).toEqual([]);
  await (await post(body, "/v1/messages")).text();
  expect(compactions).toHaveLength(1);
});

test("a stream in a form that nobody here reads is passed on as it comes", async () => {
  const ended = Promise.withResolvers<void>();
  const { fetch, model, errors } = await world({
    windowTokens: 24_000,
    answer: (_, response) => {
      response.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" }).write("first");
      void ended.promise.then(() => response.end("last"));
      return true;
    },
  });
  const url = `${model.origin}/model/us.anthropic.claude-opus-4-5/invoke-with-response-stream`;
  const body = JSON.stringify({ max_tokens: 10, messages: [{ role: "user", content: "Hello" }] });
  const { body: stream } = await fetch(url, { method: "POST", body });
  const pieces: string[] = [];
  for await (const piece of stream ?? []) {
    pieces.push(Buffer.from(piece).toString());
    ended.resolve();
  }
  expect(pieces).toEqual(["first", "last"]);
  expect(errors).toEqual([]);
});

test("a refusal that no compaction helps against is the caller's, as it came", async () => {
  const error = refusalBody("openai-chat", wording("openai-chat", 60_000, 24_000), true);
  const { model, errors, post } = await world({
    windowTokens: 24_000,
    answer: (_, response) => refuse(response, error),
  });
  const response = await post(longBody(60));
  expect(response.status).toBe(400);
  expect(await response.json()).toEqual(error);
  expect(model.requests.length).toBeGreaterThan(1);
  expect(model.requests.length).toBeLessThan(10);
  expect(errors).toEqual([]);
});

test.each([401, 429, 500, 529])(
  "status %i that says nothing of length is the caller's, and nothing is repeated",
  async (status) => {
    const error = { error: { type: "other_error", message: "Try again later." } };
    const { model, errors, post } = await world({
      windowTokens: 24_000,
      answer: (_, response) => refuse(response, error, status),
    });
    const response = await post(longBody(3));
    expect([response.status, await response.json()]).toEqual([status, error]);
    expect(model.requests).toHaveLength(1);
    expect(errors).toEqual([]);
  },
);

test("a request that only the edits made wrong is sent as it came", async () => {
  const body = longBody(60);
  const whole = JSON.stringify(body).length;
  const wrong = refusalBody("openai-chat", "Something about your messages is wrong.", false);
  const { model, errors, post } = await world(
    {
      windowTokens: 10 ** 6,
      answer: ({ bytes }, response) => bytes.length < whole && refuse(response, wrong),
    },
    { windowTokens: 24_000 },
  );
  expect((await post(body)).status).toBe(200);
  expect(model.requests.map(({ bytes }) => bytes.length < whole)).toEqual([true, false]);
  expect(errors).toMatchObject([{ code: "invalid-request" }]);
});

test("whatever fails here, the request goes out as it came", async () => {
  const fails = (): never => {
    throw new Error("defect");
  };
  const broken: PalimpsestOptions[] = [
    { keepRecent: fails },
    { conversation: fails },
    { profile: "openclaw", summarizer: { name: "own", version: "1", planCalls: fails, summarize: fails } },
  ];
  for (const options of broken) {
    const { model, post } = await world({ windowTokens: 10 ** 6 }, { windowTokens: 24_000, ...options });
    expect((await post(longBody(60))).status).toBe(200);
    expect(model.requests).toHaveLength(1);
  }
  const { model, errors, post } = await world({ windowTokens: 10 ** 6 }, { windowTokens: 24_000, conversation: fails });
  await post(longBody(60));
  expect(errors).toMatchObject([{ message: "defect" }]);
  expect(model.requests[0]?.bytes.toString()).toBe(JSON.stringify(longBody(60)));
  const { model: other, post: send } = await world(
    { windowTokens: 10 ** 6 },
    { windowTokens: 24_000, onCompaction: fails, onError: fails },
  );
  expect((await send(longBody(60))).status).toBe(200);
  expect(other.requests[0]?.tokens).toBeLessThan(24_000);
});

test("a body that nests too deep to be written again goes out as it came", async () => {
  const { model, fetch } = await world({ windowTokens: 10 ** 6 });
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  const body = `{"model":"gpt-5","messages":[1,2,3,4,5,${deep},1,2,3,4,5]}`;
  await fetch(model.origin + PATH, { method: "POST", body });
  expect(model.requests[0]?.bytes.toString()).toBe(body);
});

test("an abort ends a compaction, and nothing is sent", async () => {
  const asked = Promise.withResolvers<void>();
  const summarize = async (_: unknown, { signal }: { readonly signal: AbortSignal }): Promise<never> => {
    asked.resolve();
    const aborted = Promise.withResolvers<never>();
    signal.addEventListener("abort", () => aborted.reject(signal.reason));
    return aborted.promise;
  };
  const summarizer = { name: "slow", version: "1", planCalls: () => 1, summarize };
  const { model, errors, post } = await world({ windowTokens: 10 ** 6 }, { windowTokens: 24_000, summarizer });
  const [first, second] = [new AbortController(), new AbortController()];
  const [answer, other] = [first, second].map(({ signal }) => post(longBody(60), PATH, { signal }));
  await asked.promise;
  // It waits for the one before.
  second.abort();
  await expect(other).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
  first.abort();
  await expect(answer).rejects.toThrow(expect.objectContaining({ name: "AbortError" }));
  expect(model.requests).toEqual([]);
  expect(errors).toEqual([]);
});

test("options that are wrong are refused at once", () => {
  expect(() => palimpsest({ windowTokens: -1 })).toThrow("windowTokens");
  expect(() => palimpsest({ windowToken: 1 } as never)).toThrow("windowTokens");
});

test("one fetch serves many conversations, and names them as the caller does", async () => {
  const { model, errors, compactions, post } = await world(
    { windowTokens: 24_000 },
    { windowTokens: 24_000, conversation: "x-session-id" },
  );
  const first = new Map<number, Buffer>();
  for (const round of [0, 1]) {
    await Promise.all(
      Array.from({ length: 40 }, async (_, number) => {
        const { messages, ...rest } = longBody(40 + round);
        const [question, ...others] = messages as JsonObject[];
        const body = { ...rest, messages: [{ ...question, content: `Conversation ${number}` }, ...others] };
        const before = model.requests.length;
        const response = await post(body, PATH, { headers: { "x-session-id": `s${number}` } });
        expect(response.status, String(before)).toBe(200);
      }),
    );
  }
  for (const { headers, bytes } of model.requests) {
    const number = Number(String(headers["x-session-id"]).slice(1));
    const known = first.get(number);
    first.set(number, bytes);
    // The messages that the provider has cached come first, unchanged.
    const cached = known?.subarray(0, -200).toString();
    if (cached !== undefined) expect(bytes.toString().startsWith(cached)).toBe(true);
  }
  expect(compactions).toHaveLength(40);
  expect(new Set(compactions.map(({ conversation }) => conversation)).size).toBe(40);
  expect(errors).toEqual([]);
});

test("conversations beyond those that are remembered are compacted anew", async () => {
  const { model, compactions, post } = await world(
    { windowTokens: 24_000 },
    { windowTokens: 24_000, conversations: 1 },
  );
  const other = {
    ...longBody(40),
    messages: [{ role: "user", content: "Another" }, ...((longBody(40).messages ?? []) as [])],
  };
  for (const body of [longBody(40), other, longBody(40)]) expect((await post(body)).status).toBe(200);
  expect(compactions).toHaveLength(3);
  expect(model.refusals).toEqual([]);
});

test("a client that sends threads is told to send whole lists, and does", async () => {
  const { model, fetch } = await world({ windowTokens: 24_000, calls: 40 });
  const client = new Anthropic({ apiKey: "none", baseURL: model.origin, maxRetries: 0, fetch });
  const runner = client.beta.messages.toolRunner({
    model: "claude-opus-4-5",
    max_tokens: 1_000,
    messages: [{ role: "user", content: "Read every module." }],
    tools: [
      {
        name: "read_file",
        input_schema: { type: "object" },
        parse: (input) => input,
        run: () => "export const x = 1;\n".repeat(150),
      },
    ],
  });
  const last = await runner;
  expect(last.stop_reason).toBe("end_turn");
  expect(model.violations).toEqual([]);
  expect(model.requests.filter(({ body }) => body.thread !== undefined)).toEqual([]);
  expect(model.refusals.length).toBeLessThanOrEqual(2);
});

test("retries are the client's", async () => {
  let failures = 2;
  const { model, fetch } = await world({
    windowTokens: 24_000,
    answer: (_, response) => {
      if (failures-- <= 0) return false;
      response.writeHead(529, { "retry-after-ms": "1" }).end("{}");
      return true;
    },
  });
  const client = new OpenAI({ apiKey: "none", baseURL: `${model.origin}/v1`, fetch });
  await client.chat.completions.create({ model: "gpt-5", messages: [{ role: "user", content: "Hello" }] });
  expect(model.requests.map(({ headers }) => headers["x-stainless-retry-count"])).toEqual(["0", "1", "2"]);
});

describe("the summarizer `self`", () => {
  const SUMMARY = checkpointText("Say words of message 0 again and again.", "words of message 24");

  test.each(formatNames)("asks the model of a %s request in band, with the headers of the request", async (name) => {
    const { model, errors, compactions, post } = await world(
      { windowTokens: 100_000, say: ({ body }) => (isQuestion(body) ? SUMMARY : undefined) },
      { windowTokens: 60_000, summarizer: "self" },
    );
    const asked = { ...bodyOf(name), ...(name !== "gemini" && { stream: true }) };
    const response = await post(asked, PATHS[name], { headers: { "x-api-key": "own" } });
    expect(Buffer.from(await response.arrayBuffer())).toEqual(model.answers.at(-1));
    expect(compactions[0]?.report).toMatchObject({
      calls: 1,
      fallbacks: [],
      result: { summarizer: expect.stringMatching(/^self /) },
    });
    const [question, request] = model.requests;
    expect(model.requests.map(({ headers }) => headers["x-api-key"])).toEqual(["own", "own"]);
    // Up to the question the same list, so that the provider reads it from its cache.
    const list = (body: JsonObject = {}) => JSON.stringify(body.messages ?? body.input ?? body.contents);
    const begin = list(question?.body).slice(0, 50_000);
    expect(list(asked).startsWith(begin)).toBe(true);
    expect(list(request?.body)).toContain("Say words of message 0 again and again.");
    expect([question?.body.stream, question?.path.includes("stream")]).not.toContain(true);
    expect(errors).toEqual([]);
  });

  test.each(formatNames)("asks with the messages as data, where a %s request leaves no room", async (name) => {
    const { model, compactions, post } = await world(
      { windowTokens: 100_000, say: ({ body }) => (isQuestion(body) ? SUMMARY : undefined) },
      { windowTokens: 32_000, summarizer: "self" },
    );
    await (await post(bodyOf(name), PATHS[name])).text();
    expect(compactions[0]?.report).toMatchObject({
      fallbacks: [],
      result: { summarizer: expect.stringMatching(/^self /) },
    });
    expect(model.violations).toEqual([]);
  });

  test("a model that makes no summary leaves the one that needs no model", async () => {
    const { errors, compactions, post } = await world(
      { windowTokens: 100_000, say: ({ body }) => (isQuestion(body) ? "What shall I summarize?" : undefined) },
      { windowTokens: 60_000, summarizer: "self" },
    );
    expect((await post(bodyOf("openai-chat"))).status).toBe(200);
    expect(compactions[0]?.report.fallbacks).toMatchObject([{ step: "extractive" }]);
    expect(errors).toEqual([]);
  });

  const isQuestion = (body: JsonObject): boolean => JSON.stringify(body).includes("### Blocked");
});
