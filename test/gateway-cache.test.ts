/** The mark for Anthropic's cache that the gateway adds for clients that set none in their tool loops: what it saves, and where it keeps out. */

import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { isArray, isObject, type JsonObject, type JsonValue } from "../src/core/json.ts";
import { withRollingMark } from "../src/formats.ts";
import { memoryStore } from "../src/stores/memory.ts";
import { type ProviderServer, startProviderServer } from "../src/testing/server.ts";
import { ask, startGateway, startUpstream } from "./gateway-world.ts";

const CALLS = 30;
const MARK = { cache_control: { type: "ephemeral" as const } };

interface Client {
  readonly system: Anthropic.TextBlockParam[];
  readonly tools: Anthropic.Tool[];
  readonly prompt: Anthropic.TextBlockParam;
}

const tool = {
  name: "read_file",
  description: "Reads a file. ".repeat(200),
  input_schema: { type: "object" as const },
};
const system = { type: "text" as const, text: "You are an agent that reads files. ".repeat(120) };

/** What they mark, as their requests show it. */
const CLIENTS: Readonly<Record<string, Client>> = {
  "only the prompt, as Cline does": {
    system: [system],
    tools: [tool],
    prompt: { type: "text", text: "Read all files.", ...MARK },
  },
  "tools and system, as Continue does": {
    system: [{ ...system, ...MARK }],
    tools: [{ ...tool, ...MARK }],
    prompt: { type: "text", text: "Read all files." },
  },
};

async function cachedShareOf(
  { system, tools, prompt }: Client,
  origin: string,
  provider: ProviderServer,
): Promise<number> {
  const client = new Anthropic({ baseURL: origin, apiKey: "none", maxRetries: 0 });
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: [prompt] }];
  for (let call = 0; ; call++) {
    const { content } = await client.messages.create({
      model: "claude-opus-4-8",
      max_tokens: 1_000,
      system,
      tools,
      messages,
    });
    messages.push({ role: "assistant", content });
    const use = content.find(({ type }) => type === "tool_use");
    if (use?.type !== "tool_use") break;
    messages.push({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: use.id, content: `Line ${call}. `.repeat(800) }],
    });
  }
  const usages = provider.requests.flatMap(({ outcome }) => outcome?.usage ?? []);
  expect(usages).toHaveLength(CALLS + 1);
  const sum = (key: "inputTokens" | "cacheReadTokens"): number =>
    usages.reduce((total, usage) => total + usage[key], 0);
  return sum("cacheReadTokens") / sum("inputTokens");
}

async function startProvider(): Promise<ProviderServer> {
  const provider = await startProviderServer({
    windowTokens: 1_000_000,
    reply: ({ index }) =>
      index < CALLS
        ? { text: `Step ${index}.`, toolCalls: [{ name: "read_file", input: { path: `${index}` } }] }
        : "Done.",
  });
  onTestFinished(() => provider.close());
  return provider;
}

test.each(Object.entries(CLIENTS))("a client that marks %s reads nine tenths from the cache", async (_, client) => {
  const [direct, off, on] = [await startProvider(), await startProvider(), await startProvider()];
  const without = await cachedShareOf(client, direct.origin, direct);
  const options = { windowTokens: 1_000_000 };
  const switchedOff = await cachedShareOf(
    client,
    (await startGateway(off.origin, { ...options, cacheMarks: false })).url,
    off,
  );
  const share = await cachedShareOf(client, (await startGateway(on.origin, options)).url, on);
  console.log(`cached: ${[without, switchedOff, share].map((part) => `${(100 * part).toFixed(1)} %`).join(", ")}`);
  expect(without).toBeLessThan(0.3);
  expect(switchedOff).toBe(without);
  expect(share).toBeGreaterThan(0.9);
  expect(on.requests.filter(({ outcome }) => outcome?.type === "refused")).toEqual([]);
});

