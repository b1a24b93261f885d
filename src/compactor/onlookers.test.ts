import { describe, expect, onTestFinished, test } from "vitest";
import { arrayLogger, conversation, listening, scriptedSummarizer } from "../../test/watched-pass.ts";
import { createCompactor } from "../compactor.ts";
import { aliasNames } from "../core/hooks/hook-aliases.ts";
import type { HookEvent } from "../core/hooks/hook-events.ts";
import type { HookName, Hooks } from "../core/hooks/hooks.ts";
import type { JsonObject } from "../core/json.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";

/** Listeners and gates: what they must not do, and what they are told. */

const LARGE = conversation(12, 28_200);

const CHAT: JsonObject = {
  messages: Array.from({ length: 41 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `Step ${index} of the work. `.repeat(60),
  })),
};

const changedNothing = async (hooks: Hooks): Promise<void> => {
  const { request, report } = await listening({ hooks }).compactor.fit(LARGE);
  const quiet = await listening().compactor.fit(LARGE);
  expect(request).toEqual(quiet.request);
  expect(report).toEqual(quiet.report);
};

/** Removes every removable element and field. */
function vandalise(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const inner of Object.values(value)) vandalise(inner);
  if (Array.isArray(value)) value.length = 0;
  else for (const key of Object.keys(value)) delete (value as Record<string, unknown>)[key];
}

/** Vandalises an event and its context, the signal too. */
function vandaliseAll(event: object, context: object): undefined {
  const { signal: _, ...data } = event as { signal?: AbortSignal };
  vandalise(data);
  for (const value of [event, context]) for (const key of Object.keys(value)) Reflect.deleteProperty(value, key);
}

describe("what a hook does to what it is shown", () => {
  test("a listener", () => changedNothing({ notify: vandalise }));
  test("one listener and the next", async () => {
    const heard: HookEvent[] = [];
    await listening({ hooks: { notify: [vandalise, (event) => heard.push(event)] } }).compactor.fit(LARGE);
    const { events, compactor } = listening();
    await compactor.fit(LARGE);
    expect(heard.map(({ type }) => type)).toEqual(events.map(({ type }) => type));
    for (const told of ["plan-made", "compaction-started"]) {
      expect(heard.find(({ type }) => type === told)).toEqual(events.find(({ type }) => type === told));
    }
  });
  test("the plan at a gate", () => changedNothing({ gate: ({ plan }) => vandalise(plan) }));
  test("all that a gate is shown", () => changedNothing({ gate: vandaliseAll }));
  test("all that a proposal says, but its messages", () =>
    changedNothing({ provide: ({ messages: _, turnPrefix: __, ...said }, context) => vandaliseAll(said, context) }));
  test.each(["gate", "provide"] as const)("one %s and the next", async (kind) => {
    const shown: unknown[] = [];
    const look = (event: object, context: object) => {
      const { signal: _, ...data } = event as { signal: AbortSignal };
      shown.push(structuredClone({ data, context }));
      vandaliseAll(kind === "gate" ? event : { ...event, messages: [] }, context);
    };
    const empty = ({ messages }: { messages?: readonly unknown[] }) => (messages as unknown[] | undefined)?.splice(0);
    const hooks: Hooks = { [kind]: [look, empty, look] };
    await listening({ hooks, hookContext: { sessionId: "s", agentId: "a" } }).compactor.fit(LARGE);
    expect(shown).toHaveLength(2);
    expect(shown[1]).toEqual(shown[0]);
  });
  test("the plan of a proposal", () => changedNothing({ provide: ({ plan }) => vandalise(plan) }));
});

describe("on(name, handler)", () => {
  const EVERY = ["gate", "notify", "provide", ...aliasNames] as const;

  test("every name takes any number, given together or later, in that order", async () => {
    for (const name of EVERY) {
      const called: string[] = [];
      const say = (who: string) => (): void => {
        if (called.at(-1) !== who) called.push(who);
      };
      const { compactor } = listening({ hooks: { [name]: [say("first"), say("second")] } });
      const off = compactor.on(name as HookName, say("third"));
      const fourth = compactor.on(name as HookName, say("fourth"));
      await compactor.fit(LARGE);
      expect(called.slice(0, 4), name).toEqual(["first", "second", "third", "fourth"]);
      fourth();
      off();
      off();
      called.length = 0;
      await compactor.fit(conversation(12, 29_000));
      expect([...new Set(called)], name).toEqual(["first", "second"]);
    }
  });

  test("what is registered while a pass runs hears the rest of it, and disturbs nobody", async () => {
    const { compactor, events } = listening();
    const late: string[] = [];
    const off = compactor.on("gate", () => {
      off();
      compactor.on("notify", ({ type }) => late.push(type));
    });
    await compactor.fit(LARGE);
    const types = events.map(({ type }) => type);
    expect(late).toEqual(types.slice(types.indexOf("compaction-started")));
  });

  test("a name or a handler that is none is refused", () => {
    const { compactor } = listening();
    expect(() => compactor.on("beforeCompaction" as HookName, () => {})).toThrow("did you mean before_compaction?");
    expect(() => compactor.on("gate", "no" as never)).toThrow('on("gate") takes a function');
  });
});

describe("onProgress", () => {
  test.each([
    [
      "throws",
      () => {
        throw new Error("no screen");
      },
    ],
    ["rejects", () => Promise.reject(new Error("no screen"))],
  ])("one that %s costs nothing of the model's work", async (_, onProgress) => {
    const summarizer = scriptedSummarizer();
    const { compactor } = listening({}, summarizer);
    const { report } = await compactor.fit(LARGE, { onProgress });
    expect(report).toMatchObject({ compacted: true, fallbacks: [], calls: 1 });
    expect(report.result?.summarizer).toBe("scripted 3");
    expect(report.notes).toEqual(["A notify hook failed: no screen"]);
  });
});

