/** What models send to their providers: beta headers, counts, questions, compactions. Over the official clients and real HTTP. */

import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createCompactor } from "../src/compactor.ts";
import { isArray, type JsonObject } from "../src/core/json.ts";
import type { Model } from "../src/core/model.ts";
import { anthropic, type CompactingModel, gemini, openaiChat, openaiResponses } from "../src/models.ts";
import { openSession } from "../src/session.ts";
import { llm } from "../src/summarizers/llm.ts";
import { anthropicAnswer, chatAnswer, geminiAnswer, responsesAnswer } from "./model-answers.ts";
import { type ModelServer, startModelServer } from "./model-server.ts";
import { compactMessages, compactResponses } from "./native-server.ts";
import { checkpointText } from "./summarizer-script.ts";

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.requests.length = 0;
});

const anthropicClient = (maxRetries = 0) => new Anthropic({ baseURL: server.origin, apiKey: "none", maxRetries });
const openaiClient = () => new OpenAI({ baseURL: `${server.origin}/v1`, apiKey: "none", maxRetries: 0 });
const geminiClient = () => new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: server.origin } });
const claude = () => anthropic(anthropicClient(), "claude-opus-5-5");
const body = { max_tokens: 100, messages: [{ role: "user", content: "Go." }] };

describe("facts", () => {
  test("window and prices are the published ones, unless the caller states them", () => {
    const known = claude();
    expect(known).toMatchObject({ id: "claude-opus-5-5", windowTokens: 1_000_000, prices: { input: 4, output: 20 } });
    const stated = openaiChat(openaiClient(), "gpt-4o", { windowTokens: 32_000, prices: { input: 1, output: 2 } });
    expect(stated).toMatchObject({ windowTokens: 32_000, prices: { input: 1, output: 2 } });
    const unknown = openaiChat(openaiClient(), "local-model");
    expect([unknown.windowTokens, unknown.prices]).toEqual([undefined, undefined]);
  });

  test("a model has what its provider has", () => {
    const models = [
      claude(),
      openaiResponses(openaiClient(), "x"),
      openaiChat(openaiClient(), "x"),
      gemini(geminiClient(), "x"),
    ];
    expect(models.map(({ native, countTokens }) => [native?.kind, countTokens !== undefined])).toEqual([
      ["anthropic-compact", true],
      ["responses-compact", true],
      [undefined, false],
      [undefined, true],
    ]);
  });
});

