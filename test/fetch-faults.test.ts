/** Whatever fails inside, the request of the client goes out as it came and is answered, and `onError` hears of it. Over real HTTP. */

import { describe, expect, test } from "vitest";
import type { JsonObject } from "../src/core/json.ts";
import type { FullStore } from "../src/core/store/store-upkeep.ts";
import type { TrafficStore } from "../src/core/store/traffic.ts";
import { messageCounter } from "../src/core/tokens/tokens.ts";
import { type ExchangeCompaction, type PalimpsestOptions, palimpsest } from "../src/fetch.ts";
import { memoryStore } from "../src/stores/memory.ts";
import { llm } from "../src/summarizers/llm.ts";
import { longBody } from "./fetch-agents.ts";
import { startModel } from "./fetch-server.ts";

const PATH = "/v1/chat/completions";
const WINDOW_TOKENS = 12_000;
/** Of the agent; its window is full in the middle of it. */
const CALLS = 24;

async function world(options: PalimpsestOptions) {
  // Takes everything, so that whatever is refused is refused for what we did to it.
  const model = await startModel({ windowTokens: 10 ** 6 });
  const errors: unknown[] = [];
  const compactions: ExchangeCompaction[] = [];
  const fetch = palimpsest({
    windowTokens: WINDOW_TOKENS,
    onError: (error) => errors.push(error),
    onCompaction: (event) => compactions.push(event),
    ...options,
  });
  const post = async (body: JsonObject): Promise<boolean> => {
    const text = JSON.stringify(body);
    const response = await fetch(model.origin + PATH, { method: "POST", body: text });
    expect(response.status).toBe(200);
    await response.text();
    return model.requests.at(-1)?.bytes.toString() === text;
  };
  return { model, errors, compactions, post };
}

type AnyStore = FullStore & TrafficStore;

/** What a store does for the exchange; nobody waits for the last two. */
const WAITED = ["open", "create", "append", "findPrefix", "update", "changes", "lease", "commit", "messages"] as const;
const UNWAITED = ["addPrefixes", "addRequest"] as const;

/** A store one of whose methods throws, or rejects, whenever `fails` says so. */
function failing(method: keyof AnyStore, fails: () => boolean): AnyStore {
  const store = memoryStore();
  return new Proxy(store, {
    get: (target, key, receiver) => {
      const value: unknown = Reflect.get(target, key, receiver);
      if (key !== method || typeof value !== "function") return value;
      return (...given: readonly unknown[]) => {
        if (fails()) throw new Error(`${method} is broken`);
        return value.apply(target, given);
      };
    },
  });
}

describe.each([...WAITED, ...UNWAITED])("the store's %s", (method) => {
  test("fails every time", async () => {
    let failures = 0;
    const store = failing(method, () => ++failures > 0);
    const { model, errors, post } = await world({ store });
    for (let calls = 1; calls <= CALLS; calls++) {
      const before = failures;
      const isAsItCame = await post(longBody(calls));
      if (failures > before && !UNWAITED.some((name) => name === method)) expect(isAsItCame).toBe(true);
    }
    expect(model.violations).toEqual([]);
    expect(failures > 0).toBe(errors.length > 0);
    for (const error of errors) expect(String(error)).toContain(`${method} is broken`);
  });

  test("fails once, at each of its calls in turn, and the conversation goes on", async () => {
    for (const at of [1, 2, 5, 9]) {
      let count = 0;
      const store = failing(method, () => ++count === at);
      const { model, errors, compactions, post } = await world({ store });
      for (let calls = 1; calls <= CALLS; calls++) await post(longBody(calls));
      expect(model.violations).toEqual([]);
      expect(errors.length).toBe(count >= at ? 1 : 0);
      expect(compactions.length).toBeGreaterThan(0);
      expect(model.requests.at(-1)?.tokens).toBeLessThan(WINDOW_TOKENS);
    }
  });
});

test("a summarizer whose model never answers is given up, and the summary is made without it", async () => {
  const complete = () => new Promise<never>(() => {});
  const summarizer = llm({ complete, timeoutMs: 20, retry: { maxAttempts: 1 } });
  const { model, errors, compactions, post } = await world({ summarizer });
  for (let calls = 1; calls <= CALLS; calls++) await post(longBody(calls));
  expect(compactions.some(({ report }) => report.fallbacks.length > 0)).toBe(true);
  expect(model.violations).toEqual([]);
  expect(model.requests.at(-1)?.tokens).toBeLessThan(WINDOW_TOKENS);
  expect(errors).toEqual([]);
});

const fails = (): never => {
  throw new Error("is broken");
};

/** Where nothing is left to fall back on, the request goes as it came. */
const BROKEN: Readonly<Record<string, PalimpsestOptions>> = {
  "a counter": { counter: messageCounter({ name: "own", countText: fails }) },
  "a function that keeps messages": { keepRecent: fails },
  "a function that scores messages": { scoreMessage: fails },
  "a clock": { now: fails },
  "the name of the conversation": { conversation: fails },
};

test.each(Object.entries(BROKEN))("%s fails", async (_, options) => {
  const { errors, post } = await world(options);
  expect(await post(longBody(CALLS))).toBe(true);
  expect(errors.map(String)).toEqual([expect.stringContaining("is broken")]);
});
