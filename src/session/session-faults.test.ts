import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { listOf, open, question, refuses, SMALL, talk } from "../../test/session-world.ts";
import type { CompactorOptions } from "../compactor.ts";
import type { JsonObject } from "../core/json.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import { openaiChat } from "../formats/openai-chat.ts";
import { openSession } from "../session.ts";
import { memoryStore } from "../stores/memory.ts";

/** A summarizer with a fixed answer, which runs `meanwhile` first. */
function saying(meanwhile: () => Promise<unknown>): NonNullable<CompactorOptions["summarizer"]> {
  return {
    name: "scripted",
    version: "1",
    planCalls: () => 1,
    summarize: async () => {
      await meanwhile();
      return { text: "They talked about the build.", calls: 1, notes: [] };
    },
  };
}

describe("others at work", () => {
  test("what came during a compaction is in the request, compacted if need be, and nobody waits for his own lease", async () => {
    const store = memoryStore();
    const other = await open({ store });
    let calls = 0;
    const summarizer = saying(async () => {
      if (++calls === 1) await talk(other, 12);
    });
    const compactor = { format: anthropicMessages, ...SMALL, summarizer };
    // The test would time out if it waited for this lease.
    const session = await open({ store, leaseMs: 600_000, compactor });
    await talk(session, 12);
    const { request, report } = await session.fit();
    expect([report.compacted, calls]).toEqual([true, 2]);
    expect(JSON.stringify(request)).toContain("Question 12");
    expect((await session.stats()).currentTokens).toBeLessThan(2_000);
    expect(JSON.stringify(await session.request())).toBe(JSON.stringify(request));
  });

  test("where somebody changes the session all the time, a request that fits is sent as it is", async () => {
    const store = memoryStore();
    const other = await open({ store });
    let calls = 0;
    const summarizer = saying(() => other.setBody({ model: "m", max_tokens: ++calls }));
    const session = await open({ store, compactor: { format: anthropicMessages, ...SMALL, summarizer } });
    await talk(session, 10);
    const { report, request } = await session.fit();
    expect(report).toMatchObject({ compacted: false, reason: "in-progress" });
    expect(listOf(request)).toHaveLength(20);
    expect(calls).toBeLessThan(6);
    await refuses("store-conflict", session.compact());
  });

  test("and one that does not fit is refused at once: there is nobody to wait for", async () => {
    const store = memoryStore();
    const other = await open({ store });
    let calls = 0;
    const summarizer = saying(() => other.setBody({ model: "m", max_tokens: ++calls }));
    const compactor = { format: anthropicMessages, ...SMALL, summarizer };
    const session = await open({ store, leaseMs: 600_000, compactor });
    await talk(session, 24);
    await refuses("store-conflict", session.request());
    expect(calls).toBeLessThan(6);
  });

  test("a gate that pins what is pinned already changes nothing, and the pass goes on", async () => {
    const store = memoryStore();
    let session: Awaited<ReturnType<typeof open>> | undefined;
    const gate = async () => session?.pin("m1");
    session = await open({ store, compactor: { format: anthropicMessages, ...SMALL, hooks: { gate } } });
    await talk(session, 24);
    expect((await session.fit()).report.compacted).toBe(true);
    expect((await session.view())[0]).toMatchObject({ id: "m1", isPinned: true });
    const before = (await store.open("a"))?.version;
    await session.pin("m1");
    expect((await store.open("a"))?.version).toEqual(before);
    await session.unpin("m1");
    expect((await session.view())[0]).toMatchObject({ id: "m1", isPinned: false });
  });

  test("a session that was deleted and made anew is not mistaken for the old one", async () => {
    const store = memoryStore();
    const old = await open({ store });
    await talk(old, 3);
    await old.pin("m1");
    await store.delete("a");
    await pause(2);
    const young = await open({ store });
    await young.append("hello");
    await old.append("from the old handle");
    expect(listOf(await old.request())).toEqual(listOf(await young.request()));
    expect(listOf(await young.request())).toHaveLength(2);
  });

  test("an append that was given up before its turn came is not stored", async () => {
    const store = memoryStore();
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = {
      ...store,
      append: async (...given: Parameters<typeof store.append>) => gate.then(() => store.append(...given)),
    };
    const session = await open({ store: slow });
    const first = session.append("one");
    const controller = new AbortController();
    const second = session.append("two", { signal: controller.signal });
    const request = session.request({ signal: controller.signal });
    controller.abort();
    await refuses("aborted", request);
    release();
    await first;
    await refuses("aborted", second);
    expect(await session.view()).toHaveLength(1);
  });
});