describe("requests", () => {
  test("go to the model, with the fields that were stated for all of them, and say by themselves whether they stream", async () => {
    server.answers = [responsesAnswer];
    const model = openaiResponses(openaiClient(), "gpt-6-sol", {
      request: { reasoning: { effort: "low" }, store: false },
    });
    await model.complete({ model: "another", input: [], store: true, stream: true });
    expect(server.requests[0]?.body).toEqual({
      model: "gpt-6-sol",
      input: [],
      reasoning: { effort: "low" },
      store: true,
    });
  });

  test("state the betas that their fields need, besides those of the caller", async () => {
    server.answers = [anthropicAnswer];
    const check = async (fields: JsonObject, betas: string | undefined): Promise<void> => {
      await claude().complete({ ...body, ...fields });
      const asked = server.requests.at(-1);
      expect(asked?.headers["anthropic-beta"]).toBe(betas);
      expect(asked?.body).not.toHaveProperty("betas");
    };
    const signed = { type: "compaction", content: "Before.", signature: "Eo0B" };
    const threshold = { type: "compaction", content: "Before.", encrypted_content: "abc" };
    const opened = (block: JsonObject) => ({ messages: [{ role: "assistant", content: [block] }, ...body.messages] });
    await check({}, undefined);
    await check(opened(signed), "compact-2026-09-04");
    await check(opened(threshold), "compact-2026-01-12");
    await check(
      { context_management: { edits: [{ type: "clear_tool_uses_20250919" }] } },
      "context-management-2025-06-27",
    );
    await check(
      { context_management: { edits: [{ type: "compact_20260112" }] }, betas: ["mine"] },
      "mine,compact-2026-01-12",
    );
    await check(
      { thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } } },
      "thinking-binding-controls-2026-08-01",
    );
  });

  test("for a long answer are streamed to Anthropic, whose client would not wait for it", async () => {
    server.answers = [anthropicAnswer];
    const reply = await claude().complete({ ...body, max_tokens: 64_000 });
    expect([server.requests[0]?.body.stream, reply.text]).toEqual([true, "Running both."]);
    expect(JSON.parse(JSON.stringify(reply.response))).toEqual(anthropicAnswer.whole);
  });

  test("to Gemini have the stated configuration beside their own", async () => {
    server.answers = [geminiAnswer];
    const flash = gemini(geminiClient(), "x", { request: { config: { temperature: 0, topK: 1 } } });
    await flash.complete({ contents: "Go.", config: { topK: 2 } });
    expect(server.requests[0]?.body.generationConfig).toEqual({ temperature: 0, topK: 2 });
    expect(flash.question({ system: "s", prompt: "p", maxOutputTokens: 1_000 })).toMatchObject({ contents: [{}] });
  });

  test("to Gemini may be REST bodies", async () => {
    server.answers = [geminiAnswer];
    const rest = {
      contents: [{ role: "user", parts: [{ text: "Go." }] }],
      systemInstruction: { parts: [{ text: "Be brief." }] },
      generationConfig: { maxOutputTokens: 100 },
      tools: [{ functionDeclarations: [{ name: "bash" }] }],
    };
    await gemini(geminiClient(), "gemini-3.5-flash").complete(rest);
    expect(server.requests[0]?.path).toMatch(/\/models\/gemini-3.5-flash:generateContent$/);
    expect(server.requests[0]?.body).toMatchObject(rest);
  });

  test("are retried by the clients, and by no one else", async () => {
    server.answers = [{ status: 529, whole: {}, headers: { "retry-after-ms": "1" } }, anthropicAnswer];
    const reply = await anthropic(anthropicClient(2), "claude-opus-5-5").complete(body);
    expect([reply.stopReason, server.requests.length]).toEqual(["tool-calls", 2]);
    server.answers = [{ status: 503, whole: {} }, { status: 503, whole: {} }, { status: 503, whole: {} }, geminiAnswer];
    server.requests.length = 0;
    const retryOptions = { attempts: 3, initialDelay: 0.001, jitter: 0 };
    const flash = gemini(geminiClient(), "x", { request: { config: { httpOptions: { retryOptions } } } });
    await expect(flash.complete({ contents: "Go." })).rejects.toMatchObject({ retryable: true });
    expect(server.requests).toHaveLength(3);
  });
});

describe("counting", () => {
  test("asks the provider's endpoint with what it takes", async () => {
    server.answers = [{ whole: { input_tokens: 42 } }];
    expect(await claude().countTokens?.({ ...body, temperature: 0, system: "Be brief." })).toBe(42);
    expect(server.requests[0]).toMatchObject({
      path: "/v1/messages/count_tokens",
      body: { model: "claude-opus-5-5", messages: body.messages, system: "Be brief." },
    });
    expect(server.requests[0]?.body).not.toHaveProperty("max_tokens");
    const sol = openaiResponses(openaiClient(), "gpt-6-sol");
    expect(await sol.countTokens?.({ input: "Go.", store: false, instructions: "Be brief." })).toBe(42);
    expect(server.requests[1]).toMatchObject({ path: "/v1/responses/input_tokens" });
    expect(server.requests[1]?.body).toEqual({ model: "gpt-6-sol", input: "Go.", instructions: "Be brief." });
    server.answers = [{ whole: { totalTokens: 42 } }];
    const flash = gemini(geminiClient(), "gemini-3.5-flash");
    const asked = {
      contents: [{ role: "user", parts: [{ text: "Go." }] }],
      config: { systemInstruction: "Be brief." },
    };
    expect(await flash.countTokens?.(asked)).toBe(42);
    expect(server.requests[2]).toMatchObject({
      path: expect.stringMatching(/\/models\/gemini-3.5-flash:countTokens$/),
      body: { contents: [{ parts: [{ text: "Be brief." }] }, { parts: [{ text: "Go." }] }] },
    });
  });
});

