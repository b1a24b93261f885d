/**
 * Agents with the providers' own clients, streaming and not, and nothing but `fetch: palimpsest()`, over real HTTP: no refusal reaches them,
 * and what the user said first is still in the last request.
 */

import { createAnthropic } from "@ai-sdk/anthropic";
import Anthropic from "@anthropic-ai/sdk";
import { type Content, GoogleGenAI } from "@google/genai";
import { ChatOpenAI } from "@langchain/openai";
import { generateText, isStepCount, streamText, tool } from "ai";
import { createAgent, tool as langchainTool } from "langchain";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { FormatName } from "../src/core/message.ts";
import { type PalimpsestOptions, palimpsest } from "../src/fetch.ts";
import { formatNames } from "../src/formats.ts";
import { fileText, QUESTION } from "./fetch-agents.ts";
import { type Model, startModel } from "./fetch-server.ts";
import { sampleOf } from "./sample.ts";

const CALLS = sampleOf(300, 60);
const WINDOW_TOKENS = 32_000;
const QUESTION_WITH_FACT = `${QUESTION} The release code is ZEBRA-4711: it belongs under the list.`;

interface Client {
  readonly origin: string;
  readonly isStream: boolean;
  readonly fetch: typeof globalThis.fetch;
}

type Agent = (client: Client) => Promise<void>;

const AGENTS: Readonly<Record<FormatName, Agent>> = {
  "anthropic-messages": async ({ origin, isStream, fetch }) => {
    const client = new Anthropic({ apiKey: "none", baseURL: origin, maxRetries: 0, fetch });
    const tools = [{ name: "read_file", input_schema: { type: "object" as const } }];
    const messages: Anthropic.MessageParam[] = [{ role: "user", content: QUESTION_WITH_FACT }];
    for (let call = 1; ; call++) {
      const body = { model: "claude-opus-4-5", max_tokens: 1_000, system: "You read code.", tools, messages };
      const answer = isStream ? await client.messages.stream(body).finalMessage() : await client.messages.create(body);
      messages.push({ role: "assistant", content: answer.content });
      const use = answer.content.find(({ type }) => type === "tool_use");
      if (use?.type !== "tool_use") break;
      messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: use.id, content: fileText(call) }] });
    }
  },
  "openai-chat": async ({ origin, isStream, fetch }) => {
    const client = new OpenAI({ apiKey: "none", baseURL: `${origin}/v1`, maxRetries: 0, fetch });
    const tools = [{ type: "function" as const, function: { name: "read_file", parameters: { type: "object" } } }];
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: QUESTION_WITH_FACT }];
    for (let call = 1; ; call++) {
      const body = { model: "gpt-5", tools, messages };
      const { choices } = isStream
        ? await client.chat.completions.stream(body).finalChatCompletion()
        : await client.chat.completions.create(body);
      const message = choices[0]?.message;
      if (message === undefined) throw new Error("There is no answer.");
      messages.push({ role: "assistant", content: message.content, tool_calls: message.tool_calls ?? [] });
      const run = message.tool_calls?.[0];
      if (run === undefined) break;
      messages.push({ role: "tool", tool_call_id: run.id, content: fileText(call) });
    }
  },
  "openai-responses": async ({ origin, isStream, fetch }) => {
    const client = new OpenAI({ apiKey: "none", baseURL: `${origin}/v1`, maxRetries: 0, fetch });
    const tools = [{ type: "function" as const, name: "read_file", parameters: { type: "object" }, strict: false }];
    const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: QUESTION_WITH_FACT }];
    for (let call = 1; ; call++) {
      const body = { model: "gpt-5", store: false, tools, input };
      const { output } = isStream
        ? await client.responses.stream(body).finalResponse()
        : await client.responses.create(body);
      for (const item of output) {
        // What its helper adds to an answer is refused in a request.
        const { parsed_arguments: _, ...plain } = item as typeof item & { readonly parsed_arguments?: unknown };
        input.push(plain as OpenAI.Responses.ResponseInputItem);
      }
      const run = output.find(({ type }) => type === "function_call");
      if (run?.type !== "function_call") break;
      input.push({ type: "function_call_output", call_id: run.call_id, output: fileText(call) });
    }
  },
  gemini: async ({ origin, isStream, fetch }) => {
    const client = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: origin, fetch } });
    const tools = [{ functionDeclarations: [{ name: "read_file", parametersJsonSchema: { type: "object" } }] }];
    const contents: Content[] = [{ role: "user", parts: [{ text: QUESTION_WITH_FACT }] }];
    for (let call = 1; ; call++) {
      const body = { model: "gemini-2.5-pro", contents, config: { tools } };
      const chunks = isStream
        ? await Array.fromAsync(await client.models.generateContentStream(body))
        : [await client.models.generateContent(body)];
      const parts = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
      contents.push({ role: "model", parts });
      const run = parts.find(({ functionCall }) => functionCall !== undefined)?.functionCall;
      if (run === undefined) break;
      const response = { output: fileText(call) };
      contents.push({ role: "user", parts: [{ functionResponse: { name: "read_file", response } }] });
    }
  },
};

