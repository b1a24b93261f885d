import { expect, test } from "vitest";
import { answer, open, question, refuses, SMALL, talk } from "../../test/session-world.ts";
import { type CompactorOptions, createCompactor } from "../compactor.ts";
import { CompactionError } from "../core/errors.ts";
import type { HookEvent } from "../core/hooks/hook-events.ts";
import type { Store } from "../core/store/store.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import { memoryStore } from "../stores/memory.ts";

/** The stages of one request over a store whose first commits fail, and the calls of AgentPG's and OpenClaw's after-hooks. */
async function heardOver(failures: readonly Error[]) {
  const rest = [...failures];
  const inner = memoryStore();
  const commit: Store["commit"] = async (...given) => {
    const failure = rest.shift();
    if (failure !== undefined) throw failure;
    return inner.commit(...given);
  };
  const types: HookEvent["type"][] = [];
  const after: number[] = [];
  const hooks: CompactorOptions["hooks"] = {
    notify: ({ type }) => types.push(type),
    onAfterCompaction: ({ messagesRemoved }) => after.push(messagesRemoved),
    after_compaction: ({ compactedCount }) => after.push(compactedCount),
  };
  const session = await open({
    store: { ...inner, commit },
    compactor: { format: anthropicMessages, ...SMALL, hooks },
  });
  await talk(session, 12);
  return { session, types, after };
}

test("a compaction that could not be stored is none", async () => {
  const full = new CompactionError("storage", "The disk is full.");
  const { session, types, after } = await heardOver([full]);
  await refuses("storage", session.request());
  expect(types).not.toContain("conversation-compacted");
  expect(types.slice(-2)).toEqual(["pass-failed", "compaction-ended"]);
  expect(after).toEqual([0]);
  expect(await session.history()).toEqual([]);
});

test("one that is stored at the second attempt is told once", async () => {
  const { session, types, after } = await heardOver([new CompactionError("store-conflict", "Somebody was faster.")]);
  await session.request();
  const [event] = await session.history();
  expect(types.filter((type) => type === "conversation-compacted")).toHaveLength(1);
  expect(after).toEqual([0, event?.messagesRemoved, event?.messagesRemoved]);
});

test("what a hook adds to its compaction is on record", async () => {
  const provide = () => ({ compaction: { summary: "They talked about the build.", details: { ticket: 7 } } });
  const session = await open({ compactor: { format: anthropicMessages, ...SMALL, hooks: { provide } } });
  await talk(session, 12);
  await session.request();
  expect((await session.history())[0]?.details).toMatchObject({ readFiles: [], ticket: 7 });
});

test("AgentPG's after-hook is given the event with its id and its time; an error that it returns is told", async () => {
  const heard: unknown[] = [];
  const events: HookEvent[] = [];
  const hooks: CompactorOptions["hooks"] = {
    notify: (event) => events.push(event),
    onAfterCompaction: (event) => {
      heard.push(event);
      return new Error("no metrics today");
    },
  };
  const compactor = { format: anthropicMessages, ...SMALL, hooks };
  const session = await open({ compactor });
  await talk(session, 12);
  const { report } = await session.fit();
  const [event] = await session.history();
  expect(heard).toEqual([expect.objectContaining({ id: event?.id, sessionId: "a", createdAt: event?.createdAt })]);
  expect(events.find(({ type }) => type === "conversation-compacted")).toMatchObject({ eventId: event?.id });
  expect(report.notes).toEqual([]);
  const warned: string[] = [];
  const hear = (...line: unknown[]) => warned.push(JSON.stringify(line));
  const logger = { debug: hear, info: hear, warn: hear, error: hear };
  const logged = await open({ compactor: { ...compactor, logger } }, "b");
  await talk(logged, 12);
  await logged.fit();
  expect(warned.join("\n")).toContain("no metrics today");
});

test("without a store it has a time, and no id", async () => {
  const heard: { id: string; createdAt: string }[] = [];
  const hooks = {
    onAfterCompaction: ({ id, createdAt }: { id: string; createdAt: string }) => heard.push({ id, createdAt }),
  };
  const messages = Array.from({ length: 12 }, (_, index) => [question(index), answer(index)]).flat();
  await createCompactor({ format: anthropicMessages, ...SMALL, hooks }).compact({
    model: "m",
    max_tokens: 1,
    messages,
  });
  expect(heard).toEqual([{ id: "", createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) }]);
});
