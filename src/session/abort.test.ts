import { describe, expect, test } from "vitest";
import { open, refuses, SMALL, talk } from "../../test/session-world.ts";
import type { Summarizer } from "../core/checkpoint/summary.ts";
import type { Store } from "../core/store/store.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import { openSession } from "../session.ts";
import { memoryStore } from "../stores/memory.ts";
import type { Session } from "./session-port.ts";

async function drained(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

interface Signalled {
  readonly signal: AbortSignal;
}

const CALLS: Readonly<Record<string, (session: Session, options: Signalled) => Promise<unknown>>> = {
  append: (session, options) => session.append("x", options),
  request: (session, options) => session.request(options),
  fit: (session, options) => session.fit(options),
  compact: (session, options) => session.compact(options),
  rollback: (session, options) => session.rollback(options),
  rewind: (session, options) => session.rewind({ ...options, to: "m1" }),
  pop: (session, options) => session.pop(options),
  history: (session, options) => session.history(options),
  stats: (session, options) => session.stats(options),
  view: (session, options) => session.view(options),
  pin: (session, options) => session.pin("m1", options),
  unpin: (session, options) => session.unpin("m1", options),
  archive: (session, options) => drained(session.archive(options)),
  recall: (session, options) => session.recall("x", options),
  expand: (session, options) => session.expand("x", options),
  setBody: (session, options) => session.setBody({ model: "m" }, options),
  purge: (session, options) => session.purge({ ...options, olderThan: new Date() }),
  delete: (session, options) => session.delete(options),
  fork: (session, options) => session.fork("b", options),
  export: (session, options) => session.export(options),
  close: (session, options) => session.close(options),
};

describe("signals", () => {
  test.each(Object.keys(CALLS))("%s with an aborted one does nothing; what is none is refused", async (name) => {
    const session = await open();
    await talk(session, 2);
    const call = CALLS[name] ?? expect.fail();
    const before = JSON.stringify(await session.export({ all: true }));
    await refuses("aborted", call(session, { signal: AbortSignal.abort() }));
    for (const signal of ["x", 5, null, {}]) {
      await refuses("invalid-settings", call(session, { signal: signal as AbortSignal }));
    }
    expect(JSON.stringify(await session.export({ all: true }))).toBe(before);
  });

  test("a store is given the signal wherever it may wait", async () => {
    const store = memoryStore();
    const seen = new Set<string>();
    const controller = new AbortController();
    const watched = new Proxy(store, {
      get: (target, name) => {
        const method = target[name as keyof Store];
        if (typeof method !== "function") return method;
        return (...given: unknown[]) => {
          const last = given.at(-1);
          const isGiven = typeof last === "object" && last !== null && "signal" in last;
          if (isGiven && last.signal === controller.signal)
            seen.add(name === "update" ? `update ${Reflect.get(Object(given[1]), "type")}` : String(name));
          return Reflect.apply(method, target, given);
        };
      },
    });
    const session = await open({ store: watched });
    await talk(session, 8);
    const options = { signal: controller.signal };
    await session.append("x", options);
    await session.compact(options);
    await session.rollback(options);
    await session.pin("m1", options);
    await session.setBody({ model: "m" }, options);
    await session.recall("question", options);
    await session.purge({ ...options, olderThan: new Date() });
    await session.fork("b", options);
    await session.delete(options);
    const waits = [
      "append",
      "lease",
      "commit",
      "rollback",
      "update pin",
      "update base",
      "search",
      "purge",
      "fork",
      "delete",
    ];
    expect([...seen].sort()).toEqual(waits.sort());
  });

  test("an append that waits behind another is given up at once, and the order of the others stays", async () => {
    const store = memoryStore();
    const gate = Promise.withResolvers<void>();
    let isFirst = true;
    const append: Store["append"] = async (...given) => {
      if (isFirst) {
        isFirst = false;
        await gate.promise;
      }
      return store.append(...given);
    };
    const session = await open({ store: { ...store, append } });
    const first = session.append("one");
    const controller = new AbortController();
    const second = session.append("two", { signal: controller.signal });
    const third = session.append("three");
    controller.abort();
    await refuses("aborted", second);
    gate.resolve();
    expect([await first, await third]).toEqual([["m1"], ["m2"]]);
    expect(JSON.stringify(await session.view())).toMatch(/one.*three/);
  });

  test("a compaction that is given up leaves no timer behind", async () => {
    const running = (): number => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const controller = new AbortController();
    const summarizer: Summarizer = {
      name: "never",
      version: "1",
      planCalls: () => 1,
      summarize: () => {
        controller.abort();
        return Promise.reject(controller.signal.reason);
      },
    };
    const session = await open({ compactor: { format: anthropicMessages, ...SMALL, summarizer } });
    await talk(session, 8);
    const before = running();
    await refuses("aborted", session.compact({ signal: controller.signal }));
    expect(running()).toBe(before);
  });
});

describe("other arguments", () => {
  test("a lease of no length, or of one that no timer has", async () => {
    for (const leaseMs of [0, -1, 1, Number.NaN, Number.POSITIVE_INFINITY, 1e15, "5", null]) {
      await refuses("invalid-settings", open({ leaseMs: leaseMs as number }));
    }
  });

  test("a session without a store or a compactor", async () => {
    for (const options of [undefined, {}, { store: "memory:" }, { store: {}, compactor: {} }, { compactor: {} }]) {
      await refuses("invalid-settings", openSession("bare", options as never));
    }
  });

  test("a purge without a time, ids that are none", async () => {
    const session = await open();
    await refuses("invalid-settings", session.purge(undefined as unknown as { olderThan: Date }));
    await refuses("invalid-settings", session.purge({ olderThan: "90d" as unknown as Date }));
    await refuses("invalid-settings", session.expand(undefined as unknown as string));
    await refuses("invalid-settings", session.rollback({ to: 5 as unknown as string }));
  });

  test("options that are none", async () => {
    const session = await open();
    for (const options of [5, "x", null]) await refuses("invalid-settings", session.view(options as unknown as object));
  });

  test("usage below nothing is none, and does not cost the answer", async () => {
    const session = await open();
    const usage = { input_tokens: -5, output_tokens: 1 };
    const content = [{ type: "text", text: "x" }];
    await session.append({ type: "message", role: "assistant", content, usage });
    expect(await session.view()).toHaveLength(1);
    expect(await session.stats()).toMatchObject({ inputTokens: 0, outputTokens: 1 });
  });
});
