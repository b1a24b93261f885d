import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterEach, describe, expect, test } from "vitest";
import type { Report } from "../compactor/report.ts";
import { createCompactor, type NativeCompaction } from "../compactor.ts";
import type { JsonObject, JsonValue } from "../core/json.ts";
import type { FormatName, ToolCallPart } from "../core/message.ts";
import { formatNamed } from "../formats.ts";
import { type ProviderServer, startProviderServer } from "./server.ts";

/** Agents of hundreds of tool calls: the server plays the model, the official clients and the compactor are real. */

let server: ProviderServer;
afterEach(() => server.close());

const SYSTEM = "You are a build agent. ".repeat(300);
const PARAMETERS = { type: "object", properties: { path: { type: "string" } } } as const;

interface Agent {
  readonly format: FormatName;
  readonly base: JsonObject;
  result(call: ToolCallPart, text: string): JsonObject;
  send(body: JsonObject): Promise<object>;
}

/** What a request asks for was made by a format, so it has the form that the client's parameter types describe. */
const AGENTS: Readonly<Record<string, Agent>> = {
  anthropic: {
    format: "anthropic-messages",
    base: {
      model: "claude-opus-5-5",
      max_tokens: 900,
      thinking: { type: "adaptive" },
      cache_control: { type: "ephemeral" },
      system: [{ type: "text", text: SYSTEM, cache_control: { type: "ephemeral" } }],
      tools: [{ name: "read", input_schema: PARAMETERS }],
    },
    result: ({ callId = "" }, text) => ({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: callId, content: text }],
    }),
    send: (body) => {
      const client = new Anthropic({ baseURL: server.origin, apiKey: "any", maxRetries: 0 });
      const request = body as unknown as Anthropic.Beta.MessageCreateParamsNonStreaming;
      return client.beta.messages
        .stream({ ...request, betas: ["thinking-binding-controls-2026-08-01", "compact-2026-09-04"] })
        .finalMessage();
    },
  },
  chat: {
    format: "openai-chat",
    base: { model: "gpt-5.1", tools: [{ type: "function", function: { name: "read", parameters: PARAMETERS } }] },
    result: ({ callId = "" }, text) => ({ role: "tool", tool_call_id: callId, content: text }),
    send: (body) => {
      const client = new OpenAI({ baseURL: `${server.origin}/v1`, apiKey: "any", maxRetries: 0 });
      return client.chat.completions.create(body as unknown as OpenAI.ChatCompletionCreateParamsNonStreaming);
    },
  },
  responses: {
    format: "openai-responses",
    base: {
      model: "gpt-6-sol",
      store: false,
      instructions: SYSTEM,
      tools: [{ type: "function", name: "read", parameters: PARAMETERS, strict: false }],
    },
    result: ({ callId = "" }, text) => ({ type: "function_call_output", call_id: callId, output: text }),
    send: (body) => {
      const client = new OpenAI({ baseURL: `${server.origin}/v1`, apiKey: "any", maxRetries: 0 });
      return client.responses.create(body as unknown as OpenAI.Responses.ResponseCreateParamsNonStreaming);
    },
  },
  gemini: {
    format: "gemini",
    base: {
      model: "gemini-3.8-flash",
      config: {
        systemInstruction: SYSTEM,
        tools: [{ functionDeclarations: [{ name: "read", parametersJsonSchema: PARAMETERS }] }],
      },
    },
    result: ({ callId = "", name }, text) => ({
      role: "user",
      parts: [{ functionResponse: { id: callId, name, response: { output: text } } }],
    }),
    send: (body) => {
      const { models } = new GoogleGenAI({ apiKey: "any", httpOptions: { baseUrl: server.origin } });
      return models.generateContent(body as unknown as Parameters<typeof models.generateContent>[0]);
    },
  },
};

const FILE = "export const value = 1; // a line of a file that was read, with a few words\n".repeat(12);

