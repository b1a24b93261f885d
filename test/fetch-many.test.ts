/** One `fetch` for very many conversations: what a request costs does not grow with their number, and what is kept has a bound. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import type { JsonObject } from "../src/core/json.ts";
import { type PalimpsestOptions, palimpsest } from "../src/fetch.ts";
import { cpuMs } from "./cpu-time.ts";
import { longBody } from "./fetch-agents.ts";
import { sampleOf } from "./sample.ts";

const CONVERSATIONS = sampleOf(10_000, 150);
const WINDOW_TOKENS = 4_000;
/** More than the window holds. */
const CALLS = 8;

/** With a count that is about what it is estimated to be: what is learned from it changes nothing. */
function answerTo(body: string): string {
  return JSON.stringify({
    choices: [{ index: 0, message: { role: "assistant", content: "Yes." }, finish_reason: "stop" }],
    usage: { prompt_tokens: Math.ceil(body.length / 4), completion_tokens: 2 },
  });
}

const LIST = longBody(CALLS + 2).messages as readonly JsonObject[];

function bodyOf(conversation: number, calls: number): string {
  const question = { role: "user", content: `Conversation ${conversation}` };
  return JSON.stringify({ model: "gpt-5", messages: [question, ...LIST.slice(1, 1 + 2 * calls)] });
}

/** Sends the request of a conversation with so many calls, and returns what was sent on. */
function client(options: PalimpsestOptions) {
  const errors: unknown[] = [];
  let sent = "";
  let compactions = 0;
  const fetch = palimpsest({
    windowTokens: WINDOW_TOKENS,
    onError: (error) => errors.push(error),
    onCompaction: () => compactions++,
    fetch: async (_, init) => {
      sent = String(init?.body);
      return new Response(answerTo(sent), { headers: { "content-type": "application/json" } });
    },
    ...options,
  });
  const post = async (conversation: number, calls: number): Promise<string> => {
    const body = bodyOf(conversation, calls);
    await (await fetch("http://127.0.0.1/v1/chat/completions", { method: "POST", body })).text();
    return sent;
  };
  return { post, errors, compactions: () => compactions };
}

/** Of one round, in which each conversation grows by a call. */
async function roundMs({ post }: ReturnType<typeof client>, conversations: number, calls: number): Promise<number> {
  const startedMs = cpuMs();
  for (let number = 0; number < conversations; number++) await post(number, calls);
  return (cpuMs() - startedMs) / conversations;
}

test("each is found again and compacted once, and a request costs the same beside ten thousand others", async () => {
  const many = client({ conversations: CONVERSATIONS });
  const first: string[] = [];
  for (let number = 0; number < CONVERSATIONS; number++) first.push(await many.post(number, CALLS));
  const manyMs = await roundMs(many, CONVERSATIONS, CALLS + 1);
  for (const number of [0, 1, CONVERSATIONS >> 1, CONVERSATIONS - 1]) {
    const again = await many.post(number, CALLS + 1);
    expect(again).toContain(`Conversation ${number}`);
    expect(again.startsWith((first[number] ?? "").slice(0, -2))).toBe(true);
  }
  expect(many.compactions()).toBe(CONVERSATIONS);
  expect(many.errors).toEqual([]);
  // Beside a twentieth of them.
  const few = client({ conversations: CONVERSATIONS });
  const fewer = Math.ceil(CONVERSATIONS / 20);
  for (let number = 0; number < fewer; number++) await few.post(number, CALLS);
  expect(manyMs).toBeLessThan(4 * (await roundMs(few, fewer, CALLS + 1)) + 2);
});

test("beyond the setting the oldest is forgotten, its memory is free, and it is compacted anew without harm", async () => {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  const usedMb = (): number => {
    collect();
    return process.memoryUsage().heapUsed / 1e6;
  };
  const { post, errors, compactions } = client({ conversations: 20 });
  const quarter = CONVERSATIONS >> 2;
  for (let number = 0; number < quarter; number++) await post(number, CALLS);
  const early = usedMb();
  for (let number = quarter; number < CONVERSATIONS; number++) await post(number, CALLS);
  expect(usedMb() - early).toBeLessThan(10);
  const before = compactions();
  expect(await post(0, CALLS + 1)).not.toBe(bodyOf(0, CALLS + 1));
  expect(compactions()).toBe(before + 1);
  expect(errors).toEqual([]);
});
