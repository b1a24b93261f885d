/**
 * A gateway that is killed at any moment while agents work through it, and started again: what it stored is whole, what it sent was stored
 * before, and every agent comes to its end by asking again.
 */

import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { expect, onTestFinished, test } from "vitest";
import { isObject, type JsonObject } from "../src/core/json.ts";
import { textsOf } from "../src/core/message.ts";
import { formatNamed } from "../src/formats.ts";
import { openSession } from "../src/session.ts";
import { openStore } from "../src/stores.ts";
import { createRandom } from "../src/testing/random.ts";
import { type ModelRequest, type ScriptedReply, startProviderServer } from "../src/testing/server.ts";
import { fileText } from "./fetch-agents.ts";
import { startProcess } from "./gateway-world.ts";
import { sampleOf, seed } from "./sample.ts";

const KILLS = sampleOf(100, 3);
const WINDOW_TOKENS = 20_000;
const CALLS = 24;
const AGENTS = 3;
/** Only what hangs waits so long. */
const HANGS_MS = 120_000;
const OPENING = "[Summary of the earlier conversation";

test("killed at any moment under load, it stores nothing half, and every agent comes to its end", async () => {
  const provider = await startProviderServer({ windowTokens: WINDOW_TOKENS, reply: nextCall });
  onTestFinished(() => provider.close());
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-gateway-kill-"));
  const store = `sqlite:${join(folder, "sessions.db")}`;
  const config = join(folder, "gateway.json");
  const upstreams = { anthropic: provider.origin, openai: provider.origin };
  writeFileSync(config, JSON.stringify({ upstreams, store, windowTokens: WINDOW_TOKENS }));
  let gateway = await startProcess(config, 0);
  const { origin } = gateway;
  const port = Number(new URL(origin).port);
  let isOver = false;
  let ended = 0;
  const answered = new Set<number>();
  const work = async (number: number): Promise<void> => {
    const workAs = number % 2 === 0 ? workAsAnthropic : workAsOpenAi;
    for (let round = 0; round === 0 || !isOver; round++) {
      await workAs(origin, `Task ${number}.${round}: read all files.`, () => answered.add(number));
      ended++;
    }
  };
  const agents = Promise.all(Array.from({ length: AGENTS }, (_, number) => work(number)));
  const random = createRandom(seed);
  for (let kills = 0; kills < KILLS; kills++) {
    answered.clear();
    // On a slow machine no agent would ever get an answer. Every other kill waits for nobody, and may hit the start.
    const allAnswered = () => expect.poll(() => answered.size, { timeout: HANGS_MS }).toBe(AGENTS);
    if (kills % 2 === 0) await Promise.race([agents, allAnswered()]);
    await pause(random.below(400));
    gateway.process.kill("SIGKILL");
    await once(gateway.process, "close");
    gateway = await startProcess(config, port);
  }
  isOver = true;
  await agents;
  gateway.process.kill("SIGTERM");
  await once(gateway.process, "close");
  const stored = await readStore(store);
  console.log(`${KILLS} kills, ${ended} tasks, ${provider.requests.length} requests, ${stored.events} compactions`);
  expect(stored.findings, `seed ${seed}`).toEqual([]);
  expect(ended).toBeGreaterThanOrEqual(AGENTS);
  const refusals = provider.requests.flatMap(({ outcome }) => (outcome?.type === "refused" ? [outcome.message] : []));
  expect(refusals, `seed ${seed}`).toEqual([]);
  const sent = new Set(provider.requests.flatMap(({ body }) => (body === undefined ? [] : summariesIn(body))));
  expect(sent.size).toBeGreaterThan(0);
  expect(
    [...sent].filter((text) => !stored.summaries.has(text)),
    `seed ${seed}`,
  ).toEqual([]);
});

/** As many calls as a task has, counted by what the newest result says, because what came before may have been compacted. */
function nextCall({ body }: ModelRequest): ScriptedReply {
  const calls = [...JSON.stringify(body.messages).matchAll(/name_(\d+)_39;/g)].map(([, call]) => Number(call));
  const call = Math.max(0, ...calls) + 1;
  if (call > CALLS) return { text: "All files are read." };
  const reasoning = isObject(body.thinking) ? { reasoning: "What comes next?" } : {};
  return { ...reasoning, text: `Step ${call}.`, toolCalls: [{ name: "read_file", input: { call } }] };
}

const RETRY_MS = 100;
const ATTEMPTS_MAX = HANGS_MS / RETRY_MS;

/** An agent asks again where its connection broke, and does not where it was refused. */
async function retried<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      const isRefused = isObject(error) && error.status !== undefined;
      if (isRefused || attempt === ATTEMPTS_MAX) throw error;
      await pause(RETRY_MS);
    }
  }
}

async function workAsAnthropic(baseURL: string, prompt: string, onAnswer: () => void): Promise<void> {
  const client = new Anthropic({ baseURL, apiKey: "key-anthropic", maxRetries: 0 });
  const tools = [{ name: "read_file", input_schema: { type: "object" as const } }];
  const base = { model: "claude-opus-5-5", max_tokens: 1_000, thinking: { type: "adaptive" as const }, tools };
  const messages: Anthropic.Beta.BetaMessageParam[] = [{ role: "user", content: prompt }];
  for (let call = 1; ; call++) {
    const answer = await retried(() => client.beta.messages.stream({ ...base, messages }).finalMessage());
    onAnswer();
    messages.push({ role: "assistant", content: answer.content });
    const use = answer.content.find(({ type }) => type === "tool_use");
    if (use?.type !== "tool_use") return expect(call).toBe(CALLS + 1);
    messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: use.id, content: fileText(call) }] });
  }
}

async function workAsOpenAi(origin: string, prompt: string, onAnswer: () => void): Promise<void> {
  const client = new OpenAI({ baseURL: `${origin}/v1`, apiKey: "key-openai", maxRetries: 0 });
  const tools = [{ type: "function" as const, function: { name: "read_file", parameters: { type: "object" } } }];
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: prompt }];
  for (let call = 1; ; call++) {
    const answer = await retried(() => client.chat.completions.create({ model: "gpt-5", tools, messages }));
    onAnswer();
    const message = answer.choices[0]?.message;
    if (message?.tool_calls === undefined) return expect(call).toBe(CALLS + 1);
    const [use] = message.tool_calls;
    messages.push(message, { role: "tool", tool_call_id: use?.id ?? "", content: fileText(call) });
  }
}

interface Stored {
  readonly findings: readonly object[];
  readonly events: number;
  readonly summaries: ReadonlySet<string>;
}

async function readStore(url: string): Promise<Stored> {
  const store = await openStore(url);
  const findings = await Array.fromAsync(store.examine());
  const summaries = new Set<string>();
  let events = 0;
  for await (const { id, format } of store.sessions()) {
    events += (await Array.fromAsync(store.events(id))).length;
    const session = await openSession(id, { store, compactor: { format: formatNamed(format) } });
    for (const row of [...(await session.view()), ...(await Array.fromAsync(session.archive()))]) {
      if (row.isSummary) for (const text of summariesIn({ messages: [row.body] })) summaries.add(text);
    }
    await session.close();
  }
  await store.close();
  return { findings, events, summaries };
}

function summariesIn(body: JsonObject): readonly string[] {
  const format = formatNamed(JSON.stringify(body).includes("tool_call") ? "openai-chat" : "anthropic-messages");
  const { messages } = format.decode({ messages: body.messages ?? [] });
  return messages.flatMap(({ parts }) => textsOf(parts)).filter((text) => text.startsWith(OPENING));
}
