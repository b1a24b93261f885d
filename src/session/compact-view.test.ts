import { describe, expect, test } from "vitest";
import { listOf, open, question, refuses, SMALL, talk } from "../../test/session-world.ts";
import type { CompactorOptions } from "../compactor.ts";
import type { Store } from "../core/store/store.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import { memoryStore } from "../stores/memory.ts";
import { llm } from "../summarizers/llm.ts";

describe("compaction", () => {
  test("a request compacts when a trigger fires, and the next one is the same bytes", async () => {
    const session = await open();
    await talk(session, 12);
    const { request, report, eventId } = await session.fit();
    expect(report).toMatchObject({ compacted: true, reason: "ratio", fits: true });
    expect(anthropicMessages.validate(request, { sending: true })).toEqual([]);
    expect(JSON.stringify(await session.request())).toBe(JSON.stringify(request));
    const [event] = await session.history();
    expect(event).toMatchObject({
      id: eventId,
      trigger: "ratio",
      profile: "balanced",
      isCompaction: true,
      undoneAt: null,
    });
    expect(event?.summary).toMatch(/(?:Question|Answer) \d/);
    const { archivedMessages, compactionCount, totalTokens } = await session.stats();
    expect([archivedMessages, compactionCount, totalTokens]).toEqual([event?.messagesRemoved, 1, report.tokensAfter]);
  });

  test("another process sees the same view", async () => {
    const store = memoryStore();
    const [one, two] = [await open({ store }), await open({ store })];
    await talk(one, 12);
    const request = await one.request();
    expect(JSON.stringify(await two.request())).toBe(JSON.stringify(request));
    await two.append(question(13));
    expect(listOf(await one.request())).toHaveLength(listOf(request).length + 1);
  });

  test("again and again: each summary takes the place of the one before", async () => {
    const session = await open();
    const format = anthropicMessages;
    for (let round = 0; round < 6; round++) {
      await talk(session, 6);
      const request = await session.request();
      expect(format.validate(request, { sending: false })).toEqual([]);
    }
    const events = await session.history();
    expect(events.length).toBeGreaterThan(3);
    const summaries = (await session.view()).filter(({ isSummary, role }) => isSummary && role === "user");
    expect(summaries).toHaveLength(1);
    expect((await session.stats()).messageCount).toBe(72);
  });

  test("by hand, with a focus; and never silently nothing", async () => {
    const session = await open({
      compactor: { format: anthropicMessages, protect: { tailTokens: 200, tailMessages: 2 } },
    });
    await refuses("nothing-to-compact", session.compact());
    await talk(session, 8);
    const { report } = await session.compact({ instructions: "keep the paths" });
    expect(report.compacted).toBe(true);
    expect((await session.history())[0]).toMatchObject({ trigger: "manual", instructions: "keep the paths" });
  });

  test("by hand, where a gate or a hook will not have it: in their words", async () => {
    const hooks: readonly CompactorOptions["hooks"][] = [
      { onBeforeCompaction: () => new Error("not on a Friday") },
      { session_before_compact: () => ({ cancel: true, message: "not on a Friday" }) },
    ];
    for (const each of hooks) {
      const session = await open({ compactor: { format: anthropicMessages, ...SMALL, ...(each && { hooks: each }) } });
      await talk(session, 12);
      const error = { code: "nothing-to-compact", message: expect.stringContaining("not on a Friday") };
      await expect(session.compact()).rejects.toMatchObject(error);
    }
  });

  test("rollback brings back the very view, and keeps what came since", async () => {
    const session = await open({
      compactor: { format: anthropicMessages, protect: { tailTokens: 200, tailMessages: 2 } },
    });
    await talk(session, 8);
    const before = JSON.stringify((await session.export()).request);
    await session.compact();
    const later = { role: "user", content: "and then" };
    await session.append(later);
    await session.rollback();
    const { request } = await session.export();
    expect(JSON.stringify({ ...request, messages: listOf(request).slice(0, -1) })).toBe(before);
    expect(listOf(request).at(-1)).toEqual(later);
    await refuses("event-missing", session.rollback());
  });

  test("a pinned message stays, wherever it stands", async () => {
    const session = await open({
      compactor: { format: anthropicMessages, protect: { tailTokens: 200, tailMessages: 2 } },
    });
    await talk(session, 8);
    await session.pin("m5");
    await session.compact();
    const pinned = (await session.view()).find(({ id }) => id === "m5");
    expect(pinned).toMatchObject({ isPinned: true, isEdited: false, body: question(3) });
    await session.unpin("m5");
    await refuses("message-missing", session.pin("m999"));
  });

  test("while another worker compacts, requests go on and nobody compacts twice", async () => {
    const store = memoryStore();
    const session = await open({ store });
    await talk(session, 10);
    const lease = await store.lease("a", "somebody else", 60_000);
    const { report, request } = await session.fit();
    expect(report).toMatchObject({ compacted: false, reason: "in-progress" });
    expect(listOf(request)).toHaveLength(20);
    await refuses("already-in-progress", session.compact());
    if (lease !== undefined) await store.release(lease);
    expect((await session.fit()).report.compacted).toBe(true);
  });

  test("what others change during a summary is planned again", async () => {
    const store = memoryStore();
    const other = await open({ store });
    let calls = 0;
    const session = await open({
      store,
      compactor: {
        format: anthropicMessages,
        ...SMALL,
        summarizer: slow(async () => {
          if (++calls > 1) return;
          await other.append("meanwhile");
          await other.pin("m3");
        }),
      },
    });
    await talk(session, 12);
    const { report, request } = await session.fit();
    expect([report.compacted, calls]).toEqual([true, 2]);
    expect(JSON.stringify(request)).toContain("meanwhile");
    expect((await session.view()).some(({ id, isPinned }) => id === "m3" && isPinned)).toBe(true);
  });

  test("a lease that is lost stops the work, and nothing is stored", async () => {
    const store = memoryStore();
    const deaf: Store = { ...store, renew: async () => undefined };
    const stuck = slow(
      (signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    );
    const session = await open({
      store: deaf,
      leaseMs: 30,
      compactor: { format: anthropicMessages, ...SMALL, summarizer: stuck },
    });
    await talk(session, 12);
    await refuses("lease-lost", session.compact());
    expect(listOf(await session.request())).toHaveLength(24);
    expect(await session.history()).toEqual([]);
  });

  test("a summarizer that fails is not asked again until something new has come", async () => {
    let calls = 0;
    const summarizer = slow(async () => {
      calls++;
      throw new Error("no model today");
    });
    const compactor = { format: anthropicMessages, ...SMALL, summarizer, failure: { ladder: ["throw"] } } as const;
    const session = await open({ compactor });
    await talk(session, 10);
    await refuses("summary-failed", session.request());
    expect((await session.fit()).report).toMatchObject({ compacted: false, reason: "thrashing" });
    expect(calls).toBe(1);
    await talk(session, 4);
    await refuses("summary-failed", session.request());
    expect(calls).toBe(2);
  });

  test("an abort leaves everything as it was", async () => {
    const controller = new AbortController();
    const summarizer = slow(async () => controller.abort());
    const session = await open({ compactor: { format: anthropicMessages, ...SMALL, summarizer } });
    await talk(session, 12);
    const before = JSON.stringify(await session.view());
    await refuses("aborted", session.request({ signal: controller.signal }));
    await refuses("aborted", session.append("late", { signal: controller.signal }));
    expect(JSON.stringify(await session.view())).toBe(before);
    expect(await session.history()).toEqual([]);
  });
});

/** A summarizer with a fixed answer, which runs `meanwhile` first. */
function slow(meanwhile: (signal: AbortSignal) => Promise<unknown>): NonNullable<CompactorOptions["summarizer"]> {
  return {
    name: "scripted",
    version: "1",
    planCalls: () => 1,
    summarize: async (_, { signal }) => {
      await meanwhile(signal);
      signal.throwIfAborted();
      return { text: "They talked about the build.", calls: 1, notes: [] };
    },
  };
}

describe("thinking that is bound to what was shortened", () => {
  const model = "claude-opus-5-5";
  const round = (index: number): readonly object[] => [
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "look", signature: `sig${index}` },
        { type: "tool_use", id: `t${index}`, name: "read", input: { path: `src/${index}.ts` } },
      ],
    },
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: `t${index}`, content: "a line of it ".repeat(400) }],
    },
  ];

  test.each([
    ["stored", { prune: { scope: "stored" } }],
    ["for requests only", { prune: { scope: "request" } }],
  ] as const)("goes once and stays away, %s; what comes after stays", async (_, options) => {
    const compactor = { format: anthropicMessages, windowTokens: 16_000, compact: { auto: false }, ...options };
    const session = await open({ compactor, body: { model, max_tokens: 100 } });
    await session.append({ role: "user", content: "Look around." });
    for (let index = 0; index < 12; index++) await session.append([...round(index)]);
    const first = await session.fit();
    expect(first.report).toMatchObject({ compacted: true, reason: "prune" });
    const list = listOf(first.request);
    expect(list.findLastIndex((message) => JSON.stringify(message).includes("signature"))).toBeLessThan(3);
    await session.append([{ role: "assistant", content: [{ type: "thinking", thinking: "so", signature: "new" }] }]);
    const again = listOf(await session.request());
    expect(JSON.stringify(again.slice(0, list.length))).toBe(JSON.stringify(list));
    expect(JSON.stringify(again.at(-1))).toContain('"signature":"new"');
  });
});

test("the event names the model that was asked, or the one that answered", async () => {
  const made = async (answering: object): Promise<unknown> => {
    const complete = () => Promise.resolve({ text: "## Goal\nLook at the build steps.", ...answering });
    const summarizer = llm({ complete, windowTokens: 100_000 });
    const compactor = { format: anthropicMessages, ...SMALL, summary: { model: "small" }, summarizer };
    const session = await open({ compactor });
    await talk(session, 12);
    await session.fit();
    return (await session.history())[0]?.modelUsed;
  };
  expect(await made({})).toBe("small");
  expect(await made({ model: "small-2" })).toBe("small-2");
  const session = await open();
  await talk(session, 12);
  await session.fit();
  expect((await session.history())[0]?.modelUsed).toBeNull();
});
