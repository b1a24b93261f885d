import { expect, test } from "vitest";
import { storeContract, trafficContract } from "../testing/store-contract.ts";
import { memoryStore } from "./memory.ts";

const open = async () => {
  const store = memoryStore();
  return { store, reopen: async () => store, dispose: () => store.close() };
};
const contract = [...storeContract("memory", open), ...trafficContract("memory", open)];
for (const { name, run } of contract) test(name, run);

test("the clock and the ids are the caller's", async () => {
  const store = memoryStore({ now: () => new Date("2026-01-01T00:00:00Z"), newId: () => "event" });
  await store.create({ id: "s", format: "gemini", base: {} });
  expect((await store.open("s"))?.createdAt).toBe("2026-01-01T00:00:00.000Z");
});
