/**
 * Agents with the providers' own clients, streaming and not, and nothing but `fetch: palimpsest()`, over real HTTP: no refusal reaches them,
 * and what the user said first is still in the last request.
 */

import { createAnthropic } from "@ai-sdk/anthropic";
import { ChatOpenAI } from "@langchain/openai";
import { generateText, isStepCount, streamText, tool } from "ai";
import { createAgent, tool as langchainTool } from "langchain";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type PalimpsestOptions, palimpsest } from "../src/fetch.ts";
import { formatNames } from "../src/formats.ts";
import { fileText } from "./fetch-agents.ts";
import { type Model, startModel } from "./fetch-server.ts";
import { sampleOf } from "./sample.ts";
import { AGENTS, type Agent, QUESTION_WITH_FACT } from "./sdk-agents.ts";

const CALLS = sampleOf(300, 60);
const WINDOW_TOKENS = 32_000;

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
