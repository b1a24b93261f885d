/** An agent with LangChain; for `ChatOpenAI` it is `configuration: { fetch: palimpsest() }`. `ANTHROPIC_API_KEY=… node langchain.ts` */

import { readFile } from "node:fs/promises";
import { ChatAnthropic } from "@langchain/anthropic";
import { createAgent, tool } from "langchain";
import { z } from "zod";
import { palimpsest } from "../../src/fetch.ts"; // in your project: "palimpsest/fetch"

const model = new ChatAnthropic({ model: "claude-opus-4-5", clientOptions: { fetch: palimpsest() } });

const readFileTool = tool(({ path }) => readFile(path, "utf8"), {
  name: "read_file",
  schema: z.object({ path: z.string() }),
});
const agent = createAgent({ model, tools: [readFileTool] });
const question = "Read every module of src and list its exports.";
const { messages } = await agent.invoke({ messages: [{ role: "user", content: question }] }, { recursionLimit: 500 });
console.log(messages.at(-1)?.text);