describe("what is handed out and taken in", () => {
  test("a request is the caller's own: to change it changes nothing else", async () => {
    const store = memoryStore();
    const session = await open({ store, body: { model: "m", max_tokens: 9, tools: [] } });
    await talk(session, 3);
    const before = JSON.stringify(await session.request());
    for (let turn = 0; turn < 3; turn++) {
      const request = (await session.request()) as { messages: JsonObject[]; tools: unknown[] };
      for (const message of request.messages) Object.assign(message, { content: "changed" });
      request.tools.push("more");
    }
    const [first] = await session.view();
    if (first !== undefined) Object.assign(first.body as object, { content: "changed" });
    Object.assign((await session.export()).request, { model: "changed" });
    expect(JSON.stringify(await session.request())).toBe(before);
    expect(
      JSON.stringify(await (await open({ store, body: { model: "m", max_tokens: 9, tools: [] } })).request()),
    ).toBe(before);
  });

  test("what was appended is what it was then", async () => {
    const session = await open();
    const message = { role: "user", content: "as it was" };
    await session.append(message);
    message.content = "as it is now";
    expect(listOf(await session.request())).toEqual([{ role: "user", content: "as it was" }]);
  });

  test.each([{ role: "user", content: 5n }, circular()])(
    "what is no JSON is refused, and nothing is stored",
    async (message) => {
      const session = await open();
      await refuses("invalid-request", session.append(message));
      await refuses("invalid-request", session.setBody(message));
      expect(await session.view()).toEqual([]);
    },
  );

  test("arguments that make no sense are refused at the edge", async () => {
    const session = await open();
    await refuses("invalid-settings", session.pin(undefined as unknown as string));
    await refuses("invalid-settings", session.recall(undefined as unknown as string));
    await refuses("invalid-settings", session.purge({ olderThan: new Date("nonsense") }));
    await refuses("invalid-settings", session.purge({ olderThan: "1999" as unknown as Date }));
  });
});

function circular(): object {
  const message: { role: string; content: string; self?: object } = { role: "user", content: "round" };
  message.self = message;
  return message;
}

