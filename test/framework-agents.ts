/** The agents of sdk-agents.ts once more, in the frameworks that people write agents with. */

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { ChatAnthropic } from "@langchain/anthropic";
import { ChatOpenAI } from "@langchain/openai";
import { Agent as MastraAgent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { tool as agentsTool, Agent as OpenAIAgent, OpenAIResponsesModel, Runner } from "@openai/agents";
import { generateText, isStepCount, streamText, tool } from "ai";
import { createAgent, tool as langchainTool } from "langchain";
import OpenAI from "openai";
import { z } from "zod";
import { fileText } from "./fetch-agents.ts";
import { type Agent, type AgentWorld, QUESTION_WITH_FACT } from "./sdk-agents.ts";

/** More than any of these tests needs. */
const STEPS_MAX = 400;

const inputSchema = z.object({ path: z.string() });
const messages = [{ role: "user", content: QUESTION_WITH_FACT }];

/** Each run reads other texts. */
function reader(read: (call: number) => string = fileText): () => Promise<string> {
  let call = 0;
  return async () => read(++call);
}

async function runLangChain(
  model: ChatOpenAI | ChatAnthropic,
  isStream: boolean,
  read: AgentWorld["read"],
): Promise<void> {
  const tools = [langchainTool(reader(read), { name: "read_file", schema: inputSchema })];
  const agent = createAgent({ model, tools });
  const options = { recursionLimit: 3 * STEPS_MAX };
  if (!isStream) await agent.invoke({ messages }, options);
  else await Array.fromAsync(await agent.stream({ messages }, { ...options, streamMode: "messages" }));
}

export const FRAMEWORK_AGENTS: Readonly<Record<string, Agent>> = {
  "AI SDK, Anthropic with thinking": async ({ origin, isStream, fetch, read }) => {
    const anthropic = createAnthropic({ apiKey: "none", baseURL: `${origin}/v1`, fetch });
    const options = {
      model: anthropic("claude-opus-4-5"),
      prompt: QUESTION_WITH_FACT,
      stopWhen: isStepCount(STEPS_MAX),
      maxRetries: 0,
      providerOptions: { anthropic: { thinking: { type: "enabled" as const, budgetTokens: 1_024 } } },
      tools: { read_file: tool({ inputSchema, execute: reader(read) }) },
    };
    await (isStream ? streamText(options).text : generateText(options));
  },
  "AI SDK, OpenAI Responses": async ({ origin, isStream, fetch, read }) => {
    const openai = createOpenAI({ apiKey: "none", baseURL: `${origin}/v1`, fetch });
    const options = {
      model: openai("gpt-5"),
      prompt: QUESTION_WITH_FACT,
      stopWhen: isStepCount(STEPS_MAX),
      maxRetries: 0,
      providerOptions: { openai: { store: false } },
      tools: { read_file: tool({ inputSchema, execute: reader(read) }) },
    };
    await (isStream ? streamText(options).text : generateText(options));
  },
  "LangChain, OpenAI": async ({ origin, isStream, fetch, read }) => {
    const configuration = { baseURL: `${origin}/v1`, fetch };
    await runLangChain(
      new ChatOpenAI({ model: "gpt-5", apiKey: "none", maxRetries: 0, configuration }),
      isStream,
      read,
    );
  },
  "LangChain, Anthropic": async ({ origin, isStream, fetch, read }) => {
    const clientOptions = { baseURL: origin, fetch };
    const settings = { model: "claude-opus-4-5", apiKey: "none", maxTokens: 1_000, maxRetries: 0 };
    await runLangChain(new ChatAnthropic({ ...settings, clientOptions }), isStream, read);
  },
  "OpenAI Agents": async ({ origin, isStream, fetch, read }) => {
    const client = new OpenAI({ apiKey: "none", baseURL: `${origin}/v1`, maxRetries: 0, fetch });
    const execute = reader(read);
    const parameters = inputSchema;
    const tools = [agentsTool({ name: "read_file", description: "Reads a file", parameters, execute })];
    const model = new OpenAIResponsesModel(client, "gpt-5");
    const agent = new OpenAIAgent({ name: "reader", model, tools, modelSettings: { store: false } });
    const runner = new Runner({ tracingDisabled: true });
    if (!isStream) await runner.run(agent, QUESTION_WITH_FACT, { maxTurns: STEPS_MAX });
    else {
      const result = await runner.run(agent, QUESTION_WITH_FACT, { maxTurns: STEPS_MAX, stream: true });
      await result.completed;
    }
  },
  Mastra: async ({ origin, isStream, fetch, read }) => {
    const openai = createOpenAI({ apiKey: "none", baseURL: `${origin}/v1`, fetch });
    const read_file = createTool({ id: "read_file", description: "Reads", inputSchema, execute: reader(read) });
    // The model's type says less than Mastra's, which takes it all the same.
    const model = openai.chat("gpt-5") as never;
    const tools = { read_file };
    const agent = new MastraAgent({ id: "reader", name: "reader", instructions: "Read.", model, tools, maxRetries: 0 });
    if (!isStream) await agent.generate(QUESTION_WITH_FACT, { maxSteps: STEPS_MAX });
    else await (await agent.stream(QUESTION_WITH_FACT, { maxSteps: STEPS_MAX })).text;
  },
};
