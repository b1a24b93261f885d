/** Messages that are pinned as they are appended, in every store: they stay, and the provider never hears of the mark. */

import { describe, expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "../src/core/json.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { gemini } from "../src/formats/gemini.ts";
import { createCompactor, openSession, type SessionOptions } from "../src/index.ts";
import { answer, listOf, open, question, refuses, talk } from "./session-world.ts";
import { storesUnderTest } from "./stores-under-test.ts";

const compactor: SessionOptions["compactor"] = {
  format: anthropicMessages,
  protect: { tailTokens: 200, tailMessages: 2 },
};

describe.each(storesUnderTest)("$name", ({ open: openStore }) => {
  test("what is pinned as it is appended stays, also once the session is opened again", async ({ skip }) => {
    const opened = await openStore();
    if (typeof opened === "string") return skip(opened);
    onTestFinished(() => opened.dispose());
    const first = { ...question(1), isPreserved: true };
    const session = await open({
      store: opened.store,
      compactor,
      body: { model: "m", max_tokens: 9, messages: [first] },
    });
    await session.append(answer(1));
    await session.append("Never deploy without asking me.", { pinned: true });
    await session.append([answer(2), { ...question(3), isPreserved: true }, { ...answer(3), isPreserved: false }]);
    await talk(session, 8);
    expect(JSON.stringify(await session.request())).not.toContain("isPreserved");
    const again = await open({ store: await opened.reopen(), compactor });
    await again.compact();
    const kept = (await again.view()).filter(({ isPinned }) => isPinned);
    expect(kept.map(({ id, isEdited }) => [id, isEdited])).toEqual([
      ["m1", false],
      ["m3", false],
      ["m5", false],
    ]);
    const text = JSON.stringify(await again.request());
    expect(text).toContain("Never deploy without asking me.");
    expect(text).not.toContain("isPreserved");
    expect(JSON.stringify(await again.export({ all: true }))).not.toContain("isPreserved");
  });
});

test("the session knows its pins before it asks the store again", async () => {
  const session = await open({ compactor });
  await session.append(question(1), { pinned: true });
  await talk(session, 8);
  await session.compact();
  expect((await session.view())[0]).toMatchObject({ id: "m1", isPinned: true });
});

test("a list that is given with a call: what is preserved stays, and the mark is never sent", async () => {
  const fitting = createCompactor({ ...compactor, windowTokens: 200_000 });
  const turns = Array.from({ length: 12 }, (_, index) => [question(index), answer(index)]).flat();
  const messages = turns.map((message, index) => (index === 4 ? { ...message, isPreserved: true } : message));
  const body = { model: "claude-opus-4-5", max_tokens: 100, messages };
  const before = JSON.stringify(body);
  const fitted = await fitting.fit(body);
  expect([fitted.report.compacted, JSON.stringify(fitted.request).includes("isPreserved")]).toEqual([false, false]);
  expect(fitting.plan(body).because).toBe("not-triggered");
  const { request } = await fitting.compact(body);
  expect(listOf(request)).toContainEqual(question(2));
  expect(listOf(request).length).toBeLessThan(messages.length);
  expect(JSON.stringify(request)).not.toContain("isPreserved");
  expect(JSON.stringify(body)).toBe(before);
  const list = await fitting.compact(messages);
  expect(list.request).toContainEqual(question(2));
});

test("another format's messages are marked in the same way", async () => {
  const session = await openSession("a", { store: "memory:", compactor: { format: gemini }, body: { model: "g" } });
  await session.append({ role: "user", parts: [{ text: "hello" }], isPreserved: true });
  expect((await session.view())[0]).toMatchObject({
    isPinned: true,
    body: { role: "user", parts: [{ text: "hello" }] },
  });
});

test("a mark that is neither true nor false is refused", async () => {
  const session = await open();
  await refuses("invalid-request", session.append({ ...question(1), isPreserved: "yes" }));
  const body = { model: "m", max_tokens: 1, messages: [{ ...question(1), isPreserved: 1 } as JsonObject] };
  await refuses("invalid-request", createCompactor({ format: anthropicMessages }).fit(body));
});
