/**
 * Agents with the providers' own clients and with frameworks, and nothing but `fetch: palimpsest()`, over real HTTP against a server that
 * refuses what the providers refuse: they finish, no refusal reaches them, and what was said on the way is still there at the end.
 */

import { describe, expect, onTestFinished, test } from "vitest";
import { RECALL_NAME } from "../src/core/plan/user-voice.ts";
import { charsPerToken } from "../src/core/tokens/chars-per-token.ts";
import { type PalimpsestOptions, palimpsest } from "../src/fetch.ts";
import { memoryStore } from "../src/stores/memory.ts";
import { type ProviderServer, type ScriptedReply, startProviderServer } from "../src/testing/server.ts";
import { fileText } from "./fetch-agents.ts";
import { FRAMEWORK_AGENTS } from "./framework-agents.ts";
import { sampleOf } from "./sample.ts";
import { AGENTS, type Agent } from "./sdk-agents.ts";

const CALLS = sampleOf(300, 36);
/** The files are longer in a sample, so that its window is full as often. */
const REPEATS = sampleOf(1, 2);
const WINDOW_TOKENS = 32_000;
/** In every so-maniest file is something that the model mentions in its next answer, and in the one after it something that it does not. */
const FACT_EVERY = sampleOf(25, 6);
const REFUSALS_MAX = 2;

const mentioned = (call: number): string => `service-${call} listens on port ${20_000 + 37 * call}`;
const unmentioned = (call: number): string => `the owner of service-${call} is team-${31 * call + 7}`;
const factCalls = Array.from({ length: Math.floor((CALLS - 1) / FACT_EVERY) }, (_, at) => (at + 1) * FACT_EVERY);

function read(call: number): string {
  const text = fileText(call).repeat(REPEATS);
  if (call % FACT_EVERY === 0) return `${text}\n// Note: ${mentioned(call)}.`;
  return call % FACT_EVERY === 1 && call > 1 ? `${text}\n// Note: ${unmentioned(call - 1)}.` : text;
}

/** What the model says after so many calls of the tool. */
function replyAfter(calls: number): ScriptedReply {
  if (calls === CALLS) return { text: "All modules are read." };
  const said = calls > 0 && calls % FACT_EVERY === 0 ? `Noted: ${mentioned(calls)}. ` : "";
  const next = { name: "read_file", input: { path: `src/module-${calls + 1}.ts` } };
  return { reasoning: "On with the next one.", text: `${said}Reading module ${calls + 1}.`, toolCalls: [next] };
}

interface Run {
  readonly server: ProviderServer;
  readonly last: string;
}

async function runAgent(agent: Agent, isStream: boolean, options: PalimpsestOptions): Promise<Run> {
  let calls = 0;
  let questions = options.recall === true ? [...factCalls] : [];
  const server = await startProviderServer({
    windowTokens: WINDOW_TOKENS,
    // Another count than the estimate of the package.
    counter: () => charsPerToken({ name: "other", rounding: "total", charsPerToken: 3.6 }),
    reply: ({ body }) => {
      // At the end the model asks for what it has not mentioned.
      const [fact, ...others] = calls === CALLS && JSON.stringify(body).includes(`"${RECALL_NAME}"`) ? questions : [];
      if (fact === undefined) return replyAfter(calls++);
      questions = others;
      return { toolCalls: [{ name: RECALL_NAME, input: { query: `owner of service-${fact}` } }] };
    },
  });
  onTestFinished(() => server.close());
  const errors: unknown[] = [];
  let compactions = 0;
  const ours = palimpsest({ onError: (error) => errors.push(error), onCompaction: () => compactions++, ...options });
  const statuses: number[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await ours(input, init);
    statuses.push(response.status);
    return response;
  };
  await agent({ origin: server.origin, isStream, fetch, read });
  expect(errors).toEqual([]);
  // The client saw its own requests answered, and nothing else.
  expect(statuses).toEqual(Array(CALLS + 1).fill(200));
  expect(compactions).toBeGreaterThan(1);
  const outcomes = server.requests.map(({ outcome }) => outcome);
  for (const outcome of outcomes)
    if (outcome?.type !== "answered") expect(outcome?.message).toMatch(/too long|context|input token/i);
  const last = server.requests.at(-1)?.bytes.toString() ?? "";
  expect(last).toContain("ZEBRA-4711");
  expect(factCalls.filter((call) => !last.includes(mentioned(call)))).toEqual([]);
  return { server, last };
}

const refusalsOf = ({ requests }: ProviderServer): number =>
  requests.filter(({ outcome }) => outcome?.type === "refused").length;

const ALL = Object.entries<Agent>({ ...AGENTS, ...FRAMEWORK_AGENTS });

describe.each([false, true])("streamed: %s", (isStream) => {
  /** A sample runs each agent in every other way. */
  const agentsOf = (way: number) => ALL.filter((_, at) => (at + way + Number(isStream)) % sampleOf(1, 2) === 0);

  test.each(agentsOf(0))("%s, the window is told", async (_, agent) => {
    const { server } = await runAgent(agent, isStream, { windowTokens: WINDOW_TOKENS });
    expect(refusalsOf(server)).toBe(0);
    expect(server.requests).toHaveLength(CALLS + 1);
  });

  test.each(agentsOf(1))("%s, the window is learned", async (_, agent) => {
    const { server } = await runAgent(agent, isStream, {});
    expect(refusalsOf(server)).toBeGreaterThan(0);
    expect(refusalsOf(server)).toBeLessThanOrEqual(REFUSALS_MAX);
    expect(server.requests).toHaveLength(CALLS + 1 + refusalsOf(server));
  });

  test.each(agentsOf(2))("%s, and what nobody mentioned is recalled", async (_, agent) => {
    const options = { windowTokens: WINDOW_TOKENS, store: memoryStore(), recall: true };
    const { server, last } = await runAgent(agent, isStream, options);
    expect(refusalsOf(server)).toBe(0);
    expect(server.requests).toHaveLength(CALLS + 1 + factCalls.length);
    expect(factCalls.filter((call) => !last.includes(unmentioned(call)))).toEqual([]);
  });
});

test("the AI SDK's agent sends its thinking back", async () => {
  const agent = FRAMEWORK_AGENTS["AI SDK, Anthropic with thinking"];
  if (agent === undefined) throw new Error("There is no such agent.");
  const { last } = await runAgent(agent, true, { windowTokens: WINDOW_TOKENS });
  expect(last).toContain(`"type":"thinking"`);
});
