/** An agent with OpenAI's Agents SDK. `OPENAI_API_KEY=… node openai-agents.ts` */

import { globSync, readFileSync } from "node:fs";
import { Agent, run, setDefaultOpenAIClient, setTracingDisabled, tool } from "@openai/agents";
import OpenAI from "openai";
import { z } from "zod";
import { palimpsest } from "../../src/fetch.ts"; // in your project: "palimpsest/fetch"

setDefaultOpenAIClient(new OpenAI({ fetch: palimpsest() }));

setTracingDisabled(true);
const readFileTool = tool({
  name: "read_file",
  description: "Reads a file",
  parameters: z.object({ path: z.string() }),
  execute: ({ path }) => readFileSync(path, "utf8"),
});
const agent = new Agent({ name: "reader", model: "gpt-5", tools: [readFileTool], modelSettings: { store: false } });
const { finalOutput } = await run(agent, `Say what each of these is for: ${globSync("*.{json,md,ts,mts}")}`, {
  maxTurns: 200,
});
console.log(finalOutput);
