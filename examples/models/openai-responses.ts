/** A session that OpenAI answers and compacts itself. Needs OPENAI_API_KEY: `node examples/models/openai-responses.ts "Fix the build"`. */

import OpenAI from "openai";
import { openSession } from "../../src/index.ts"; // from "palimpsest"
import { openaiResponses } from "../../src/models.ts"; // from "palimpsest/models"

const model = openaiResponses(new OpenAI(), "gpt-6-sol");
const session = await openSession("example", {
  store: "memory:",
  compactor: { format: model.format, native: model.native, compact: { strategy: "native" } },
  body: { model: model.id, store: false },
});
await session.append(process.argv[2] ?? "Say hello.");
for await (const event of model.stream(await session.request())) {
  if (event.type === "text") process.stdout.write(event.text);
  if (event.type === "end") await session.append(event.reply.response);
}
console.log(`\n${(await session.stats()).viewMessages} messages in the view`);
await session.close();
