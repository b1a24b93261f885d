/** An agent with Anthropic's own client and nothing but `fetch: palimpsest()`, over real HTTP: no refusal reaches it. */

import Anthropic from "@anthropic-ai/sdk";
import { expect, test } from "vitest";
import { type PalimpsestOptions, palimpsest } from "../src/fetch.ts";
import { fileText, QUESTION } from "./fetch-agents.ts";
import { startModel } from "./fetch-server.ts";

const CALLS = 60;
const WINDOW_TOKENS = 24_000;
const TOOLS = [{ name: "read_file", input_schema: { type: "object" as const } }];

async function runAgent(options: PalimpsestOptions, isStream: boolean) {
  const model = await startModel({ windowTokens: WINDOW_TOKENS, calls: CALLS });
  const errors: unknown[] = [];
  let compactions = 0;
  const fetch = palimpsest({ onError: (error) => errors.push(error), onCompaction: () => compactions++, ...options });
  const client = new Anthropic({ apiKey: "none", baseURL: model.origin, maxRetries: 0, fetch });
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: QUESTION }];
  for (let call = 1; ; call++) {
    const body = { model: "claude-opus-4-5", max_tokens: 1_000, system: "You read code.", tools: TOOLS, messages };
    const answer = isStream ? await client.messages.stream(body).finalMessage() : await client.messages.create(body);
    messages.push({ role: "assistant", content: answer.content });
    if (answer.stop_reason !== "tool_use") break;
    const results = answer.content.flatMap((block) =>
      block.type === "tool_use"
        ? [{ type: "tool_result" as const, tool_use_id: block.id, content: fileText(call) }]
        : [],
    );
    messages.push({ role: "user", content: results });
  }
  expect(messages).toHaveLength(2 * CALLS + 2);
  expect(model.violations).toEqual([]);
  expect(errors).toEqual([]);
  expect(compactions).toBeGreaterThan(1);
  return { model, compactions };
}

test.each([false, true])("the window is told; streamed: %s", async (isStream) => {
  const { model } = await runAgent({ windowTokens: WINDOW_TOKENS }, isStream);
  expect(model.refusals).toEqual([]);
});

test.each([false, true])("the window is learned; streamed: %s", async (isStream) => {
  const { model } = await runAgent({}, isStream);
  expect(model.refusals.length).toBeGreaterThan(0);
  expect(model.refusals.length).toBeLessThanOrEqual(2);
});
