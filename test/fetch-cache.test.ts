/** Between two compactions the provider reads from its cache whatever the request before held: every request, every format, in memory and over a store. */

import { describe, expect, onTestFinished, test } from "vitest";
import { isArray, isObject, type JsonObject, type JsonValue } from "../src/core/json.ts";
import { palimpsest } from "../src/fetch.ts";
import { formatNames } from "../src/formats.ts";
import { memoryStore } from "../src/stores/memory.ts";
import { startProviderServer } from "../src/testing/server.ts";
import { sampleOf } from "./sample.ts";
import { AGENTS } from "./sdk-agents.ts";

const CALLS = sampleOf(300, 70);
const WINDOW_TOKENS = 32_000;
/** Providers cache in steps of so many tokens; Anthropic up to the mark. */
const STEP_TOKENS = 128;
/** No provider caches less than some of them. */
const MINIMUM_TOKENS = 4_096 + STEP_TOKENS;

describe.each(["in memory", "in a store"])("%s", (place) => {
  test.each(formatNames)("%s", async (name) => {
    let call = 0;
    const server = await startProviderServer({
      windowTokens: WINDOW_TOKENS,
      reply: () => {
        call++;
        const toolCalls = [{ name: "read_file", input: { path: `src/module-${call}.ts` } }];
        return call > CALLS ? "Done." : { text: `Reading ${call}.`, toolCalls };
      },
    });
    onTestFinished(() => server.close());
    let compactions = 0;
    const compactedAt = new Set<number>();
    const ours = palimpsest({
      windowTokens: WINDOW_TOKENS,
      ...(place === "in a store" && { store: memoryStore() }),
      onCompaction: () => {
        compactions++;
        compactedAt.add(server.requests.length);
      },
    });
    const fetch: typeof globalThis.fetch = async (input, init) =>
      ours(input, name === "anthropic-messages" ? { ...init, body: withMark(String(init?.body)) } : init);
    await AGENTS[name]({ origin: server.origin, isStream: false, fetch });
    const usages = server.requests.map(({ outcome }) => (outcome?.type === "answered" ? outcome.usage : undefined));
    expect(usages).toHaveLength(CALLS + 1);
    expect(compactions).toBeGreaterThan(1);
    let unread = 0;
    for (const [at, usage] of usages.entries()) {
      const before = usages[at - 1];
      if (before === undefined || usage === undefined || compactedAt.has(at)) continue;
      const slack = name === "anthropic-messages" ? 0 : STEP_TOKENS;
      if (before.inputTokens >= MINIMUM_TOKENS && usage.cacheReadTokens < before.inputTokens - slack) unread++;
    }
    expect(unread).toBe(0);
  });
});

/** A mark on the last block, as clients set it: it moves with every request. */
function withMark(text: string): string {
  const body = JSON.parse(text) as JsonObject;
  const messages = isArray(body.messages) ? body.messages : [];
  const last = messages.at(-1);
  if (!isObject(last)) return text;
  const blocks: readonly JsonValue[] = isArray(last.content)
    ? last.content
    : [{ type: "text", text: last.content ?? "" }];
  const [block] = blocks.slice(-1);
  const marked = { ...(isObject(block) && block), cache_control: { type: "ephemeral" } };
  const content = [...blocks.slice(0, -1), marked];
  return JSON.stringify({ ...body, messages: [...messages.slice(0, -1), { ...last, content }] });
}
