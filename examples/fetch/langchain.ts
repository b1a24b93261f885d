/** An agent with LangChain; for `ChatOpenAI` it is `configuration: { fetch: palimpsest() }`. `ANTHROPIC_API_KEY=… node langchain.ts` */

import { globSync, readFileSync } from "node:fs";
import { ChatAnthropic } from "@langchain/anthropic";
import { createAgent, tool } from "langchain";
import { z } from "zod";
import { palimpsest } from "../../src/fetch.ts"; // in your project: "palimpsest/fetch"

const model = new ChatAnthropic({ model: "claude-opus-4-5", clientOptions: { fetch: palimpsest() } });

const readFileTool = tool(({ path }) => readFileSync(path, "utf8"), {
  name: "read_file",
  schema: z.object({ path: z.string() }),
});
const agent = createAgent({ model, tools: [readFileTool] });
const question = `Say what each of these is for: ${globSync("*.{json,md,ts,mts}")}`;
const { messages } = await agent.invoke({ messages: [{ role: "user", content: question }] }, { recursionLimit: 500 });
console.log(messages.at(-1)?.text);
