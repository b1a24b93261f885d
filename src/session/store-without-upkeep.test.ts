import { expect, test } from "vitest";
import type { Store } from "../core/store/store.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import { openSession } from "../session.ts";
import { memoryStore } from "../stores/memory.ts";

/** A store with the first port only. */
function sessionStore(): Store {
  const { edits, log, purge, delete: remove, fork, sessions, examine, ...store } = memoryStore();
  return store;
}

const open = (store: Store, agentId: string) =>
  openSession("a", { store, agentId, compactor: { format: anthropicMessages, windowTokens: 24_000 } });

test("a session over a store without the second port refuses what needs it, and does everything else", async () => {
  const store = sessionStore();
  // The second session is stored under another key, so its store is a wrapped one.
  for (const session of [await open(store, "first"), await open(store, "second")]) {
    await session.append({ role: "user", content: "one" });
    const before = await session.export();
    for (const refused of [
      () => session.purge({ olderThan: new Date() }),
      () => session.delete(),
      () => session.fork("b"),
      () => session.fork("b", { at: "m1" }),
      () => session.export({ all: true }),
    ]) {
      await expect(refused()).rejects.toMatchObject({
        code: "invalid-settings",
        message: expect.stringContaining("StoreUpkeep"),
      });
    }
    expect(await session.export()).toEqual(before);
    await session.setBody({ model: "m" });
    await session.pin("m1");
    await session.recordMemoryFlush();
    expect((await session.view()).map(({ isPinned }) => isPinned)).toEqual([true]);
  }
  expect(await store.open("b")).toBeUndefined();
});
