import { describe, expect, test } from "vitest";
import { conversation, ids, listening, SUMMARY, scriptedSummarizer } from "../../test/watched-pass.ts";
import { CompactionError } from "../core/errors.ts";
import type { HookEvent } from "../core/hooks/hook-events.ts";
import type { Gate, Hooks } from "../core/hooks/hooks.ts";
import type { JsonObject } from "../core/json.ts";

/** 25 messages, about 85,000 tokens by the profile's own count: m1–m18 leave, m0 and m19–m24 stay. */
const LARGE = conversation(12, 28_200);
const SMALL = conversation(4, 1_000);

const typesOf = (events: readonly HookEvent[]): readonly string[] => events.map(({ type }) => type);

describe("every stage is told, in order", () => {
  test("a pass that summarises", async () => {
    const { events, compactor } = listening();
    const { report, plan } = await compactor.fit(LARGE);
    expect(report.compacted).toBe(true);
    const measured = { reason: "absolute", tokens: report.tokensBefore, thresholdTokens: 80_000 };
    const summary = { summary: SUMMARY, summaryTokens: 13 };
    expect(events).toEqual([
      { type: "trigger-fired", ...measured },
      { type: "plan-made", plan, ...measured, messagesLeaving: 18 },
      {
        type: "compaction-started",
        reason: "absolute",
        messageCount: 25,
        tokenCount: report.tokensBefore,
        compactionNumber: 1,
        messages: expect.toSatisfy((list: readonly unknown[]) => list.length === 18),
      },
      {
        type: "summary-started",
        summarizer: "scripted 3",
        messageCount: 18,
        budgetTokens: expect.any(Number),
        callsMax: 2,
      },
      { type: "progress-made", stage: "summarize", done: 1, total: 1 },
      { type: "summary-made", summarizer: "scripted 3", ...summary, calls: 1 },
      {
        type: "conversation-compacted",
        reason: "absolute",
        strategy: "summarize",
        tokensBefore: report.tokensBefore,
        tokensAfter: report.tokensAfter,
        tokensFreed: report.tokensBefore - report.tokensAfter,
        messagesBefore: 25,
        messagesAfter: 7,
        messagesRemoved: 18,
        preservedMessageIds: ["m0", ...ids(19, 24)],
        ...summary,
        summarizer: "scripted 3",
        calls: 1,
        ratio: report.ratios.whole,
        fits: true,
        steps: { summarize: 1 },
        durationMs: 5,
        createdAt: expect.any(String),
        compactionNumber: 1,
      },
      { type: "compaction-ended", messageCount: 7, tokenCount: report.tokensAfter, compactedCount: 18 },
    ]);
  });

  test("no trigger: one event", async () => {
    const { events, compactor } = listening();
    const { report, request } = await compactor.fit(SMALL);
    expect(request).toBe(SMALL);
    const tokens = report.tokensBefore;
    expect(events).toEqual([
      { type: "nothing-done", because: "not-triggered", ok: true, reason: "prune", tokens, durationMs: 5 },
    ]);
  });

  test("asked, and nothing to do: the end is told all the same", async () => {
    const { events, compactor } = listening();
    const { report } = await compactor.compact(conversation(1, 10));
    expect(report).toMatchObject({ compacted: false, ok: false });
    expect(typesOf(events)).toEqual([
      "trigger-fired",
      "plan-made",
      "compaction-started",
      "nothing-done",
      "compaction-ended",
    ]);
    expect(events.at(-1)).toMatchObject({ compactedCount: 0, messageCount: 3 });
  });

  test("only tool results are pruned: no compaction to speak of", async () => {
    const { events, compactor } = listening({ prune: { capOnArrivalChars: 500 } });
    const { report } = await compactor.fit(SMALL);
    expect(report).toMatchObject({ compacted: true, reason: "prune" });
    expect(typesOf(events)).toEqual(["plan-made", "results-pruned", "conversation-compacted"]);
    expect(events[1]).toEqual({ type: "results-pruned", soft: 4, hard: 0 });
    expect(events[2]).toMatchObject({ strategy: "prune", messagesRemoved: 0 });
    expect(events[2]).not.toHaveProperty("compactionNumber");
  });

  test("a summarizer that fails, and the step that is taken instead", async () => {
    const failing = scriptedSummarizer(new Error("no model"));
    const { events, compactor } = listening({ failure: { ladder: ["extractive"] } }, failing);
    const { report } = await compactor.fit(LARGE);
    expect(report.compacted).toBe(true);
    expect(events.find(({ type }) => type === "summary-failed")).toEqual({
      type: "summary-failed",
      because: "no model",
      fallback: "extractive",
    });
    expect(events.find(({ type }) => type === "summary-made")).toMatchObject({ summarizer: "extractive 2" });
  });

  test("a pass that throws ends too", async () => {
    const { events, compactor } = listening({ failure: { ladder: ["throw"] } }, scriptedSummarizer(new Error("no")));
    await expect(compactor.fit(LARGE)).rejects.toThrow(CompactionError);
    expect(typesOf(events).slice(-3)).toEqual(["summary-failed", "pass-failed", "compaction-ended"]);
    expect(events.at(-3)).toMatchObject({ fallback: "throw" });
    expect(events.at(-1)).toMatchObject({ messageCount: 25, compactedCount: 0 });
  });

  test("compactions are numbered per session", async () => {
    const { events, compactor } = listening({ hookContext: { sessionId: "a" } });
    for (const sessionId of ["a", "b", "a"]) await compactor.compact(LARGE, { hookContext: { sessionId } });
    await compactor.compact(LARGE, { hookContext: { compactionCount: 7 } });
    const numbers = events.flatMap((event) => (event.type === "compaction-started" ? [event.compactionNumber] : []));
    expect(numbers).toEqual([1, 1, 2, 8]);
  });
});