describe("bodies around the messages", () => {
  test("a body that no request can be made from is refused, and nothing is changed", async () => {
    const store = memoryStore();
    const session = await open({ store });
    await session.append(question(1));
    const before = JSON.stringify(await session.request());
    await refuses("invalid-request", session.setBody({ model: "m", system: 5 }));
    expect(JSON.stringify(await session.request())).toBe(before);
    await refuses("invalid-request", open({ store, body: { system: 5, messages: [] } }, "z"));
    expect(await store.open("z")).toBeUndefined();
  });

  test("another format is refused before anything is written", async () => {
    const store = memoryStore();
    const session = await open({ store, body: { model: "m", max_tokens: 7, system: "Be brief." } });
    await refuses(
      "invalid-settings",
      openSession("a", { store, compactor: { format: openaiChat }, body: { model: "gpt" } }),
    );
    expect(await session.request()).toMatchObject({ model: "m", max_tokens: 7, system: "Be brief." });
  });

  test("a summary in the system prompt outlives a change of the prompt, and the next compaction", async () => {
    const compactor = { format: anthropicMessages, profile: "auto-compact", ...SMALL } as const;
    const body = (system: string) => ({ model: "m", max_tokens: 9, system });
    const session = await open({ compactor, body: body("It is Monday.") });
    await session.append(
      `Please remember the code word QUOKKA-77 from src/secret/quokka.ts. ${"It matters. ".repeat(20)}`,
    );
    await talk(session, 12);
    await session.request();
    await session.setBody(body("It is Tuesday."));
    const prompt = async (): Promise<string> => JSON.stringify(((await session.request()) as JsonObject).system);
    expect(await prompt()).toMatch(/It is Tuesday\..*QUOKKA-77/);
    expect(await prompt()).not.toContain("Monday");
    await talk(session, 12);
    expect(await prompt()).toMatch(/It is Tuesday\..*QUOKKA-77/);
    expect(await session.history()).toHaveLength(2);
  });

  test("the first messages come with the session, or not at all", async () => {
    const store = memoryStore();
    const failing = { ...store, create: () => Promise.reject(new Error("disk full")) };
    const body = { model: "m", max_tokens: 9, messages: [question(1)] };
    await expect(open({ store: failing, body })).rejects.toThrow("disk full");
    expect(await store.open("a")).toBeUndefined();
    const session = await open({ store, body });
    expect(await session.view()).toHaveLength(1);
  });
});

test("a message that is pinned after it was shortened for requests is sent whole again, and kept", async () => {
  const compactor = {
    format: anthropicMessages,
    profile: "nous",
    windowTokens: 100_000,
    protect: { tailTokens: 500 },
  } as const;
  const session = await open({ compactor });
  const output = "line of output\n".repeat(600);
  await session.append("go");
  for (let index = 0; index < 8; index++) {
    await session.append([
      { role: "assistant", content: [{ type: "tool_use", id: `c${index}`, name: "bash", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: `c${index}`, content: `${index} ${output}` }] },
    ]);
  }
  await session.append("and now?");
  expect(JSON.stringify(await session.request())).not.toContain(`0 ${output.slice(0, 20)}`);
  await session.pin("m3");
  const isWhole = (request: object): boolean => JSON.stringify(request).includes(JSON.stringify(`0 ${output}`));
  expect(isWhole(await session.request())).toBe(true);
  await session.compact();
  expect(isWhole(await session.request())).toBe(true);
});

test("closing a fork leaves its parent's store open", async () => {
  const session = await open({ store: "memory:" });
  await talk(session, 1);
  const copy = await session.fork("b");
  await copy.close();
  await session.append("still here");
  expect(await session.view()).toHaveLength(3);
});

test("statistics count what is in the archive, and know when the total is stale", async () => {
  const store = memoryStore();
  const other = await open({ store });
  const summarizer = saying(() => other.append("meanwhile"));
  const session = await open({ store, compactor: { format: anthropicMessages, ...SMALL, summarizer } });
  await talk(session, 12);
  await session.request();
  const archived = [];
  for await (const { id } of session.archive()) archived.push(id);
  expect(await session.stats()).toMatchObject({ archivedMessages: archived.length, isTotalStale: true });
  await session.purge({ olderThan: new Date(Date.now() + 1_000) });
  expect((await session.stats()).archivedMessages).toBe(0);
});

test("a session that is opened again counts by what the provider reported", async () => {
  const store = memoryStore();
  const compactor = { format: anthropicMessages };
  const session = await open({ store, compactor });
  await session.append("The build runs the compiler and then the tests. ".repeat(2_000));
  const { currentTokens } = await session.stats();
  await session.request();
  const usage = { input_tokens: Math.round(currentTokens * 1.5), output_tokens: 2 };
  await session.append({ type: "message", role: "assistant", content: [{ type: "text", text: "Yes." }], usage });
  const before = (await session.stats()).currentTokens;
  const again = await open({ store, compactor: { ...compactor } });
  const { currentTokens: now } = await again.stats();
  expect(Math.abs(now - before) / before).toBeLessThan(0.01);
});