/** Long enough that a summary is worth it. */
function chat(turns: number): { role: string; content: string }[] {
  return Array.from({ length: turns }, (_, turn) => [
    { role: "user", content: `Read module ${turn}. ${"It exports a function and a list of states. ".repeat(20)}` },
    { role: "assistant", content: `Module ${turn} is in src/module-${turn}.ts. ${"It is tested. ".repeat(40)}` },
  ]).flat();
}

const SUMMARY = checkpointText(
  "Read module 0 to module 9.",
  "Module 0 is in src/module-0.ts and exports a list of states.",
);

describe("summaries", () => {
  const question: readonly [string, () => Model, object, JsonObject][] = [
    [
      "anthropic",
      claude,
      { ...anthropicAnswer.whole, stop_reason: "end_turn", content: [{ type: "text", text: SUMMARY }] },
      { max_tokens: 12_000, system: expect.any(String), messages: [{ role: "user" }] },
    ],
    [
      "openaiResponses",
      () => openaiResponses(openaiClient(), "gpt-6-luna"),
      {
        ...responsesAnswer.whole,
        output: [
          {
            type: "message",
            id: "m",
            role: "assistant",
            status: "completed",
            content: [{ type: "output_text", text: SUMMARY, annotations: [] }],
          },
        ],
      },
      { max_output_tokens: 12_000, instructions: expect.any(String), input: [{ role: "user" }], store: false },
    ],
    [
      "openaiChat",
      () => openaiChat(openaiClient(), "gpt-4o-mini"),
      {
        ...chatAnswer.whole,
        choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: SUMMARY } }],
      },
      { max_completion_tokens: 3_808, messages: [{ role: "system" }, { role: "user" }] },
    ],
    [
      "gemini",
      () => gemini(geminiClient(), "gemini-3.5-flash"),
      {
        ...geminiAnswer.whole,
        candidates: [{ content: { role: "model", parts: [{ text: SUMMARY }] }, finishReason: "STOP" }],
      },
      { contents: [{ role: "user" }], generationConfig: { maxOutputTokens: 12_000 } },
    ],
  ];

  test.each(question)("%s writes a summary of another provider's conversation", async (_, model, whole, sent) => {
    server.answers = [{ whole: whole as JsonObject }];
    const { format } = claude();
    const compactor = createCompactor({
      format,
      windowTokens: 32_000,
      summarizer: llm({ model: model(), maxOutputTokens: 3_808 }),
    });
    const asked = {
      model: "claude-opus-5-5",
      max_tokens: 100,
      messages: [...chat(10), { role: "user", content: "Go on." }],
    };
    const { request, report } = await compactor.compact(asked, { target: { tokens: 2_500 } });
    expect(report.fallbacks).toEqual([]);
    expect(report.usage?.outputTokens).toBeGreaterThan(0);
    expect(JSON.stringify(request)).toContain("src/module-0.ts");
    expect(server.requests[0]?.body).toMatchObject(sent);
    expect(server.requests[0]?.body).not.toHaveProperty("temperature");
  });

  test("a model that fails is asked once, and the ladder goes on", async () => {
    server.answers = [{ status: 529, whole: { type: "error", error: { type: "overloaded_error", message: "Busy." } } }];
    const compactor = createCompactor({
      format: claude().format,
      windowTokens: 32_000,
      summarizer: llm({ model: claude() }),
    });
    const { report } = await compactor.compact(
      { ...body, model: "claude-opus-5-5", messages: chat(10) },
      { target: { tokens: 2_500 } },
    );
    expect(JSON.stringify(report.fallbacks)).toContain("Busy");
    expect(server.requests).toHaveLength(1);
  });

  test("a model and a function exclude each other", () => {
    expect(() => llm({ model: claude(), complete: async () => ({ text: "" }) })).toThrow(/exclude each other/);
    expect(() => llm({ model: "gpt-4o" })).toThrow(/complete must be a function/);
  });

  test("in band the live request is sent as it is", async () => {
    server.answers = [
      { whole: { ...anthropicAnswer.whole, stop_reason: "end_turn", content: [{ type: "text", text: SUMMARY }] } },
    ];
    const summarizer = llm({ model: claude(), inBand: true });
    const compactor = createCompactor({ format: claude().format, windowTokens: 64_000, summarizer });
    const asked = { model: "claude-opus-5-5", max_tokens: 100, stream: true, system: "Be brief.", messages: chat(10) };
    await compactor.compact(asked, { target: { tokens: 2_500 } });
    const { stream: _, ...sent } = asked;
    expect(server.requests[0]?.body).toMatchObject({
      ...sent,
      messages: expect.arrayContaining(asked.messages.slice(0, 4)),
    });
    expect(server.requests[0]?.body).not.toHaveProperty("stream");
  });
});

