/** A session that Claude answers and a smaller Claude summarizes. Needs ANTHROPIC_API_KEY: `node examples/models/anthropic.ts "Fix the build"`. */

import Anthropic from "@anthropic-ai/sdk";
import { llm, openSession } from "../../src/index.ts"; // from "palimpsest"
import { anthropic } from "../../src/models.ts"; // from "palimpsest/models"

const client = new Anthropic();
const model = anthropic(client, "claude-opus-5-5");
const session = await openSession("example", {
  store: "memory:",
  compactor: { format: model.format, summarizer: llm({ model: anthropic(client, "claude-haiku-5-5") }) },
  body: { model: model.id, max_tokens: 1024 },
});
await session.append(process.argv[2] ?? "Say hello.");
for await (const event of model.stream(await session.request())) {
  if (event.type === "text") process.stdout.write(event.text);
  if (event.type === "end") await session.append(event.reply.response);
}
console.log(`\n${(await session.stats()).viewMessages} messages in the view`);
await session.close();
