/** An agent with Google's client. `GEMINI_API_KEY=… node gemini.ts` */

import { globSync, readFileSync } from "node:fs";
import { type Content, GoogleGenAI } from "@google/genai";
import { palimpsest } from "../../src/fetch.ts"; // in your project: "palimpsest/fetch"

const client = new GoogleGenAI({ httpOptions: { fetch: palimpsest() } });

const parametersJsonSchema = { type: "object", properties: { path: { type: "string" } } };
const config = { tools: [{ functionDeclarations: [{ name: "read_file", parametersJsonSchema }] }] };
const text = `Say what each of these is for: ${globSync("*.{json,md,ts,mts}")}`;
const contents: Content[] = [{ role: "user", parts: [{ text }] }];
for (;;) {
  const { candidates } = await client.models.generateContent({ model: "gemini-2.5-pro", contents, config });
  const content = candidates?.[0]?.content;
  if (content === undefined) break;
  contents.push(content);
  const calls = content.parts?.flatMap(({ functionCall }) => functionCall ?? []) ?? [];
  for (const { text } of content.parts ?? []) if (text !== undefined) console.log(text);
  if (calls.length === 0) break;
  const read = ({ name = "", args }: (typeof calls)[number]) => ({
    functionResponse: { name, response: { output: readFileSync(String(args?.path), "utf8") } },
  });
  contents.push({ role: "user", parts: calls.map(read) });
}
