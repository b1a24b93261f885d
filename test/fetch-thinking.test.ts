/** Thinking whose signature the provider refuses is left out of the request, once and from then on. Over real HTTP, with the provider's rules. */

import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, onTestFinished, test } from "vitest";
import { palimpsest } from "../src/fetch.ts";
import { memoryStore } from "../src/stores/memory.ts";
import { startProviderServer } from "../src/testing/server.ts";
import { refusalBody, refuse, startModel } from "./fetch-server.ts";

type Message = Anthropic.Beta.BetaMessageParam;

const TOOLS = [{ name: "read", input_schema: { type: "object" as const } }];
const BASE = { model: "claude-opus-5-5", max_tokens: 900, tools: TOOLS };

async function world() {
  const server = await startProviderServer({
    reply: ({ index }) => ({
      reasoning: `Thought ${index}.`,
      text: `Said ${index}.`,
      toolCalls: [{ name: "read", input: { path: `${index}.ts` } }],
    }),
  });
  onTestFinished(() => server.close());
  return server;
}

describe.each(["in memory", "in a store"])("%s", (place) => {
  const store = place === "in memory" ? undefined : memoryStore();
  const newFetch = (errors: unknown[]) =>
    palimpsest({ onError: (error) => errors.push(error), ...(store !== undefined && { store }) });

  test.each([false, true])(
    "a refused signature is left out, and later thinking stays; streamed: %s",
    async (isStream) => {
      const server = await world();
      const errors: unknown[] = [];
      let fetch = newFetch(errors);
      const client = new Anthropic({
        apiKey: `key-${isStream}`,
        maxRetries: 0,
        baseURL: server.origin,
        fetch: (...given) => fetch(...given),
      });
      const list: Message[] = [{ role: "user", content: "Go. Today is Monday." }];
      const step = async (): Promise<void> => {
        const body = { ...BASE, messages: list };
        const message = isStream
          ? await client.beta.messages.stream(body).finalMessage()
          : await client.beta.messages.create(body);
        const use = message.content.find(({ type }) => type === "tool_use");
        list.push({ role: "assistant", content: message.content });
        list.push({
          role: "user",
          content: [{ type: "tool_result", tool_use_id: use?.type === "tool_use" ? use.id : "" }],
        });
      };
      for (let round = 0; round < 3; round++) await step();
      const refused = (): number => server.requests.filter(({ outcome }) => outcome?.type === "refused").length;
      expect(refused()).toBe(0);
      // What some clients do when they take a conversation up again: every signature is over another beginning.
      list[0] = { role: "user", content: "Go." };
      await step();
      expect(refused()).toBe(1);
      if (store !== undefined) fetch = newFetch(errors);
      for (let round = 0; round < 3; round++) await step();
      expect(refused()).toBe(1);
      const last = JSON.stringify(server.requests.at(-1)?.body);
      expect(last).not.toContain("Thought 2.");
      expect(last.match(/"type":"thinking"/g)).toHaveLength(3);
      expect(errors).toEqual([]);
    },
  );
});

test("where that is refused too, the client gets the first answer", async () => {
  const message = "messages.1.content.0: Invalid `signature` in `thinking` block";
  let refusals = 0;
  const model = await startModel({
    windowTokens: 10 ** 6,
    answer: (_, response) => refuse(response, refusalBody("anthropic-messages", `${message} ${refusals++}`, false)),
  });
  const fetch = palimpsest();
  const content = [
    { type: "thinking", thinking: "Hm.", signature: "c2ln" },
    { type: "text", text: "Yes." },
  ];
  const messages = [
    { role: "user", content: "Go." },
    { role: "assistant", content },
    { role: "user", content: "On." },
  ];
  const body = JSON.stringify({ ...BASE, messages });
  const response = await fetch(`${model.origin}/v1/messages`, { method: "POST", body });
  expect(response.status).toBe(400);
  expect(await response.text()).toContain(`${message} 0`);
  expect(model.requests.map(({ body: sent }) => JSON.stringify(sent).includes('"thinking"'))).toEqual([true, false]);
});