/** `u` prompt, `a` assistant with a call, `r` result; `!` marks its block. */
function body(script: string, rest: JsonObject = {}): JsonObject {
  const messages = script.split(" ").map((word): JsonValue => {
    const marks = word.endsWith("!") ? MARK : {};
    if (word.startsWith("u")) return { role: "user", content: [{ type: "text", text: "Read.", ...marks }] };
    if (word.startsWith("a"))
      return { role: "assistant", content: [{ type: "tool_use", id: "t", name: "read", input: {}, ...marks }] };
    return { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "text", ...marks }] };
  });
  return { model: "claude-opus-4-8", messages, ...rest };
}

const four = [1, 2, 3, 4].map((number) => ({ type: "text", text: `${number}`, ...MARK }));

test.each<[string, JsonObject, boolean]>([
  ["a loop without marks", body("u a r"), true],
  ["a loop whose prompt alone is marked", body("u! a r a r"), true],
  ["three marks", body("u a r", { system: four.slice(1) }), true],
  ["no loop", body("u"), false],
  ["a loop that has ended", body("u a r a r u"), false],
  ["a mark on the newest result", body("u a r!"), false],
  ["a mark on the prompt before it", body("u! a r"), false],
  ["four marks", body("u a r a r", { system: four }), false],
  ["a mark beside the conversation", body("u a r", { cache_control: { type: "ephemeral" } }), false],
  ["an empty list", { messages: [] }, false],
  ["no list", { messages: "none" }, false],
])("%s", (_, given, isMarked) => {
  const before = JSON.stringify(given);
  const marked = withRollingMark("anthropic-messages", given);
  expect(JSON.stringify(given)).toBe(before);
  expect(marked === given).toBe(!isMarked);
  if (!isMarked) return;
  const last = isArray(marked.messages) ? marked.messages.at(-1) : undefined;
  const block = isObject(last) && isArray(last.content) ? last.content.at(-1) : undefined;
  expect(block).toMatchObject({ type: "tool_result", ...MARK });
  // Nothing else changed.
  expect(JSON.stringify(marked)).toBe(
    before.replace(/("content":"text")\}\]\}\]/, `$1,"cache_control":{"type":"ephemeral"}}]}]`),
  );
});

test("other formats have no marks", () => {
  const given = body("u a r");
  expect(withRollingMark("openai-chat", given)).toBe(given);
});

describe.each(["memory", "store"])("kept in a %s, a conversation that could be pruned", (kept) => {
  const WINDOW_TOKENS = 200_000;
  const MINUTE_MS = 60_000;

  /** Between the mark for pruning and the trigger: to prune now would cost a cached prefix that is worth more. */
  const longLoop = (calls: number, more: JsonObject = {}): string => {
    const messages: JsonObject[] = [{ role: "user", content: [{ type: "text", text: "Read.", ...MARK }] }];
    for (let call = 0; call < calls; call++) {
      const id = `toolu_${call}`;
      messages.push({ role: "assistant", content: [{ type: "tool_use", id, name: "read_file", input: { call } }] });
      const content = `Line ${call} of a file. `.repeat(700);
      messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content, ...more }] });
    }
    return JSON.stringify({ model: "claude-opus-4-8", max_tokens: 1_000, messages });
  };

  test.each([
    ["waits while its cache is warm", 4, {}, undefined],
    ["is pruned once its cache is cold", 6, {}, "compacted"],
    ["waits for an hour where it asked for one", 6, { cache_control: { type: "ephemeral", ttl: "1h" } }, undefined],
  ])("%s", async (_, minutes, more, state) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const upstream = await startUpstream();
    const store = kept === "store" ? { store: memoryStore() } : {};
    const gateway = await startGateway(upstream.origin, { windowTokens: WINDOW_TOKENS, cacheMarks: false, ...store });
    const post = async (calls: number) => {
      const body = longLoop(calls, more);
      return (await ask(`${gateway.url}/v1/messages`, { method: "POST", body })).headers["x-palimpsest"];
    };
    expect(await post(23)).toBeUndefined();
    vi.setSystemTime(Date.now() + minutes * MINUTE_MS);
    expect(await post(24)).toBe(state);
  });
});
