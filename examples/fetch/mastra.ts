/** An agent with Mastra, which takes models of the AI SDK. `OPENAI_API_KEY=… node mastra.ts` */

import { globSync, readFileSync } from "node:fs";
import { createOpenAI } from "@ai-sdk/openai";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { z } from "zod";
import { palimpsest } from "../../src/fetch.ts"; // in your project: "palimpsest/fetch"

const openai = createOpenAI({ fetch: palimpsest() });

const inputSchema = z.object({ path: z.string() });
const execute = async ({ path }: { path: string }) => readFileSync(path, "utf8");
const read = createTool({ id: "read_file", description: "Reads a file", inputSchema, execute });
// The model's type says less than Mastra's, which takes it all the same.
const model = openai.chat("gpt-5") as never;
const question = `Say what each of these is for: ${globSync("*.{json,md,ts,mts}")}`;
const agent = new Agent({ id: "reader", name: "reader", instructions: "Read.", model, tools: { read_file: read } });
const { text } = await agent.generate(question, { maxSteps: 200 });
console.log(text);
