/** An agent with OpenAI's client and Responses; `store: false` keeps the list here. `OPENAI_API_KEY=… node openai-responses.ts` */

import { globSync, readFileSync } from "node:fs";
import OpenAI from "openai";
import { palimpsest } from "../../src/fetch.ts"; // in your project: "palimpsest/fetch"

const client = new OpenAI({ fetch: palimpsest() });

const parameters = { type: "object", properties: { path: { type: "string" } } };
const tools = [{ type: "function" as const, name: "read_file", parameters, strict: false }];
const content = `Say what each of these is for: ${globSync("*.{json,md,ts,mts}")}`;
const input: OpenAI.Responses.ResponseInput = [{ role: "user", content }];
for (;;) {
  const response = await client.responses.create({ model: "gpt-5", store: false, tools, input });
  input.push(...(response.output as OpenAI.Responses.ResponseInputItem[]));
  console.log(response.output_text);
  const calls = response.output.filter((item) => item.type === "function_call");
  for (const { call_id, arguments: json } of calls) {
    const { path } = JSON.parse(json);
    input.push({ type: "function_call_output", call_id, output: readFileSync(path, "utf8") });
  }
  if (calls.length === 0) break;
}
