/** A session with any server that speaks Chat Completions: `OPENAI_BASE_URL=… OPENAI_API_KEY=… node examples/models/openai-chat.ts "Fix the build"`. */

import OpenAI from "openai";
import { llm, openSession } from "../../src/index.ts"; // from "palimpsest"
import { openaiChat } from "../../src/models.ts"; // from "palimpsest/models"

// A model that the library does not know needs its window.
const model = openaiChat(new OpenAI(), "my-model", { windowTokens: 64_000 });
const session = await openSession("example", {
  store: "memory:",
  compactor: { format: model.format, windowTokens: 64_000, summarizer: llm({ model }) },
  body: { model: model.id },
});
await session.append(process.argv[2] ?? "Say hello.");
const reply = await model.complete(await session.request());
await session.append(reply.response);
console.log(reply.text, reply.usage);
console.log(`${(await session.stats()).viewMessages} messages in the view`);
await session.close();
