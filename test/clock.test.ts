/** Clocks that go back, and sessions that are made again within a millisecond: neither may decide who is who, or for how long. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { FullStore } from "../src/core/store/store-upkeep.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { openSession } from "../src/session.ts";
import { jsonlStore } from "../src/stores/jsonl.ts";
import { memoryStore } from "../src/stores/memory.ts";
import { sqliteStore } from "../src/stores/sqlite.ts";
import { begin, commitOf, refuses } from "../src/testing/store/world.ts";

type Open = (now: () => Date) => FullStore;

const STORES: Readonly<Record<string, Open>> = {
  memory: (now) => memoryStore({ now }),
  jsonl: (now) => jsonlStore({ directory: temporary(), sync: "never", now }),
  sqlite: (now) => sqliteStore({ file: join(temporary(), "sessions.db"), now }),
};

function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), "palimpsest-clock-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

/** A store with a clock that stands still until it is moved. */
function opened(name: string): { store: FullStore; move(byMs: number): void } {
  let nowMs = Date.parse("2026-06-01T00:00:00Z");
  const store = STORES[name]?.(() => new Date(nowMs));
  if (store === undefined) throw new Error(`there is no store ${name}`);
  onTestFinished(() => store.close());
  return {
    store,
    move: (byMs) => {
      nowMs += byMs;
    },
  };
}

describe.each(Object.keys(STORES))("%s", (name) => {
  test.each([0, -5_000, 5])("a session made again after %i ms is sent in place of the old one", async (afterMs) => {
    const { store, move } = opened(name);
    const open = () => openSession("a", { store, compactor: { format: anthropicMessages }, body: { model: "m" } });
    const old = await open();
    await old.append([
      { role: "user", content: "old one" },
      { role: "assistant", content: "old two" },
    ]);
    await store.delete("a");
    move(afterMs);
    const again = await open();
    await again.append("new one");
    expect(await old.request()).toMatchObject({ messages: [{ content: "new one" }] });
    await again.append({ role: "assistant", content: "new two" });
    expect((await old.view()).map(({ id }) => id)).toEqual(["m1", "m2"]);
    expect(await old.request()).toEqual(await again.request());
  });

  test("a lease does not outlast a clock that goes back", async () => {
    const { store, move } = opened(name);
    await begin(store, "a", 4);
    const dead = await store.lease("a", "dead", 1_000);
    if (dead === undefined) throw new Error("the lease is free");
    move(-900);
    expect(await store.lease("a", "next", 1_000), "clocks of two machines may differ").toBeUndefined();
    move(-86_400_000);
    const next = await store.lease("a", "next", 60_000);
    expect(next?.token).toBeGreaterThan(dead.token);
    expect(await store.renew(dead, 1_000)).toBeUndefined();
    await refuses("lease-lost", async () =>
      store.commit("a", await commitOf(store, "a", { archive: [0], summary: "s", lease: dead })),
    );
    expect(await store.lease("a", "third", 1_000)).toBeUndefined();
  });

  test("whoever holds a lease keeps it when the clock goes back, and it is as long as before", async () => {
    const { store, move } = opened(name);
    await begin(store, "a", 4);
    const lease = await store.lease("a", "one", 1_000);
    if (lease === undefined) throw new Error("the lease is free");
    move(-86_400_000);
    expect(await store.renew(lease, 1_000)).toMatchObject({ token: lease.token });
    expect(await store.lease("a", "two", 1_000)).toBeUndefined();
    move(1_001);
    expect(await store.lease("a", "two", 1_000)).toBeDefined();
  });
});

/** A conversation that does not fit without a summary. */
async function openFull(store: FullStore, now: () => number) {
  const protect = { tailTokens: 200, tailMessages: 2 };
  const compactor = { format: anthropicMessages, windowTokens: 1_000, maxOutputTokens: 100, protect };
  const session = await openSession("a", { store, compactor, body: { model: "m" }, leaseMs: 500, now });
  for (let turn = 0; turn < 10; turn++) {
    await session.append([
      { role: "user", content: `Question ${turn}: ${"what does src/build/step.ts do? ".repeat(12)}` },
      { role: "assistant", content: `Answer ${turn}: ${"it runs the compiler and the tests. ".repeat(12)}` },
    ]);
  }
  return session;
}

test("the lease of a dead worker keeps no request waiting when the clock has gone back", async () => {
  let nowMs = Date.now();
  const store = memoryStore({ now: () => new Date(nowMs) });
  const session = await openFull(store, () => nowMs);
  await store.lease("a", "dead", 500);
  nowMs -= 3_600_000;
  expect((await session.fit()).eventId).toBeDefined();
});

test("a compaction during which the clock was set back took no less than no time", async () => {
  let nowMs = Date.now();
  const session = await openFull(memoryStore(), () => {
    nowMs -= 1_000;
    return nowMs;
  });
  await session.compact();
  expect((await session.history())[0]?.durationMs).toBe(0);
});

test("whoever waits for another's summary gives up in time, whatever the clock does", async () => {
  let nowMs = Date.now();
  const store = memoryStore();
  const session = await openFull(store, () => {
    nowMs -= 1_000;
    return nowMs;
  });
  await store.lease("a", "slow", 60_000);
  await expect(session.request()).rejects.toMatchObject({ code: "already-in-progress" });
});
