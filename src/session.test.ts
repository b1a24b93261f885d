import { describe, expect, test } from "vitest";
import { answer, listOf, open, question, refuses, SMALL, talk } from "../test/session-world.ts";
import type { JsonObject } from "./core/json.ts";
import { anthropicMessages } from "./formats/anthropic-messages.ts";
import { formatNamed, formatNames } from "./formats.ts";
import { openSession } from "./session.ts";
import { memoryStore } from "./stores/memory.ts";
import { generateBody } from "./testing/wire-bodies.ts";

const said = { role: "assistant", content: [{ type: "text", text: "hi" }] };
const item = {
  type: "message",
  id: "i",
  role: "assistant",
  content: [{ type: "output_text", text: "hi", annotations: [] }],
};
const content = { role: "model", parts: [{ text: "hi" }] };

/** A whole response of each provider, and the message that it adds. */
const ANSWERS = {
  "anthropic-messages": {
    response: { id: "msg_1", type: "message", ...said, usage: { input_tokens: 5, output_tokens: 2 } },
    message: said,
  },
  "openai-chat": {
    response: {
      object: "chat.completion",
      choices: [{ index: 0, message: { role: "assistant", content: "hi" } }],
      usage: { prompt_tokens: 5, completion_tokens: 2 },
    },
    message: { role: "assistant", content: "hi" },
  },
  "openai-responses": {
    response: { object: "response", output: [item], usage: { input_tokens: 5, output_tokens: 2 } },
    message: item,
  },
  gemini: {
    response: {
      candidates: [{ content, finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2 },
    },
    message: content,
  },
};

describe("messages", () => {
  test.each(formatNames)("%s: a request is the body that was put in, byte for byte", async (name) => {
    for (let seed = 1; seed <= 30; seed++) {
      const body = generateBody(name, { seed, broken: false });
      const compactor = { format: formatNamed(name) };
      const session = await openSession(`s${seed}`, { store: "memory:", compactor, body });
      expect(JSON.stringify(await session.request())).toBe(JSON.stringify(body));
      await session.close();
    }
  });

  test.each(formatNames)(
    "%s: what is broken is repaired for the request, and stays as it was in the store",
    async (name) => {
      const format = formatNamed(name);
      for (let seed = 1; seed <= 30; seed++) {
        const body = generateBody(name, { seed, broken: true });
        const session = await openSession(`s${seed}`, { store: "memory:", compactor: { format }, body });
        expect(format.validate(await session.request())).toEqual([]);
        const { request } = await session.export();
        expect(JSON.stringify(listOf(request))).toBe(JSON.stringify(listOf(body)));
      }
    },
  );

  test("a text, a message, several, a response", async () => {
    const session = await open();
    await session.append("Fix the build.");
    const response = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      content: [{ type: "text", text: "Done." }],
      usage: { input_tokens: 900, output_tokens: 12 },
    };
    await session.request();
    expect(await session.append(response)).toEqual(["m2"]);
    await session.append([question(1), answer(1)]);
    expect(listOf(await session.request()).slice(0, 2)).toEqual([
      { role: "user", content: "Fix the build." },
      { role: "assistant", content: [{ type: "text", text: "Done." }] },
    ]);
    expect(await session.stats()).toMatchObject({
      messageCount: 4,
      turnCount: 2,
      viewMessages: 4,
      archivedMessages: 0,
    });
  });

  test.each(formatNames)("%s: a response within a list is a response", async (name) => {
    const format = formatNamed(name);
    const { response, message } = ANSWERS[name];
    const session = await openSession("a", { store: "memory:", compactor: { format }, body: { model: "m" } });
    await session.append("Fix the build.");
    await session.append([response]);
    await session.append("And now?");
    const request = await session.request();
    expect(listOf(request)[1]).toEqual(message);
    expect(format.validate(request, { sending: true })).toEqual([]);
    expect(await session.stats()).toMatchObject({ inputTokens: 5, outputTokens: 2 });
  });

  test("usage of a response counts, and calibrates the estimate", async () => {
    const session = await open({ compactor: { format: anthropicMessages } });
    await session.append("The build runs the compiler and then the tests. ".repeat(2_000));
    const { currentTokens: before } = await session.stats();
    await session.request();
    const usage = { input_tokens: before * 1.5, output_tokens: 12 };
    await session.append({ type: "message", role: "assistant", content: [{ type: "text", text: "Yes." }], usage });
    const { totalTokens, isTotalStale, currentTokens } = await session.stats();
    expect([totalTokens, isTotalStale]).toEqual([Math.round(before * 1.5) + 12, false]);
    expect(currentTokens).toBeGreaterThan(before * 1.4);
  });

  test("what cannot be read is refused, and nothing is stored", async () => {
    const session = await open();
    await refuses("invalid-request", session.append({ role: "user" }));
    await refuses("invalid-request", session.append([question(1), 5 as unknown as object]));
    expect(await session.view()).toEqual([]);
    await session.append(question(2));
    expect(await session.view()).toHaveLength(1);
  });

  test("appends keep the order of their calls", async () => {
    const session = await open({ compactor: { format: anthropicMessages } });
    await Promise.all(Array.from({ length: 40 }, (_, index) => session.append(`message ${index}`)));
    const texts = (await session.view()).map(({ body }) => (body as { content: string }).content);
    expect(texts).toEqual(Array.from({ length: 40 }, (_, index) => `message ${index}`));
  });

  test("a session that is not there is made, or missed", async () => {
    const store = memoryStore();
    await refuses("session-missing", open({ store, create: false }));
    await refuses("invalid-settings", open({ store }, ""));
    await open({ store, agentId: "agent", metadata: { tenant: 1 } });
    await refuses("invalid-settings", open({ store, compactor: { format: formatNamed("gemini") }, body: {} }));
    await refuses(
      "invalid-settings",
      openSession("x", { store: "mysql://secret@host", compactor: { format: anthropicMessages } }),
    );
  });
});

