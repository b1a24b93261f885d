/** An agent with OpenAI's client and Chat Completions, or any server that speaks it. `OPENAI_API_KEY=… node openai-chat.ts` */

import { globSync, readFileSync } from "node:fs";
import OpenAI from "openai";
import { palimpsest } from "../../src/fetch.ts"; // in your project: "palimpsest/fetch"

const client = new OpenAI({ fetch: palimpsest() });

const parameters = { type: "object", properties: { path: { type: "string" } } };
const tools = [{ type: "function" as const, function: { name: "read_file", parameters } }];
const content = `Say what each of these is for: ${globSync("*.{json,md,ts,mts}")}`;
const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content }];
for (;;) {
  const { choices } = await client.chat.completions.create({ model: "gpt-5", tools, messages });
  const message = choices[0]?.message;
  if (message === undefined) break;
  messages.push(message);
  console.log(message.content);
  if (message.tool_calls === undefined) break;
  for (const call of message.tool_calls) {
    const { path } = JSON.parse(call.type === "function" ? call.function.arguments : "{}");
    messages.push({ role: "tool", tool_call_id: call.id, content: readFileSync(path, "utf8") });
  }
}
