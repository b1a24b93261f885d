/** A session that Gemini answers, and whose request it counts first. Needs GEMINI_API_KEY: `node examples/models/gemini.ts "Fix the build"`. */

import { GoogleGenAI } from "@google/genai";
import { llm, openSession } from "../../src/index.ts"; // from "palimpsest"
import { gemini } from "../../src/models.ts"; // from "palimpsest/models"

const model = gemini(new GoogleGenAI({}), "gemini-3.5-flash");
const session = await openSession("example", {
  store: "memory:",
  compactor: { format: model.format, summarizer: llm({ model }) },
  body: { model: model.id },
});
await session.append(process.argv[2] ?? "Say hello.");
const request = await session.request();
console.log(`${await model.countTokens?.(request)} tokens of ${model.windowTokens}`);
const reply = await model.complete(request);
await session.append(reply.response);
console.log(reply.text);
console.log(`${(await session.stats()).viewMessages} messages in the view`);
await session.close();