describe("a caller who gives up", () => {
  test.each(["gate", "provide"] as const)("while a %s thinks", async (kind) => {
    const controller = new AbortController();
    const hook = (): Promise<undefined> => {
      setTimeout(() => controller.abort(), 5);
      return new Promise(() => {});
    };
    const { compactor } = listening({ hooks: { [kind]: hook } });
    await expect(compactor.fit(LARGE, { signal: controller.signal })).rejects.toMatchObject({
      name: "CompactionError",
      code: "aborted",
    });
  });

  test("while a summarizer goes on that does not heed its signal", async () => {
    const controller = new AbortController();
    const summarizer = {
      ...scriptedSummarizer(),
      summarize: (): Promise<never> => {
        setTimeout(() => controller.abort(), 5);
        return new Promise(() => {});
      },
    };
    const { compactor } = listening({}, summarizer);
    const pass = compactor.fit(LARGE, { signal: controller.signal });
    await expect(pass).rejects.toMatchObject({ code: "aborted" });
  });

  test.each(["gate", "provide"] as const)("by a %s that fails then leaves no failure unheard", async (kind) => {
    const unheard: unknown[] = [];
    const hear = (error: unknown) => unheard.push(error);
    process.on("unhandledRejection", hear);
    onTestFinished(() => void process.off("unhandledRejection", hear));
    const controller = new AbortController();
    const hook = async (): Promise<undefined> => {
      controller.abort();
      throw new Error("gave up");
    };
    const { compactor } = listening({ hooks: { [kind]: hook } });
    await expect(compactor.fit(LARGE, { signal: controller.signal })).rejects.toMatchObject({ code: "aborted" });
    await new Promise((resolve) => setImmediate(resolve));
    expect(unheard).toEqual([]);
  });
});

describe("what is thrown has no text", () => {
  const unspeakable = (): never => {
    throw Object.create(null);
  };
  const rejecting = (): Promise<never> => Promise.reject(Object.create(null));

  test.each([
    ["a listener", { notify: unspeakable }],
    ["a listener that rejects", { notify: rejecting }],
    ["one that provides", { provide: rejecting }],
  ] satisfies [string, Hooks][])("%s", async (_, hooks) => {
    const { report } = await listening({ hooks }).compactor.fit(LARGE);
    expect(report).toMatchObject({ compacted: true, fallbacks: [] });
  });

  test("a gate stays closed", async () => {
    const { report } = await listening({ hooks: { gate: rejecting } }).compactor.fit(LARGE);
    expect(report).toMatchObject({ compacted: false, reason: "gate" });
  });

  test("a logger", async () => {
    const logger = { debug: unspeakable, info: unspeakable, warn: unspeakable, error: unspeakable };
    expect((await listening({ logger }).compactor.fit(LARGE)).report.compacted).toBe(true);
  });

  test("a summarizer goes down the ladder", async () => {
    const { report } = await listening({}, { ...scriptedSummarizer(), summarize: rejecting }).compactor.fit(LARGE);
    expect(report).toMatchObject({ ok: false, fallbacks: [{ step: "keep-and-trim" }] });
  });
});

describe("the log", () => {
  const tools = (results: number): JsonObject => ({
    model: "claude-opus-4-5",
    messages: [
      { role: "user", content: "Look around." },
      ...Array.from({ length: results }, (_, index) => [
        { role: "assistant", content: [{ type: "tool_use", id: `t${index}`, name: "read", input: { n: index } }] },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: `t${index}`, content: "found. ".repeat(1_500) }],
        },
      ]).flat(),
    ],
  });

  test("says what fired the trigger, not what pruning left of it", async () => {
    const logger = arrayLogger();
    const events: HookEvent[] = [];
    const compactor = createCompactor({
      format: anthropicMessages,
      profile: "nous",
      telemetry: false,
      compact: { auto: true, triggers: [{ type: "budgetSum", tokens: 30_000 }] },
      maxOutputTokens: 1_000,
      maxMessages: 0,
      logger,
      hooks: { notify: (event) => events.push(event) },
    });
    const request = tools(20);
    const { report } = await compactor.fit(request);
    expect(report).toMatchObject({ compacted: true, reason: "budgetSum" });
    const fired = events.find(({ type }) => type === "trigger-fired");
    if (fired?.type !== "trigger-fired") throw new Error("no trigger fired");
    expect(fired.tokens).toBeGreaterThan(fired.thresholdTokens ?? 0);
    expect(fired.tokens).toBeGreaterThanOrEqual(report.tokensBefore);
    expect(logger.lines.some(([, message]) => message.includes("triggered (budgetSum)"))).toBe(true);
  });

  test.each(["balanced", "micro-agent", "nous"] as const)("%s: says once that nothing was changed", async (profile) => {
    const controller = new AbortController();
    const { signal } = controller;
    const gaveUp = (): never => {
      controller.abort();
      throw new Error("gave up");
    };
    for (const summarize of [() => Promise.reject(new Error("no model")), gaveUp]) {
      const logger = arrayLogger();
      const summarizer = { ...scriptedSummarizer(), summarize };
      const options = { profile, telemetry: false, logger, summarizer, failure: { ladder: ["throw"] } } as const;
      const pass = createCompactor({ format: anthropicMessages, ...options }).compact(CHAT, {
        signal,
        target: { ratio: 0.2 },
      });
      await expect(pass).rejects.toThrow();
      const failed = logger.lines.filter(([, message]) => /changed/.test(message));
      expect(failed.length).toBeGreaterThan(0);
      for (const [, message] of failed) expect(message.match(/nothing was changed/gi) ?? []).toHaveLength(1);
    }
  });
});
