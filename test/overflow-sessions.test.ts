/** What a session learns from a refusal is stored with it, and holds for whoever opens it next. */

import { expect, test } from "vitest";
import type { Store } from "../src/core/store/store.ts";
import { openaiChat } from "../src/formats/openai-chat.ts";
import { openSession } from "../src/session.ts";
import { memoryStore } from "../src/stores/memory.ts";

const MODEL = "local-model";

const open = (store: Store, agentId?: string) =>
  openSession("a", {
    store,
    ...(agentId !== undefined && { agentId }),
    compactor: { format: openaiChat, windowTokens: 200_000, overflow: { maxAttempts: 1, finalStep: "none" } },
    body: { model: MODEL },
  });
const chatError = (actual: number, maximum: number): object => ({
  error: {
    code: "context_length_exceeded",
    message: `This model's maximum context length is ${maximum} tokens. However, your messages resulted in ${actual} tokens.`,
  },
});
const turns = (count: number): object[] =>
  Array.from({ length: count }, (_, index) => [
    { role: "user", content: `Question ${index}: ${"what does the module export? ".repeat(60)}` },
    { role: "assistant", content: `Answer ${index}: ${"it exports a function and a type. ".repeat(60)}` },
  ]).flat();

test("what was learned is stored, also where nothing could be done, and another process knows it", async () => {
  const store = memoryStore();
  const session = await open(store);
  await session.append([...turns(40), { role: "user", content: "And now?" }]);
  await session.request();
  const { report, eventId } = await session.fit({ overflow: chatError(40_000, 24_000) });
  expect(report.overflow).toMatchObject({ retry: true, attempt: 1, windowTokens: 24_000 });
  expect(eventId).toBeDefined();
  expect((await session.stats()).windowTokens).toBe(24_000);
  const again = await open(store);
  expect((await again.stats()).windowTokens).toBe(24_000);
  await again.fit({ overflow: undefined });
  await again.append(turns(20));
  await again.append("And now?");
  expect((await again.fit()).report).toMatchObject({ compacted: true, targetTokens: 9_600 });
  expect((await again.stats()).windowTokens).toBe(24_000);
  expect((await store.open("a"))?.metadata).toEqual({ learnedWindows: { [MODEL]: { stated: 24_000 } } });
});

test("an agent's session of the same id knows what it learned itself", async () => {
  const store = memoryStore();
  const [first, second] = [await open(store, "first"), await open(store, "second")];
  await second.append([...turns(40), { role: "user", content: "And now?" }]);
  await second.request();
  await second.fit({ overflow: chatError(40_000, 24_000) });
  expect((await first.stats()).windowTokens).toBe(200_000);
  expect((await (await open(store, "second")).stats()).windowTokens).toBe(24_000);
});

test("a request after the last attempt is an error, not the same request again", async () => {
  const session = await open(memoryStore());
  await session.append([...turns(40), { role: "user", content: "And now?" }]);
  const request = await session.request();
  const error = chatError(40_000, 24_000);
  const smaller = await session.request({ overflow: error });
  expect(JSON.stringify(smaller).length).toBeLessThan(JSON.stringify(request).length);
  await expect(session.request({ overflow: error })).rejects.toMatchObject({
    code: "compaction-failure",
    cause: error,
  });
  await session.append({ role: "assistant", content: "It is answered." });
  await session.append([...turns(40), { role: "user", content: "Go on." }]);
  expect((await session.fit({ overflow: error })).report.overflow).toMatchObject({ attempt: 1, retry: true });
  await expect(session.fit({ overflow: new Error("401 invalid x-api-key") })).rejects.toMatchObject({
    code: "not-an-overflow",
  });
});

test("what was sent is what was refused, whatever others have made of the view since", async () => {
  const store = memoryStore();
  const [session, other] = [await open(store), await open(store)];
  await session.append([...turns(40), { role: "user", content: "And now?" }]);
  await session.request();
  await other.compact();
  const { report } = await session.fit({ overflow: { error: { code: "context_length_exceeded", message: "" } } });
  const { refused } = session.compactor.windows.save(MODEL) ?? {};
  expect(refused).toBeGreaterThan(1.3 * report.tokensBefore);
});

test("a guess that was too low is taken back in the store too", async () => {
  const store = memoryStore();
  const session = await open(store);
  await session.append([...turns(40), { role: "user", content: "And now?" }]);
  await session.request();
  await session.fit({ overflow: { error: { code: "context_length_exceeded", message: "" } } });
  expect(Object.keys((await store.open("a"))?.metadata.learnedWindows ?? {})).toEqual([MODEL]);
  const message = { role: "assistant", content: "Done." };
  const usage = { prompt_tokens: 90_000, completion_tokens: 5, total_tokens: 90_005 };
  await session.append({
    id: "x",
    object: "chat.completion",
    choices: [{ index: 0, message, finish_reason: "stop" }],
    usage,
  });
  await session.append("Thanks.");
  await session.request();
  expect((await store.open("a"))?.metadata.learnedWindows).toEqual({});
  expect((await session.stats()).windowTokens).toBe(200_000);
});
