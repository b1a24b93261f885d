/** `palimpsest/fetch` over a store: every conversation is a session, and the same request is the same bytes, whoever sends it. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "../src/core/json.ts";
import type { FullStore } from "../src/core/store/store-upkeep.ts";
import type { TrafficStore } from "../src/core/store/traffic.ts";
import { type ExchangeRecord, type PalimpsestOptions, palimpsest } from "../src/fetch.ts";
import { formatNamed } from "../src/formats.ts";
import { openSession } from "../src/session.ts";
import { jsonlStore } from "../src/stores/jsonl.ts";
import { postgresStore } from "../src/stores/postgres.ts";
import { sqliteStore } from "../src/stores/sqlite.ts";
import { longBody } from "./fetch-agents.ts";
import { startModel } from "./fetch-server.ts";
import { postgresWorld } from "./postgres-world.ts";

const PATH = "/v1/chat/completions";
const WINDOW_TOKENS = 24_000;

type OpenStore = FullStore & TrafficStore;

function newStore(): OpenStore {
  const directory = mkdtempSync(join(tmpdir(), "palimpsest-fetch-"));
  const store = sqliteStore({ file: join(directory, "x.db") });
  onTestFinished(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });
  return store;
}

async function world(options: PalimpsestOptions = {}, windowTokens = WINDOW_TOKENS) {
  const model = await startModel({ windowTokens });
  const errors: unknown[] = [];
  const store = newStore();
  const start = (more: PalimpsestOptions = {}) => {
    const fetch = palimpsest({
      store,
      windowTokens: WINDOW_TOKENS,
      onError: (error) => errors.push(error),
      ...options,
      ...more,
    });
    return async (body: JsonObject, headers: Record<string, string> = {}): Promise<string> => {
      const response = await fetch(model.origin + PATH, { method: "POST", body: JSON.stringify(body), headers });
      await response.text();
      expect(response.status).toBe(200);
      return model.requests.at(-1)?.bytes.toString() ?? "";
    };
  };
  return { model, errors, store, start };
}

test("a growing conversation is one session, whose log is what the client sent", async () => {
  const { store, errors, start } = await world();
  const post = start();
  const sent: string[] = [];
  for (let calls = 1; calls <= 40; calls++) sent.push(await post(longBody(calls)));
  const [session, ...others] = await Array.fromAsync(store.sessions());
  expect(others).toEqual([]);
  const id = session?.id ?? "";
  const log = (await Array.fromAsync(store.log(id))).filter(({ madeBy }) => madeBy === null);
  expect(log.map(({ body }) => body)).toEqual(longBody(40).messages);
  expect(session?.compactionCount).toBeGreaterThan(0);
  expect(errors).toEqual([]);
  expect(Math.max(...sent.map((text) => text.length / 3.6))).toBeLessThan(WINDOW_TOKENS);
  expect(await Array.fromAsync(store.examine())).toEqual([]);
});

test("after a restart the same list is the same bytes, and so is the next one's beginning", async () => {
  const { start, store } = await world();
  const post = start();
  for (let calls = 1; calls <= 30; calls++) await post(longBody(calls));
  const before = await post(longBody(30));
  const events = await eventsOf(store);
  expect(events.length).toBeGreaterThan(0);
  const restarted = start();
  expect(await restarted(longBody(30))).toBe(before);
  const next = await restarted(longBody(31));
  expect(next.startsWith(before.slice(0, -2))).toBe(true);
  expect(await eventsOf(store)).toEqual(events);
  expect(await Array.fromAsync(store.sessions())).toHaveLength(1);
});

async function eventsOf(store: OpenStore): Promise<readonly string[]> {
  const sessions = await Array.fromAsync(store.sessions());
  const events = await Promise.all(sessions.map(({ id }) => Array.fromAsync(store.events(id))));
  return events.flat().map(({ id }) => id);
}

const say = (content: string): JsonObject => ({ role: "user", content });

function messagesOf(body: JsonObject): readonly JsonObject[] {
  return body.messages as readonly JsonObject[];
}

test("a list that leaves the known one keeps the compactions before that place", async () => {
  const { start, store, errors } = await world();
  const post = start();
  for (let calls = 1; calls <= 30; calls++) await post(longBody(calls));
  const before = await post(longBody(30));
  const [first] = await Array.fromAsync(store.sessions());
  // The client's own summary request: the same beginning, another end.
  const whole = messagesOf(longBody(30));
  const asked = { ...longBody(30), messages: [...whole.slice(0, -1), say("Summarize the conversation.")] };
  const rewritten = await post(asked);
  const beginning = commonLength(before, rewritten);
  expect(beginning).toBeGreaterThan(before.length / 2);
  expect(rewritten).toContain("Summarize the conversation.");
  // And the conversation goes on where it was.
  expect(await post(longBody(30))).toBe(before);
  const sessions = await Array.fromAsync(store.sessions());
  expect(sessions).toHaveLength(2);
  const fork = await store.open(sessions.find(({ id }) => id !== first?.id)?.id ?? "");
  expect(fork?.parentId).toBe(first?.id);
  expect(fork?.view.at(-1)?.body).toEqual(say("Summarize the conversation."));
  // A message near the beginning was edited: nothing of the compaction is left.
  await post({ ...longBody(5), messages: [...messagesOf(longBody(5)).slice(0, 3), say("Something else.")] });
  expect(await Array.fromAsync(store.sessions())).toHaveLength(3);
  // The client's own summary begins a new conversation.
  await post({ ...longBody(1), messages: [say("The story so far.")] });
  expect(await Array.fromAsync(store.sessions())).toHaveLength(4);
  expect(await Array.fromAsync(store.examine())).toEqual([]);
  expect(errors).toEqual([]);
});

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

test("a rollback holds for the next request", async () => {
  const { start, store } = await world({}, 10 ** 6);
  const post = start();
  for (let calls = 1; calls <= 30; calls++) await post(longBody(calls));
  const before = await post(longBody(30));
  const [id = ""] = (await Array.fromAsync(store.sessions())).map((session) => session.id);
  const settings = { format: formatNamed("openai-chat"), windowTokens: 10 ** 6 };
  const session = await openSession(id, { store, compactor: settings, create: false });
  expect((await session.recall("module")).length).toBeGreaterThan(0);
  const view = await session.view();
  await session.rollback();
  expect((await session.view()).length).toBeGreaterThan(view.length);
  // A process with a larger window compacts nothing anew: what comes back is what the client sent.
  const wide = start({ windowTokens: 10 ** 6 });
  while ((await store.open(id))?.version.head !== null) await session.rollback();
  const sent = await wide(longBody(30));
  expect(sent).not.toBe(before);
  expect(sent).toBe(JSON.stringify(longBody(30)));
  // The process that compacted before sees the rollback too, and compacts anew.
  await post(longBody(31));
  expect((await session.history()).filter(({ undoneAt }) => undoneAt === null)).toHaveLength(1);
  expect(await Array.fromAsync(store.sessions())).toHaveLength(1);
});

test("whoever calls another way has another conversation", async () => {
  const { start, store } = await world({ conversation: "x-session-id" });
  const post = start();
  for (const headers of [
    {},
    { authorization: "Bearer one" },
    { authorization: "Bearer two" },
    { "x-session-id": "s" },
  ]) {
    await post(longBody(2), headers);
    await post(longBody(3), headers);
  }
  const sessions = await Array.fromAsync(store.sessions());
  expect(sessions.map(({ messageCount }) => messageCount)).toEqual([7, 7, 7, 7]);
  const records = await Promise.all(sessions.map(({ id }) => store.open(id)));
  const stored = JSON.stringify([records, await Promise.all(sessions.map(({ id }) => Array.fromAsync(store.log(id))))]);
  expect(stored).not.toMatch(/Bearer|one"|two"/);
  expect(new Set(records.map((record) => record?.metadata.tenant)).size).toBe(3);
});

test("cache marks, the form of a text and the order of keys make no other conversation", async () => {
  const { start, store, model } = await world();
  const post = start();
  for (let calls = 1; calls <= 12; calls++) {
    const messages = messagesOf(longBody(calls)).map((message, at, list) => {
      const isLast = at === list.length - 1;
      if (typeof message.content !== "string")
        return Object.fromEntries(Object.entries(message).toReversed()) as JsonObject;
      const block = { type: "text", text: message.content, ...(isLast && { cache_control: { type: "ephemeral" } }) };
      return calls % 2 === 0 || isLast ? { ...message, content: [block] } : message;
    });
    const sent = await post({ ...longBody(calls), messages });
    expect(sent.match(/cache_control/g)).toHaveLength(1);
    const newest = messagesOf(JSON.parse(sent)).at(-1);
    expect(newest).toEqual(messages.at(-1));
  }
  expect(await Array.fromAsync(store.sessions())).toHaveLength(1);
  expect(
    JSON.stringify((await store.open((await Array.fromAsync(store.sessions()))[0]?.id ?? ""))?.view),
  ).not.toContain("cache_control");
  expect(model.violations).toEqual([]);
});

test("each request is recorded as the provider counted it", async () => {
  const records: ExchangeRecord[] = [];
  const { start, store } = await world({ onExchange: (record) => records.push(record) });
  const post = start();
  for (let calls = 1; calls <= 30; calls++) await post(longBody(calls), { "user-agent": "agent/1.2 (linux)" });
  const [session] = await Array.fromAsync(store.sessions());
  await expect.poll(async () => (await Array.fromAsync(store.requests(session?.id ?? ""))).length).toBe(30);
  const stored = await Array.fromAsync(store.requests(session?.id ?? ""));
  expect(stored).toEqual(records.map(({ format: _, client: _c, tenant: _t, conversation: _n, ...record }) => record));
  expect(records[0]).toMatchObject({ client: "agent/1.2", format: "openai-chat", model: "gpt-5", status: 200 });
  const last = stored.at(-1);
  expect(last?.windowTokens).toBe(WINDOW_TOKENS);
  expect(last?.triggerTokens).toBeLessThan(WINDOW_TOKENS);
  expect(last?.fullTokens).toBeGreaterThan(last?.viewTokens ?? 0);
  expect(stored.filter(({ eventId }) => eventId !== null).map(({ eventId }) => eventId)).toEqual(await eventsOf(store));
  const ratio = (last?.viewTokens ?? 0) / (last?.inputTokens ?? 1);
  expect(ratio).toBeGreaterThan(0.8);
  expect(ratio).toBeLessThan(1.25);
});

test("a store that cannot be used leaves the request as it came, and one that cannot keep it is refused", async () => {
  const { model } = await world();
  const errors: unknown[] = [];
  const fetch = palimpsest({ store: `sqlite:${import.meta.filename}/x.db`, onError: (error) => errors.push(error) });
  const body = JSON.stringify(longBody(3));
  expect((await fetch(model.origin + PATH, { method: "POST", body })).status).toBe(200);
  expect(model.requests.at(-1)?.bytes.toString()).toBe(body);
  expect(errors).toHaveLength(1);
  const directory = mkdtempSync(join(tmpdir(), "palimpsest-fetch-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  expect(() => palimpsest({ store: jsonlStore({ directory }) })).toThrow("Use SQLite or Postgres");
});

describe("two processes over one Postgres", async () => {
  const postgres = await postgresWorld();
  if (typeof postgres === "string") {
    test.skip(postgres, () => {});
    return;
  }
  afterAll(() => postgres.end());

  test("send the same bytes, in turn and at once, and keep one session", async () => {
    const schema = postgres.newSchema();
    const { start, model, errors } = await world();
    const posts = [1, 2].map(() => start({ store: postgresStore({ client: postgres.newPool(), schema }) }));
    const store = postgresStore({ client: postgres.newPool(), schema });
    for (let calls = 1; calls <= 40; calls++) {
      const body = longBody(calls);
      const before = model.requests.length;
      // The client's retry reaches the other process while the first one is still at it.
      if (calls % 3 === 0) await Promise.all(posts.map((post) => post(body)));
      else {
        await posts[calls % 2]?.(body);
        await posts[(calls + 1) % 2]?.(body);
      }
      const sent = model.requests.slice(before).map(({ bytes }) => bytes.toString());
      expect(sent).toHaveLength(2);
      if (calls % 3 !== 0) expect(sent[0]).toBe(sent[1]);
    }
    const sessions = await Array.fromAsync(store.sessions());
    expect(sessions.map(({ messageCount }) => messageCount)).toEqual([81]);
    expect(sessions[0]?.compactionCount).toBeGreaterThan(0);
    expect(model.violations).toEqual([]);
    expect(model.refusals).toEqual([]);
    expect(await Array.fromAsync(store.examine())).toEqual([]);
    expect(errors).toEqual([]);
  });
});

test("messages that were stored before their hashes were known are found all the same", async () => {
  const { start, store } = await world();
  let isDown = false;
  const addPrefixes: OpenStore["addPrefixes"] = async (prefixes) => {
    if (isDown) throw new Error("killed");
    await store.addPrefixes(prefixes);
  };
  const broken: OpenStore = { ...store, addPrefixes };
  const errors: unknown[] = [];
  const post = start({ store: broken, onError: (error) => errors.push(error) });
  for (let calls = 1; calls <= 6; calls++) await post(longBody(calls));
  isDown = true;
  await post(longBody(7));
  expect(errors).toHaveLength(1);
  const restarted = start();
  expect(await restarted(longBody(7))).toBe(JSON.stringify(longBody(7)));
  await restarted(longBody(8));
  const sessions = await Array.fromAsync(store.sessions());
  expect(sessions.map(({ messageCount }) => messageCount)).toEqual([17]);
});