describe("where a profile puts things", () => {
  test("a summary in the system prompt is part of the view, and goes with a rollback", async () => {
    const compactor = { format: anthropicMessages, profile: "auto-compact", ...SMALL } as const;
    const body = { model: "claude-opus-4-5", max_tokens: 100, system: "You are a build agent." };
    const session = await open({ compactor, body });
    await talk(session, 12);
    const before = JSON.stringify((await session.export()).request);
    const request = await session.request();
    expect(JSON.stringify((request as JsonObject).system)).toContain("[Previous conversation summary]");
    expect(JSON.stringify(await session.request())).toBe(JSON.stringify(request));
    await session.rollback();
    expect(JSON.stringify((await session.export()).request)).toBe(before);
  });

  test("results pruned for requests only are pruned in the same way again, and stored in full", async () => {
    const compactor = { format: anthropicMessages, profile: "nous", windowTokens: 100_000 } as const;
    const session = await open({ compactor });
    const output = "line of output\n".repeat(600);
    for (let index = 0; index < 6; index++) {
      await session.append(
        [
          index === 0 ? { role: "user", content: "go" } : undefined,
          { role: "assistant", content: [{ type: "tool_use", id: `c${index}`, name: "bash", input: {} }] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: `c${index}`, content: output }] },
        ].filter((message) => message !== undefined),
      );
    }
    const request = JSON.stringify(await session.request());
    expect(request).toContain("--- trimmed (kept");
    expect(JSON.stringify(await session.request())).toBe(request);
    expect(await session.history()).toEqual([]);
    expect(JSON.stringify((await session.export()).request)).not.toContain("--- trimmed");
  });

  test("results pruned in the store are an event of their own, and can be taken back", async () => {
    const session = await open({ compactor: { format: anthropicMessages, profile: "micro-agent" } });
    const output = "x".repeat(50_000);
    await session.append([
      { role: "user", content: "go" },
      { role: "assistant", content: [{ type: "tool_use", id: "c", name: "bash", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: output }] },
    ]);
    const before = JSON.stringify(await session.view());
    await session.request();
    expect((await session.history())[0]).toMatchObject({ strategy: "prune", isCompaction: false });
    expect((await session.view())[2]).toMatchObject({ isEdited: true });
    expect((await session.stats()).compactionCount).toBe(0);
    await session.rollback();
    expect(JSON.stringify(await session.view())).toBe(before);
  });
});

test("the rest of a session's life", async () => {
  const store = memoryStore();
  const session = await open({
    store,
    compactor: { format: anthropicMessages, protect: { tailTokens: 200, tailMessages: 2 } },
  });
  await talk(session, 8);
  const { eventId = "" } = await session.compact();
  const [hit] = await session.recall("Question 2");
  expect(hit).toMatchObject({ messageId: "m3", archivedBy: eventId });
  expect((await session.expand(eventId)).map(({ id }) => id)).toContain("m3");
  await refuses("event-missing", session.expand("nothing"));
  const copy = await session.fork("b");
  await copy.rollback();
  expect([(await copy.view()).length, (await session.history())[0]?.undoneAt]).toEqual([16, null]);
  await session.setBody({ model: "claude-sonnet-4-5", max_tokens: 5, system: "Be brief." });
  expect(await session.request()).toMatchObject({ model: "claude-sonnet-4-5", system: "Be brief." });
  const archived = [];
  for await (const { id } of session.archive()) archived.push(id);
  const all = await session.export({ all: true });
  expect([all.events?.length, all.log?.length]).toEqual([1, (await session.view()).length + archived.length]);
  expect(await session.purge({ olderThan: new Date(Date.now() + 1_000) })).toBe(archived.length);
  await refuses("archive-purged", session.rollback());
  await session.delete();
  await refuses("session-missing", session.append("too late"));
});

test("of two workers that make a session at once, the second joins what the first has made, or is told that it cannot", async () => {
  const store = memoryStore();
  const [first, second] = await Promise.all([open({ store }), open({ store, body: { model: "m", max_tokens: 9 } })]);
  expect(await second.request()).toMatchObject({ model: "m", max_tokens: 9 });
  expect(await first.request()).toEqual(await second.request());
  const other = { format: formatNamed("openai-chat") };
  const [made, joined] = await Promise.allSettled([
    open({ store }, "b"),
    open({ store, compactor: other, body: { model: "m" } }, "b"),
  ]);
  expect(made.status).toBe("fulfilled");
  expect(joined).toMatchObject({ status: "rejected", reason: { code: "invalid-settings" } });
});