describe("gate", () => {
  const closed: readonly (readonly [name: string, gate: Gate, because: string])[] = [
    ["returns false", () => false, "A gate said no."],
    ["returns a text", () => "not now", "not now"],
    ["returns an error", async () => new Error("budget spent"), "budget spent"],
    [
      "throws",
      () => {
        throw new Error("broken gate");
      },
      "broken gate",
    ],
    ["rejects", () => Promise.reject("just a text"), "just a text"],
  ];

  test.each(closed)("%s: nothing happens", async (_name, gate, because) => {
    const asked: string[] = [];
    const later: Gate = () => {
      asked.push("later");
    };
    const { events, compactor, summarizer } = listening({
      prune: { capOnArrivalChars: 27_500 },
      hooks: { gate: [gate, later] },
    });
    const before = JSON.stringify(LARGE);
    const { request, report } = await compactor.fit(LARGE);
    expect(request).toBe(LARGE);
    expect(JSON.stringify(LARGE)).toBe(before);
    expect(report).toMatchObject({ ok: false, compacted: false, reason: "gate", steps: {} });
    expect(report.tokensAfter).toBe(report.tokensBefore);
    expect(report.notes).toContain(`Stopped by a gate: ${because}`);
    expect([...asked, ...summarizer.calls]).toEqual([]);
    expect(typesOf(events)).toEqual(["trigger-fired", "plan-made", "gate-closed", "nothing-done"]);
    expect(events[2]).toEqual({ type: "gate-closed", because });
  });

  test("an open one changes nothing; it is shown what would be done", async () => {
    const shown: unknown[] = [];
    const gate: Gate = ({ plan, signal: _, ...event }, context) => {
      shown.push({ ...event, steps: plan.steps.length }, context);
      return true;
    };
    const { compactor } = listening({ hooks: { gate }, hookContext: { sessionId: "s1" } });
    const { report, request } = await compactor.fit(LARGE);
    expect(request).toEqual((await listening().compactor.fit(LARGE)).request);
    const numbers = { messageCount: 25, tokenCount: report.tokensBefore, compactionNumber: 1, steps: 1 };
    expect(shown).toEqual([{ reason: "absolute", ...numbers, isCalledFor: true }, { sessionId: "s1" }]);
  });

  test("is not asked when there is nothing to do", async () => {
    const { compactor } = listening({ hooks: { gate: () => "never" } });
    expect((await compactor.fit(SMALL)).report.reason).toBe("not-triggered");
  });

  test("one that never answers does not outlive the caller's patience", async () => {
    const controller = new AbortController();
    const gate: Gate = () => {
      setTimeout(() => controller.abort(new Error("gave up")), 5);
      return new Promise(() => {});
    };
    const { events, compactor } = listening({ hooks: { gate } });
    const error: unknown = await compactor.fit(LARGE, { signal: controller.signal }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CompactionError);
    expect(error).toMatchObject({ code: "aborted", cause: { message: "gave up" } });
    expect(events.at(-1)).toMatchObject({ type: "pass-failed", error });
  });
});

