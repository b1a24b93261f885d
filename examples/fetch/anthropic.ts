/** An agent with Anthropic's client. `ANTHROPIC_API_KEY=… node anthropic.ts` */

import { readFile } from "node:fs/promises";
import Anthropic from "@anthropic-ai/sdk";
import { palimpsest } from "../../src/fetch.ts"; // in your project: "palimpsest/fetch"

const client = new Anthropic({ fetch: palimpsest() });

const tools = [{ name: "read_file", input_schema: { type: "object" as const } }];
const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Read every module of src." }];
for (;;) {
  const stream = client.messages.stream({ model: "claude-opus-4-5", max_tokens: 4_096, tools, messages });
  const { content } = await stream.finalMessage();
  messages.push({ role: "assistant", content });
  const results: Anthropic.ToolResultBlockParam[] = [];
  for (const block of content) {
    if (block.type === "text") console.log(block.text);
    if (block.type !== "tool_use") continue;
    const text = await readFile((block.input as { path: string }).path, "utf8");
    results.push({ type: "tool_result", tool_use_id: block.id, content: text });
  }
  if (results.length === 0) break;
  messages.push({ role: "user", content: results });
}
