import { expect, test } from "vitest";
import { storeContract } from "../testing/store-contract.ts";
import { memoryStore } from "./memory.ts";

const contract = storeContract("memory", async () => {
  const store = memoryStore();
  return { store, reopen: async () => store, dispose: () => store.close() };
});
for (const { name, run } of contract) test(name, run);

test("what was given can be changed without changing what is kept", async () => {
  const store = memoryStore();
  const [base, body] = [{ model: "a" }, { role: "user", content: "hello" }];
  await store.create({ id: "s", format: "openai-chat", base });
  await store.append("s", { messages: [{ role: "user", body, attachments: [] }], turns: 1 });
  base.model = "b";
  body.content = "goodbye";
  const state = await store.open("s");
  expect([state?.base, state?.view[0]?.body]).toEqual([{ model: "a" }, { role: "user", content: "hello" }]);
});

test("the clock and the ids are the caller's", async () => {
  const store = memoryStore({ now: () => new Date("2026-01-01T00:00:00Z"), newId: () => "event" });
  await store.create({ id: "s", format: "gemini", base: {} });
  expect((await store.open("s"))?.createdAt).toBe("2026-01-01T00:00:00.000Z");
});