/** Works until the model calls no tool; `prepare` is what is done to each request before it is sent. */
async function run(agent: Agent, prepare: (body: JsonObject) => Promise<JsonObject>): Promise<number> {
  const format = formatNamed(agent.format);
  const list: JsonValue[] = [
    agent.format === "gemini" ? { role: "user", parts: [{ text: "Go." }] } : { role: "user", content: "Go." },
  ];
  for (let called = 0; ; called++) {
    const answer = await agent.send(await prepare({ ...agent.base, [format.listKey]: [...list] }));
    list.push(...(format.readReply(JSON.parse(JSON.stringify(answer))) ?? []));
    const { messages } = format.decode([...list]);
    const call = messages.at(-1)?.parts.find((part) => part.type === "tool-call");
    if (call === undefined) return called;
    list.push(agent.result(call, FILE));
  }
}

/** So many calls of the tool, then a last word. */
const worker = (calls: number) => (request: { readonly index: number }) =>
  request.index < calls
    ? {
        reasoning: `Step ${request.index} needs another file.`,
        text: `Reading file ${request.index}.`,
        toolCalls: [{ name: "read", input: { path: `src/file-${request.index}.ts` } }],
      }
    : "All files were read.";

describe.each(Object.keys(AGENTS))("%s", (name) => {
  const agent = AGENTS[name] ?? expect.fail(name);

  test("what the request before contained is read from the cache", async () => {
    server = await startProviderServer({ reply: worker(40) });
    expect(await run(agent, (body) => Promise.resolve(body))).toBe(40);
    const usages = server.requests.map(({ outcome }) => outcome?.usage ?? expect.fail("no usage"));
    expect(usages).toHaveLength(41);
    usages.forEach((usage, index) => {
      const before = usages[index - 1]?.inputTokens ?? 0;
      expect(usage.inputTokens).toBeGreaterThan(before);
      expect(usage.cacheReadTokens).toBe(before < 4_096 && name === "gemini" ? 0 : before < 1_024 ? 0 : before);
    });
  });

  test("150 calls in a window of 32,000 tokens, none refused", async () => {
    server = await startProviderServer({ reply: worker(150), windowTokens: 32_000 });
    const compactor = createCompactor({ format: formatNamed(agent.format), windowTokens: 32_000 });
    const calls = await run(agent, async (body) => (await compactor.fit(body)).request as JsonObject);
    expect(calls).toBe(150);
    expect(server.requests).toHaveLength(151);
    const reads = server.requests.map(({ outcome }) => outcome?.usage?.cacheReadTokens ?? 0);
    expect(reads.filter((tokens) => tokens > 0).length).toBeGreaterThan(100);
  });
});

/** The provider's own compaction, asked through its client. */
const NATIVE = {
  anthropic: (): NativeCompaction => ({
    kind: "anthropic-compact",
    compact: (body, signal) => {
      const client = new Anthropic({ baseURL: server.origin, apiKey: "any", maxRetries: 0 });
      const request = body as Anthropic.Beta.MessageCreateParamsNonStreaming;
      return client.beta.messages.create({ ...request, betas: ["compact-2026-09-04"] }, { signal });
    },
  }),
  responses: (): NativeCompaction => ({
    kind: "responses-compact",
    compact: (body, signal) => {
      const client = new OpenAI({ baseURL: `${server.origin}/v1`, apiKey: "any", maxRetries: 0 });
      return client.responses.compact(body as OpenAI.Responses.ResponseCompactParams, { signal });
    },
  }),
};

test.each(["anthropic", "responses"] as const)(
  "%s: an agent goes on behind the provider's own compaction",
  async (name) => {
    const agent = AGENTS[name] ?? expect.fail(name);
    server = await startProviderServer({ reply: worker(60), summarize: () => "Files were read." });
    const compactor = createCompactor({
      format: formatNamed(agent.format),
      windowTokens: 16_000,
      native: NATIVE[name](),
      compact: { strategy: "native" },
    });
    const reports: Report[] = [];
    const calls = await run(agent, async (body) => {
      const { request, report } = await compactor.fit(body);
      reports.push(report);
      return request as JsonObject;
    });
    expect(calls).toBe(60);
    const compacted = server.requests.filter(({ kind }) => kind === "compact");
    expect(compacted.length).toBeGreaterThan(1);
    expect(server.requests.filter(({ outcome }) => outcome?.type !== "answered")).toEqual([]);
    expect(reports.flatMap(({ fallbacks }) => fallbacks)).toEqual([]);
  },
);