async function runAgent(agent: Agent, isStream: boolean, options: PalimpsestOptions): Promise<Model> {
  const model = await startModel({ windowTokens: WINDOW_TOKENS, calls: CALLS });
  const errors: unknown[] = [];
  let compactions = 0;
  const fetch = palimpsest({ onError: (error) => errors.push(error), onCompaction: () => compactions++, ...options });
  await agent({ origin: model.origin, isStream, fetch });
  expect(model.requests).toHaveLength(CALLS + 1 + model.refusals.length);
  expect(model.violations).toEqual([]);
  expect(errors).toEqual([]);
  expect(compactions).toBeGreaterThan(0);
  expect(model.requests.at(-1)?.bytes.toString()).toContain("ZEBRA-4711");
  // Whatever was sent before is sent again unchanged, in its cache, unless a compaction came between.
  const lists = model.requests.map(({ body }) => JSON.stringify(body.messages ?? body.input ?? body.contents));
  const breaks = lists.filter((list, at) => at > 0 && !list.startsWith(lists[at - 1]?.slice(0, -1) ?? ""));
  expect(breaks.length).toBeLessThanOrEqual(compactions);
  return model;
}

describe.each([false, true])("streamed: %s", (isStream) => {
  test.each(formatNames)("%s, the window is told", async (name) => {
    const model = await runAgent(AGENTS[name], isStream, { windowTokens: WINDOW_TOKENS });
    expect(model.refusals).toEqual([]);
  });

  test.each(formatNames)("%s, the window is learned", async (name) => {
    const model = await runAgent(AGENTS[name], isStream, {});
    expect(model.refusals.length).toBeGreaterThan(0);
    expect(model.refusals.length).toBeLessThanOrEqual(2);
  });

  test("the AI SDK with Anthropic's thinking", async () => {
    let call = 0;
    const agent: Agent = async ({ origin, fetch }) => {
      const anthropic = createAnthropic({ apiKey: "none", baseURL: `${origin}/v1`, fetch });
      const execute = async (): Promise<string> => fileText(++call);
      const options = {
        model: anthropic("claude-opus-4-5"),
        prompt: QUESTION_WITH_FACT,
        stopWhen: isStepCount(CALLS + 1),
        providerOptions: { anthropic: { thinking: { type: "enabled" as const, budgetTokens: 1_024 } } },
        tools: { read_file: tool({ inputSchema: z.object({ path: z.string() }), execute }) },
      };
      const text = isStream ? await streamText(options).text : (await generateText(options)).text;
      expect(text).toContain("all modules are read");
    };
    const model = await runAgent(agent, isStream, {});
    expect(model.refusals.length).toBeLessThanOrEqual(2);
    expect(JSON.stringify(model.requests[2]?.body)).toContain(`"type":"thinking"`);
  });

  // Streamed, it does not end on this server, with the platform's own `fetch` either.
  test.skipIf(isStream)("LangChain with OpenAI's models", async () => {
    let call = 0;
    const agent: Agent = async ({ origin, fetch }) => {
      const configuration = { baseURL: `${origin}/v1`, fetch };
      const model = new ChatOpenAI({ model: "gpt-5", apiKey: "none", streaming: false, configuration });
      const execute = async (): Promise<string> => fileText(++call);
      const read = langchainTool(execute, { name: "read_file", schema: z.object({ path: z.string() }) });
      const messages = [{ role: "user", content: QUESTION_WITH_FACT }];
      await createAgent({ model, tools: [read] }).invoke({ messages }, { recursionLimit: 3 * CALLS });
    };
    const model = await runAgent(agent, isStream, {});
    expect(model.refusals.length).toBeLessThanOrEqual(2);
  });
});