describe("native compaction", () => {
  test.each([
    ["anthropic", claude, compactMessages, "/v1/messages"],
    ["openaiResponses", () => openaiResponses(openaiClient(), "gpt-6-sol"), compactResponses, "/v1/responses/compact"],
  ] as const)("%s compacts a session, which is rolled back", async (_, make, compact, path) => {
    // Of one of the two formats.
    const model: CompactingModel = make();
    const session = await openSession(`native-${model.id}`, {
      store: "memory:",
      compactor: { format: model.format, windowTokens: 32_000, compact: { strategy: "native" }, native: model.native },
      body: { model: model.id, max_tokens: 100 },
    });
    for (const message of [...chat(10), { role: "user", content: "Go on." }]) await session.append(message);
    const before = await session.view();
    // The answer is made from what was sent, as the provider makes it.
    server.onRequest = (asked) => ({ whole: compact(asked) });
    await session.compact({ target: { tokens: 1_500 } });
    server.onRequest = undefined;
    expect(server.requests[0]).toMatchObject({ path });
    const [event] = await session.history();
    expect(event).toMatchObject({ strategy: "native" });
    const sent = JSON.stringify(await session.request());
    expect(sent).toContain('"type":"compaction"');
    server.answers = [make === claude ? anthropicAnswer : responsesAnswer];
    await model.complete(await session.request());
    if (make === claude) expect(server.requests.at(-1)?.headers["anthropic-beta"]).toBe("compact-2026-09-04");
    await session.rollback();
    expect(await session.view()).toEqual(before);
    await session.close();
  });

  test("of a request for a long answer is streamed, too, and is the same", async () => {
    const whole = compactMessages({ ...body, compaction: { type: "summarize" } });
    const [block] = isArray(whole.content) ? whole.content : [];
    const { content: _, usage: __, ...message } = whole;
    const events = [
      {
        type: "message_start",
        message: { ...message, stop_reason: null, content: [], usage: { input_tokens: 0, output_tokens: 0 } },
      },
      { type: "content_block_start", index: 0, content_block: block ?? null },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "compaction" }, usage: whole.usage ?? null },
      { type: "message_stop" },
    ];
    server.answers = [{ events }];
    const answer = await claude().native?.compact({ ...body, max_tokens: 64_000 }, new AbortController().signal);
    expect(answer).toMatchObject({ content: [block], stop_reason: "compaction", usage: whole.usage });
    expect(server.requests[0]?.body).toMatchObject({ stream: true, compaction: { type: "summarize" } });
  });

  test("asked directly, an ordinary request is enough", async () => {
    const { signal } = new AbortController();
    server.onRequest = (asked) => ({ whole: compactMessages(asked) });
    const stated = anthropic(anthropicClient(), "claude-opus-5-5", {
      request: { service_tier: "auto", stop_sequences: ["x"] },
    });
    const request = { ...body, stream: true, stop_sequences: ["x"] };
    const { content } = (await stated.native?.compact(request, signal)) ?? {};
    expect(content).toMatchObject([{ type: "compaction", content: "Then 1 messages." }]);
    expect(server.requests[0]?.headers["anthropic-beta"]).toBe("compact-2026-09-04");
    expect(server.requests[0]?.body).toMatchObject({ service_tier: "auto", compaction: { type: "summarize" } });
    server.onRequest = (asked) => ({ whole: compactResponses(asked) });
    const plain = { input: chat(2), tools: [], store: false };
    const answer = await openaiResponses(openaiClient(), "gpt-6-sol").native?.compact(plain, signal);
    expect(answer?.output?.at(-1)).toMatchObject({ type: "compaction" });
    server.onRequest = undefined;
  });
});
