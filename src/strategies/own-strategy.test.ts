/** The host's own strategy decides what leaves; whatever it returns, the request stays valid and no pinned message is lost. */

import { describe, expect, test } from "vitest";
import { arrayLogger, conversation } from "../../test/watched-pass.ts";
import { type CompactorOptions, createCompactor } from "../compactor.ts";
import type { HookEvent } from "../core/hooks/hook-events.ts";
import { isArray, type JsonObject } from "../core/json.ts";
import type { OwnStrategy, StrategyStep } from "../core/plan/plan-input.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import { openSession } from "../session.ts";
import { memoryStore } from "../stores/memory.ts";

const LARGE = conversation(12, 28_200);

function compactorWith(strategy: OwnStrategy, options: Partial<CompactorOptions> = {}) {
  return createCompactor({ format: anthropicMessages, windowTokens: 100_000, telemetry: false, strategy, ...options });
}

const lengthOf = ({ messages }: JsonObject): number => (isArray(messages) ? messages.length : 0);

/** Keeps the request and the newest two rounds. */
const keepNewest: OwnStrategy = {
  name: "keep-newest",
  plan: ({ messages }) => [{ type: "drop", messageIds: messages.slice(1, -4).map(({ id }) => id) }],
};

describe("what it says is done", () => {
  test("drops", async () => {
    const compactor = compactorWith(keepNewest);
    const events: HookEvent[] = [];
    compactor.on("notify", (event) => events.push(event));
    const { request, report, plan } = await compactor.fit(LARGE);
    expect(report).toMatchObject({ compacted: true, reason: "ratio", fits: true, fallbacks: [] });
    expect(lengthOf(request)).toBe(5);
    expect(anthropicMessages.validate(request, { sending: true })).toEqual([]);
    expect(plan.tokensAfter).toBe(report.tokensAfter);
    expect(events.find(({ type }) => type === "conversation-compacted")).toMatchObject({ strategy: "keep-newest" });
    expect(compactor.plan(structuredClone(LARGE)).steps).toHaveLength(0);
  });

  test("summarizes, with a budget from the settings, and trims", async () => {
    const compactor = compactorWith({
      name: "two-steps",
      plan: ({ messages }): readonly StrategyStep[] => [
        { type: "summarize", messageIds: messages.slice(1, -4).map(({ id }) => id) },
        { type: "trim", messageId: messages.at(-1)?.id ?? "", part: 0, text: "(shortened)" },
      ],
    });
    const { request, report } = await compactor.compact(LARGE);
    expect(report).toMatchObject({ compacted: true, steps: { summarize: 1, trim: 1 }, fallbacks: [] });
    expect(report.result?.summary).toContain("src/c3.ts");
    expect(JSON.stringify(request)).toContain("(shortened)");
    expect(anthropicMessages.validate(request, { sending: true })).toEqual([]);
  });

  test("nothing", async () => {
    const { request, report } = await compactorWith({ name: "lazy", plan: () => [] }).fit(LARGE);
    expect(request).toBe(LARGE);
    expect(report).toMatchObject({ compacted: false, reason: "nothing-to-compact", fits: false });
  });

  test("in a session, where it can be taken back", async () => {
    const session = await openSession("a", { store: memoryStore(), compactor: compactorWith(keepNewest) });
    await session.append(LARGE.messages as readonly JsonObject[]);
    await session.request();
    expect(await session.view()).toHaveLength(5);
    expect((await session.history())[0]).toMatchObject({ strategy: "keep-newest", messagesRemoved: 20 });
    await session.rollback();
    expect(await session.view()).toHaveLength(25);
  });
});

describe("what cannot stand is refused, and the settings' strategy decides", () => {
  const ids = (messages: readonly { readonly id: string }[]) => messages.map(({ id }) => id);
  const JUNK: readonly (readonly [because: string, plan: (input: never) => unknown])[] = [
    [
      "out of paper",
      () => {
        throw new Error("out of paper");
      },
    ],
    ["no list of steps", () => undefined],
    ["no list of steps", async () => []],
    ["among its steps", () => [{ type: "native", kind: "x", messageIds: ["m1"] }]],
    ["among its steps", () => [{ type: "drop", messageIds: [] }]],
    ["among its steps", () => ["m1"]],
    ["which is not in the conversation", () => [{ type: "drop", messageIds: ["m99"] }]],
    ["separates the call of read_file", () => [{ type: "drop", messageIds: ["m1"] }]],
    ["which is no tool result", () => [{ type: "trim", messageId: "m1", part: 0, text: "" }]],
    ["more than one summary", () => [1, 3].map((at) => ({ type: "summarize", messageIds: [`m${at}`, `m${at + 1}`] }))],
    [
      "would make the conversation larger",
      () => [{ type: "summarize", messageIds: ["m1", "m2"], budgetTokens: 90_000 }],
    ],
    [
      "not read yet",
      ({ messages }: { messages: { id: string }[] }) => [{ type: "drop", messageIds: ids(messages.slice(1)) }],
    ],
    ["pinned message m2", () => [{ type: "drop", messageIds: ["m1", "m2"] }]],
  ];

  test.each(JUNK)("%s", async (because, plan) => {
    const logger = arrayLogger();
    const events: HookEvent[] = [];
    // A caller may pass any value; this is the declared type.
    const strategy = { name: "mine", plan } as unknown as OwnStrategy;
    const compactor = compactorWith(strategy, { logger, hooks: { notify: (event) => events.push(event) } });
    const before = structuredClone(LARGE);
    const call = because.startsWith("pinned") ? { pinned: [2] } : {};
    const { request, report } = await compactor.fit(LARGE, call);
    expect(LARGE).toEqual(before);
    expect(report).toMatchObject({ compacted: true, fits: true });
    expect(report.fallbacks).toEqual([{ step: "hybrid", because: expect.stringContaining(because) }]);
    expect(events.find(({ type }) => type === "strategy-failed")).toMatchObject({ fallback: "hybrid" });
    expect(logger.lines.map(([, message]) => message).join("\n")).toMatch(
      /The strategy mine failed: .*Falling back to hybrid/,
    );
    expect(anthropicMessages.validate(request, { sending: true })).toEqual([]);
    const quiet = await createCompactor({ format: anthropicMessages, windowTokens: 100_000, telemetry: false }).fit(
      LARGE,
      call,
    );
    expect(request).toEqual(quiet.request);
  });

  test("a list that it empties is its own", async () => {
    const strategy: OwnStrategy = {
      name: "vandal",
      plan: ({ messages }) => {
        (messages as unknown[]).length = 0;
        return [];
      },
    };
    expect((await compactorWith(strategy).fit(LARGE)).request).toBe(LARGE);
  });

  test("what is no strategy is refused at once", () => {
    expect(() => compactorWith("truncate" as never)).toThrow("a name goes into compact.strategy");
  });
});
