/** Contract of a store that keeps what passes through an exchange. */

import { strict as assert } from "node:assert";
import type { RequestRecord, TrafficStore } from "../../core/store/traffic.ts";
import type { Cases } from "../store-contract.ts";
import { begin, listOf, refuses, user } from "./world.ts";

export const RECORD: Omit<RequestRecord, "sessionId"> = {
  at: "2026-11-19T01:02:03.456Z",
  model: "claude-opus-4-5",
  status: 200,
  inputTokens: 1_000,
  cacheReadTokens: 900,
  cacheWriteTokens: 50,
  outputTokens: 20,
  viewTokens: 1_010.5,
  fullTokens: 5_000,
  windowTokens: 200_000,
  triggerTokens: 160_000,
  eventId: null,
  firstByteMs: 12.5,
  durationMs: 340,
};

const UNCOUNTED = { inputTokens: null, cacheReadTokens: null, cacheWriteTokens: null, outputTokens: null };

export const TRAFFIC_CASES: Cases<TrafficStore> = {
  "the longest known prefix of a list is found": async ({ store, reopen }) => {
    await begin(store, "a", 4);
    await begin(store, "b", 4);
    const many = Array.from({ length: 200 }, (_, index) => ({ hash: `a${index}`, sessionId: "a", messageId: "m1" }));
    await store.addPrefixes([...many, { hash: "a200", sessionId: "a", messageId: "m3" }]);
    await store.addPrefixes([{ hash: "b1", sessionId: "b", messageId: "m2" }]);
    await store.addPrefixes([]);
    const list = [...many.map(({ hash }) => hash), "a200"];
    const last = { hash: "a200", sessionId: "a", messageId: "m3" };
    assert.deepEqual(await store.findPrefix(list), last);
    assert.deepEqual(await store.findPrefix([...list, ...Array.from({ length: 150 }, (_, at) => `new ${at}`)]), last);
    assert.deepEqual(await (await reopen()).findPrefix(["b0", "b1", "b2"]), {
      hash: "b1",
      sessionId: "b",
      messageId: "m2",
    });
    assert.equal(await store.findPrefix(["c1", "c2"]), undefined);
    assert.equal(await store.findPrefix([]), undefined);
  },
  "the first one to say what a prefix stands for is believed": async ({ store }) => {
    await begin(store, "a", 2);
    await begin(store, "b", 2);
    await store.addPrefixes([{ hash: "h", sessionId: "a", messageId: "m1" }]);
    await store.addPrefixes([
      { hash: "h", sessionId: "b", messageId: "m2" },
      { hash: "g", sessionId: "b", messageId: "m2" },
      { hash: "f", sessionId: "nobody", messageId: "m1" },
    ]);
    assert.equal((await store.findPrefix(["h"]))?.sessionId, "a");
    assert.equal((await store.findPrefix(["g"]))?.sessionId, "b");
    assert.equal(await store.findPrefix(["f"]), undefined);
  },
  "requests are kept as they were recorded, and summed": async ({ store, reopen }) => {
    await begin(store, "a", 2);
    await begin(store, "b", 2);
    await begin(store, "c", 2);
    const first = { ...RECORD, sessionId: "a" };
    const second = { ...first, ...UNCOUNTED, status: 529, eventId: "e1", triggerTokens: null, firstByteMs: null };
    await store.addRequest(first);
    await store.addRequest({ ...first, sessionId: "b" });
    await store.addRequest(second);
    const again = await reopen();
    assert.deepEqual(await listOf(again.requests("a")), [first, second]);
    assert.deepEqual(await listOf(again.requests("c")), []);
    const [of, ...others] = await again.totals(["c", "a", "nobody"]);
    assert.deepEqual(others, []);
    const sums = { inputTokens: 1_000, cacheReadTokens: 900, cacheWriteTokens: 50, outputTokens: 20 };
    assert.deepEqual(of, { sessionId: "a", requests: 2, ...sums, fullTokens: 10_000, newest: second });
    await refuses("session-missing", () => store.addRequest({ ...first, sessionId: "nobody" }));
  },
  "thousands of requests are read in order": async ({ store }) => {
    await begin(store, "a", 2);
    for (let at = 0; at < 1_100; at++) await store.addRequest({ ...RECORD, sessionId: "a", durationMs: at });
    const durations = (await listOf(store.requests("a"))).map(({ durationMs }) => durationMs);
    assert.deepEqual(durations, [...durations.keys()]);
  },
  "what is known of a session goes with it": async ({ store }) => {
    await begin(store, "a", 2);
    await store.addPrefixes([{ hash: "h", sessionId: "a", messageId: "m2" }]);
    await store.addRequest({ ...RECORD, sessionId: "a" });
    await store.delete("a");
    assert.equal(await store.findPrefix(["h"]), undefined);
    await begin(store, "a", 2);
    assert.deepEqual(await store.totals(["a"]), []);
  },
  "an append that names the last message it knows finds out about others": async ({ store }) => {
    await begin(store, "a", 2);
    const batch = { messages: [user("next")], turns: 1 };
    assert.equal((await store.append("a", { ...batch, after: 2 })).ids.join(), "m3");
    await refuses("store-conflict", () => store.append("a", { ...batch, after: 2 }));
    await refuses("store-conflict", () => store.append("a", { messages: [], turns: 0, after: 2 }));
    await refuses("session-missing", () => store.append("nobody", { ...batch, after: 2 }));
    assert.equal((await store.append("a", { ...batch, after: 3 })).ids.join(), "m4");
    const both = await Promise.allSettled([1, 2].map(() => store.append("a", { ...batch, after: 4 })));
    assert.deepEqual(both.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
  },
};
