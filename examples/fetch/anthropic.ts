/** An agent with Anthropic's client. `ANTHROPIC_API_KEY=… node anthropic.ts` */

import { globSync, readFileSync } from "node:fs";
import Anthropic from "@anthropic-ai/sdk";
import { palimpsest } from "../../src/fetch.ts"; // in your project: "palimpsest/fetch"

const client = new Anthropic({ fetch: palimpsest() });

const schema = { type: "object" as const, properties: { path: { type: "string" } } };
const tools = [{ name: "read_file", input_schema: schema }];
const question = `Say what each of these is for: ${globSync("*.{json,md,ts,mts}")}`;
const messages: Anthropic.MessageParam[] = [{ role: "user", content: question }];
for (;;) {
  const request = { model: "claude-opus-4-5", max_tokens: 4_096, tools, messages };
  const { content } = await client.messages.stream(request).finalMessage();
  messages.push({ role: "assistant", content });
  for (const block of content) if (block.type === "text") console.log(block.text);
  const results = content.flatMap((block): Anthropic.ToolResultBlockParam[] => {
    if (block.type !== "tool_use") return [];
    const text = readFileSync((block.input as { path: string }).path, "utf8");
    return [{ type: "tool_result", tool_use_id: block.id, content: text }];
  });
  if (results.length === 0) break;
  messages.push({ role: "user", content: results });
}
