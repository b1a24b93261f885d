/** The recall tool inside the exchange: the model calls it alone, twice, and beside the client's own tools, and no client ever sees it. */

import { describe, expect, onTestFinished, test } from "vitest";
import type { FormatName } from "../src/core/message.ts";
import { RECALL_NAME } from "../src/core/plan/user-voice.ts";
import { QUOTATION_NOTE } from "../src/core/search/quotation.ts";
import { palimpsest } from "../src/fetch.ts";
import { formatNames } from "../src/formats.ts";
import { memoryStore } from "../src/stores/memory.ts";
import { type Fault, type ScriptedReply, startProviderServer } from "../src/testing/server.ts";
import { longBody } from "./fetch-agents.ts";
import { sampleOf } from "./sample.ts";
import { AGENTS } from "./sdk-agents.ts";

/** A window is full after some forty. */
const STEPS = sampleOf(300, 56);
const WINDOW_TOKENS = 32_000;

/** What the model says at each step once the tool is offered, and then when it has its answer. */
function replies(step: number): readonly ScriptedReply[] {
  const read = { name: "read_file", input: { path: `src/module-${step}.ts` } };
  const recall = { name: RECALL_NAME, input: { query: `release code name_${step}` } };
  const other = { name: RECALL_NAME, input: { query: "modules that were read" } };
  const reasoning = `Thought of step ${step}.`;
  const then = { reasoning, text: "Now I know.", toolCalls: [read] };
  const long = `Step ${step}: ${"a long explanation ".repeat(60)}`;
  const ways: readonly (readonly ScriptedReply[])[] = [
    [{ reasoning, text: "Let me look that up.", toolCalls: [recall] }, then],
    [{ reasoning, toolCalls: [recall, other] }, { reasoning, toolCalls: [other] }, then],
    [{ reasoning, text: "Both at once.", toolCalls: [recall, read] }],
    [{ reasoning, toolCalls: [read, recall] }],
    [{ reasoning, text: long, toolCalls: [read, other] }],
    [{ reasoning, text: "Just reading.", toolCalls: [read] }],
  ];
  return ways[step % ways.length] ?? [];
}

async function runAgent(name: FormatName, isStream: boolean) {
  let step = 0;
  let waiting: readonly ScriptedReply[] = [];
  const server = await startProviderServer({
    windowTokens: WINDOW_TOKENS,
    reply: ({ body }) => {
      const [next, ...rest] = waiting;
      if (next !== undefined) {
        waiting = rest;
        return next;
      }
      step++;
      if (step > STEPS) return "All modules are read.";
      const isOffered = JSON.stringify(body.tools ?? []).includes(`"${RECALL_NAME}"`);
      const [first, ...others] = isOffered ? replies(step) : [{ toolCalls: [{ name: "read_file", input: {} }] }];
      waiting = others;
      return first ?? "";
    },
  });
  onTestFinished(() => server.close());
  const store = memoryStore();
  const errors: unknown[] = [];
  const ours = palimpsest({ store, recall: true, windowTokens: WINDOW_TOKENS, onError: (error) => errors.push(error) });
  const seen: string[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    seen.push(String(init?.body));
    return ours(input, init);
  };
  await AGENTS[name]({ origin: server.origin, isStream, fetch, model: "claude-opus-5-5" });
  return { server, store, errors, seen };
}

describe.each([false, true])("streamed: %s", (isStream) => {
  test.each(formatNames)("%s", async (name) => {
    const { server, store, errors, seen } = await runAgent(name, isStream);
    expect(errors).toEqual([]);
    const refused = server.requests.filter(({ outcome }) => outcome?.type !== "answered");
    expect(refused.map(({ outcome }) => outcome)).toEqual([]);
    expect(seen).toHaveLength(STEPS + 1);
    expect(seen.filter((body) => body.includes(RECALL_NAME))).toEqual([]);
    // More requests than the client made, and the answers of the tool in them.
    expect(server.requests.length).toBeGreaterThan(STEPS + 5);
    const sent = server.requests.map(({ bytes }) => bytes.toString());
    expect(sent.at(-1)).toContain(`"${RECALL_NAME}"`);
    expect(sent.at(-1)).toContain(JSON.stringify(QUOTATION_NOTE).slice(1, 40));
    const sessions = await Array.fromAsync(store.sessions());
    expect(sessions).toHaveLength(1);
    expect(await Array.fromAsync(store.examine())).toEqual([]);
  });
});

test.each<Fault>([{ type: "overloaded", inStream: true }, { type: "garbage" }])(
  "an answer with the fault %j is the client's as it came, and nothing failed here",
  async (fault) => {
    const server = await startProviderServer({ reply: () => "Hello." });
    onTestFinished(() => server.close());
    const errors: unknown[] = [];
    const options = { store: memoryStore(), recall: true, windowTokens: 24_000 };
    const ours = palimpsest({ ...options, onError: (error) => errors.push(error) });
    const body = JSON.stringify({ ...longBody(60), stream: true });
    const init = { method: "POST", body, headers: { authorization: "Bearer none" } };
    server.failNext(fault);
    const response = await ours(`${server.origin}/v1/chat/completions`, init);
    expect(await response.text()).toContain(fault.type === "garbage" ? "garbage" : "overloaded");
    expect(server.requests[0]?.bytes.toString()).toContain(`"${RECALL_NAME}"`);
    expect(errors).toEqual([]);
  },
);

test("recall needs a store", () => {
  expect(() => palimpsest({ recall: true })).toThrow("`recall` needs a `store`");
});