describe("notify", () => {
  test("what it throws or rejects with is noted and changes nothing", async () => {
    const hooks: Hooks = {
      notify: [
        ({ type }) => {
          if (type === "plan-made") throw new Error("listener broke");
        },
        ({ type }) => (type === "plan-made" ? Promise.reject(new Error("listener gave up")) : undefined),
      ],
    };
    const { events, compactor } = listening({ hooks });
    const { request, report } = await compactor.fit(LARGE);
    expect(request).toEqual((await listening().compactor.fit(LARGE)).request);
    expect(report.notes).toEqual(["A notify hook failed: listener broke", "A notify hook failed: listener gave up"]);
    expect(events).toHaveLength(8);
  });

  test("is never waited for", async () => {
    const { compactor } = listening({ hooks: { notify: () => new Promise(() => {}) } });
    expect((await compactor.fit(LARGE)).report.compacted).toBe(true);
  });

  test("gets copies without binary data, which later edits do not reach", async () => {
    const body = structuredClone(LARGE);
    const [, call, result] = body.messages as { content: { input?: unknown; content?: unknown }[] }[];
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
    if (result?.content[0] !== undefined) result.content[0].content = [{ type: "text", text: "seen" }, image];
    const { events, compactor } = listening({ prune: { capOnArrivalChars: 0 } });
    await compactor.compact(body);
    if (call?.content[0] !== undefined) Object.assign(call.content[0].input as JsonObject, { path: "changed" });
    const started = events.find((event) => event.type === "compaction-started");
    expect(started?.messages.slice(0, 2)).toEqual([
      {
        id: "m1",
        role: "assistant",
        parts: [{ type: "tool-call", callId: "t0", name: "read_file", input: { path: "src/c0.ts" } }],
      },
      {
        id: "m2",
        role: "user",
        parts: [
          {
            type: "tool-result",
            callId: "t0",
            isError: false,
            content: [
              { type: "text", text: "seen" },
              { type: "media", kind: "image", mediaType: "image/png", source: { type: "base64", data: "" } },
            ],
          },
        ],
      },
    ]);
    expect(JSON.stringify(events.filter(({ type }) => type !== "plan-made"))).not.toContain("iVBORw0KGgo");
  });
});

test("a hook whose name is misspelled is refused, since it would never be called", () => {
  // @ts-expect-error The name is wrong.
  const misspelled: Hooks = { onAfterCompacton: () => {} };
  expect(() => listening({ hooks: misspelled })).toThrow(
    /Unknown hook onAfterCompacton.*did you mean onAfterCompaction/,
  );
  // @ts-expect-error Not a function.
  expect(() => listening({ hooks: { gate: "no" } })).toThrow("hooks.gate must be a function or a list of functions");
});
