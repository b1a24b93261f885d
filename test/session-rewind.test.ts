/** Rewinding, in every store: what was taken out of the view is in the archive, and a rollback brings it back. */

import { describe, expect, onTestFinished, test } from "vitest";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { openaiChat } from "../src/formats/openai-chat.ts";
import { openSession, type Session } from "../src/index.ts";
import { memoryStore } from "../src/stores/memory.ts";
import { listOf as collected, isSound } from "../src/testing/store/world.ts";
import { answer, listOf, open, question, refuses, talk } from "./session-world.ts";
import { storesUnderTest } from "./stores-under-test.ts";

async function idsOf(session: Session): Promise<string> {
  return (await session.view()).map(({ id }) => id).join(" ");
}

describe.each(storesUnderTest)("$name", ({ open: openStore }) => {
  test("regenerate, edit the last, and take it back", async ({ skip }) => {
    const opened = await openStore();
    if (typeof opened === "string") return skip(opened);
    onTestFinished(() => opened.dispose());
    const { store } = opened;
    const session = await open({ store });
    await talk(session, 3);
    const whole = JSON.stringify(await session.view());
    const popped = await session.pop();
    expect(popped.map(({ id, body }) => [id, body])).toEqual([["m6", answer(3)]]);
    expect(await idsOf(session)).toBe("m1 m2 m3 m4 m5");
    await session.append(answer(33));
    expect(listOf(await session.request()).at(-1)).toEqual(answer(33));
    expect((await session.pop()).map(({ id }) => id)).toEqual(["m7"]);
    expect((await session.pop()).map(({ id }) => id)).toEqual(["m5"]);
    expect(await idsOf(session)).toBe("m1 m2 m3 m4");
    const again = await open({ store: await opened.reopen() });
    expect(await idsOf(again)).toBe("m1 m2 m3 m4");
    expect((await collected(again.archive())).map(({ id }) => id)).toEqual(["m6", "m7", "m5"]);
    expect((await again.recall("Answer", { scope: "archive" })).length).toBe(2);
    const events = await again.history();
    expect(
      events.map(({ strategy, isCompaction, messagesRemoved, summary }) => [
        strategy,
        isCompaction,
        messagesRemoved,
        summary,
      ]),
    ).toEqual([
      ["rewind", false, 1, null],
      ["rewind", false, 1, null],
      ["rewind", false, 1, null],
    ]);
    expect((await again.stats()).compactionCount).toBe(0);
    expect((await again.expand(events[0]?.id ?? "")).map(({ id }) => id)).toEqual(["m6"]);
    await again.rollback({ to: events[0]?.id ?? "", cascade: true });
    expect(await idsOf(again)).toBe("m1 m2 m3 m4 m5 m6 m7");
    expect(JSON.stringify((await again.view()).slice(0, 6))).toBe(whole);
    await isSound(store);
  });

  test("a fork at a message ends there, and its parent stays as it is", async ({ skip }) => {
    const opened = await openStore();
    if (typeof opened === "string") return skip(opened);
    onTestFinished(() => opened.dispose());
    const session = await open({ store: opened.store });
    await talk(session, 3);
    const copy = await session.fork("b", { at: "m3" });
    expect([await idsOf(copy), await idsOf(session)]).toEqual(["m1 m2 m3", "m1 m2 m3 m4 m5 m6"]);
    await copy.append(answer(9));
    await refuses("message-missing", session.fork("c", { at: "m99" }));
    expect(await opened.store.open("c")).toBeUndefined();
    const again = await open({ store: await opened.reopen() }, "b");
    expect(await idsOf(again)).toBe("m1 m2 m3 m7");
    expect((await collected(again.archive())).map(({ id }) => id)).toEqual(["m4", "m5", "m6"]);
    await isSound(opened.store);
  });
});

test("to a message, or to before it", async () => {
  const session = await open();
  await talk(session, 3);
  expect((await session.rewind({ to: "m4" })).map(({ id }) => id)).toEqual(["m5", "m6"]);
  expect((await session.rewind({ before: "m3" })).map(({ id }) => id)).toEqual(["m3", "m4"]);
  expect(await session.rewind({ to: "m2" })).toEqual([]);
  expect(await session.history()).toHaveLength(2);
  await refuses("message-missing", session.rewind({ to: "m5" }));
  await refuses("invalid-settings", session.rewind({} as { to: string }));
  await refuses("invalid-settings", session.rewind({ to: "m1", before: "m1" } as { to: string }));
  await refuses("invalid-settings", session.rewind({ too: "m1" } as unknown as { to: string }));
  await session.rewind({ before: "m1" });
  expect([await session.pop(), await idsOf(session)]).toEqual([[], ""]);
});

test("a pinned message does not leave by a rewind", async () => {
  const session = await open();
  await talk(session, 2);
  await session.pin("m4");
  await expect(session.pop()).rejects.toMatchObject({
    code: "invalid-request",
    message: expect.stringMatching(/"m4" is pinned.*Unpin/),
  });
  await refuses("invalid-request", session.fork("b", { at: "m1" }));
  expect([await session.history(), await session.store.open("b")]).toEqual([[], undefined]);
});

test("calls and results of the newest turn leave with its answer", async () => {
  const session = await openSession("a", { store: "memory:", compactor: { format: openaiChat }, body: { model: "m" } });
  const call = { id: "c1", type: "function", function: { name: "read", arguments: "{}" } };
  await session.append(
    ["one", "two"].flatMap((content) => [
      { role: "user", content },
      { role: "assistant", content: "done" },
    ]),
  );
  await session.append([
    { role: "user", content: "read it" },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "c1", content: "text" },
    { role: "assistant", content: "It says text." },
  ]);
  expect((await session.pop()).map(({ role }) => role)).toEqual(["assistant", "tool", "assistant"]);
  expect(openaiChat.validate(await session.request(), { sending: true })).toEqual([]);
  await session.append({ role: "assistant", content: null, tool_calls: [call] });
  await session.append({ role: "tool", tool_call_id: "c1", content: "other" });
  expect((await session.rewind({ to: "m9" })).map(({ id }) => id)).toEqual(["m10"]);
  expect((await session.view()).at(-1)?.body).toMatchObject({ tool_calls: [call] });
});

test("a summary is not popped, and a compaction can follow a rewind", async () => {
  const compactor = { format: anthropicMessages, protect: { tailTokens: 100, tailMessages: 1 } };
  const session = await open({ compactor });
  await talk(session, 8);
  await session.compact();
  while ((await session.pop()).length > 0) expect((await session.view()).length).toBeGreaterThan(0);
  const rest = await session.view();
  expect(rest.at(-1)?.isSummary).toBe(true);
  await talk(session, 8);
  await session.compact();
  expect(anthropicMessages.validate(await session.request(), { sending: false })).toEqual([]);
  await session.rollback({ to: (await session.history())[0]?.id ?? "", cascade: true });
  expect(await session.view()).toHaveLength(32);
});

test("what is appended at the same time is taken in its turn, and a worker that compacts is not disturbed", async () => {
  const store = memoryStore();
  const session = await open({ store });
  void session.append(question(1));
  void session.append(answer(1));
  expect((await session.pop()).map(({ id }) => id)).toEqual(["m2"]);
  const lease = await store.lease("a", "somebody else", 60_000);
  await refuses("already-in-progress", session.pop());
  if (lease !== undefined) await store.release(lease);
  const other = await open({ store });
  await other.setBody({ model: "n", max_tokens: 5 });
  expect(await session.pop()).toHaveLength(1);
  await refuses("aborted", session.pop({ signal: AbortSignal.abort() }));
});
