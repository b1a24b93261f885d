/** A session with a model of the AI SDK, here Anthropic's. Needs ANTHROPIC_API_KEY: `node examples/models/ai-sdk.ts "Fix the build"`. */

import { anthropic } from "@ai-sdk/anthropic";
import { llm, openSession } from "../../src/index.ts"; // from "palimpsest"
import { aiSdk } from "../../src/models.ts"; // from "palimpsest/models"

const model = aiSdk(anthropic("claude-opus-5-5"));
const session = await openSession("example", {
  store: "memory:",
  compactor: { format: model.format, summarizer: llm({ model: aiSdk(anthropic("claude-haiku-5-5")) }) },
  body: { model: model.id, max_tokens: 1024, provider_options: { anthropic: { thinking: { type: "adaptive" } } } },
});
await session.append(process.argv[2] ?? "Say hello.");
for await (const event of model.stream(await session.request())) {
  if (event.type === "text") process.stdout.write(event.text);
  if (event.type === "end") await session.append(event.reply.response);
}
console.log(`\n${(await session.stats()).viewMessages} messages in the view`);
await session.close();
