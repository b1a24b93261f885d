import { describe, expect, test } from "vitest";
import { conversation, ids, listening, SUMMARY, scriptedSummarizer } from "../../test/watched-pass.ts";
import type { Hooks, Proposal, ProvideAnswer, ProvidedCompaction } from "../core/hooks/hooks.ts";
import type { JsonObject } from "../core/json.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";

/** 25 messages: m1–m18 would leave, m0 and m19–m24 stay. */
const LARGE = conversation(12, 28_200);
const MESSAGES = LARGE.messages as readonly JsonObject[];

const provided: ProvidedCompaction = { summary: "Told by a hook.", details: { readFiles: ["a.ts"], ticket: 7 } };

async function fitWith(...provide: readonly (() => ProvideAnswer | Promise<ProvideAnswer>)[]) {
  const heard = listening({ hooks: { provide } });
  return { ...heard, ...(await heard.compactor.fit(LARGE)) };
}

describe("provide replaces", () => {
  test("the summary, under the built-in cut", async () => {
    const { request, report, summarizer, events } = await fitWith(() => ({ compaction: provided }));
    const [first, ...rest] = request.messages as readonly JsonObject[];
    expect(JSON.stringify(first)).toContain("[CONTEXT SUMMARY]\\nTold by a hook.\\n[END CONTEXT SUMMARY]");
    expect(rest).toEqual(MESSAGES.slice(19));
    expect(summarizer.calls).toEqual([]);
    expect(report).toMatchObject({ compacted: true, reason: "absolute", calls: 0, fallbacks: [] });
    expect(report.result).toMatchObject({ summary: "Told by a hook.", summarizer: "provided 1" });
    expect(report.result?.details).toEqual({ readFiles: ["a.ts"], modifiedFiles: [], toolFailures: [], ticket: 7 });
    expect(events.map(({ type }) => type)).toEqual([
      "trigger-fired",
      "plan-made",
      "compaction-started",
      "compaction-provided",
      "conversation-compacted",
      "compaction-ended",
    ]);
    expect(events[3]).toMatchObject({ summary: "Told by a hook.", firstKeptEntryId: "m19" });
    expect(events[4]).toMatchObject({ strategy: "provided", messagesRemoved: 18 });
  });

  test("the cut too, where it is legal", async () => {
    const { request, report } = await fitWith(() => ({ compaction: { ...provided, firstKeptEntryId: "m23" } }));
    expect((request.messages as readonly JsonObject[]).slice(1)).toEqual(MESSAGES.slice(23));
    expect(report).toMatchObject({ compacted: true, messagesAfter: 3 });
    expect(anthropicMessages.validate(request)).toEqual([]);
  });

  const refused: readonly (readonly [string, ProvidedCompaction, RegExp])[] = [
    ["a cut between a call and its result", { ...provided, firstKeptEntryId: "m20" }, /Nothing can be cut before m20/],
    ["a message that is not there", { ...provided, firstKeptEntryId: "m99" }, /Nothing can be cut before m99/],
    ["an empty summary", { summary: " \n" }, /no summary/],
    ["a summary that makes it larger", { summary: "word ".repeat(90_000) }, /would make the conversation larger/],
  ];

  test.each(refused)("not with %s: the built-in one goes on", async (_name, compaction, note) => {
    const { request, report, summarizer } = await fitWith(() => ({ compaction }));
    expect(request).toEqual((await listening().compactor.fit(LARGE)).request);
    expect(summarizer.calls).toEqual([18]);
    expect(report.notes).toEqual([expect.stringMatching(note)]);
  });
});

describe("provide", () => {
  test("cancels", async () => {
    const { request, report, events, summarizer } = await fitWith(async () => ({ cancel: true, message: "busy" }));
    expect(request).toBe(LARGE);
    expect(report).toMatchObject({ compacted: false, reason: "cancelled", notes: ["Cancelled by a hook: busy"] });
    expect(summarizer.calls).toEqual([]);
    expect(events.map(({ type }) => type).slice(-3)).toEqual([
      "compaction-started",
      "nothing-done",
      "compaction-ended",
    ]);
  });

  const unsaid: readonly unknown[] = [{}, { cancel: false }, { compaction: undefined }, null];
  test.each(unsaid)("leaves it to the next one with %j", async (answer) => {
    // A plug-in may return any value.
    const { report } = await fitWith(
      () => answer as undefined,
      () => ({ compaction: provided }),
    );
    expect(report).toMatchObject({ compacted: true, notes: [], result: { summarizer: "provided 1" } });
  });

  test("does not cancel with cancel: false beside a compaction", async () => {
    const { report } = await fitWith(() => ({ cancel: false, compaction: provided }));
    expect(report).toMatchObject({ compacted: true, result: { summarizer: "provided 1" } });
  });

  const strange: readonly (readonly [unknown, RegExp])[] = [
    ["done", /It answered with "done"; an answer is/],
    [false, /It answered with false/],
    [[], /It answered with a list/],
    [{ summary: "no compaction around it" }, /It answered with summary;/],
    [{ compaction: "text" }, /Its compaction is "text"/],
  ];
  test.each(strange)("that answers %j is passed over, and noted", async (answer, note) => {
    const { report, summarizer } = await fitWith(() => answer as undefined);
    expect(summarizer.calls).toEqual([18]);
    expect(report).toMatchObject({ compacted: true, notes: [expect.stringMatching(note)] });
  });

  test("that throws is passed over, and the next one is asked", async () => {
    const broken = (): never => {
      throw new Error("hook broke");
    };
    const hooks: Hooks = { provide: [broken, () => undefined, () => ({ compaction: provided })] };
    const { compactor } = listening({ hooks });
    const { report } = await compactor.fit(LARGE);
    expect(report.result?.summary).toBe("Told by a hook.");
    expect(report.notes).toEqual(["A provide hook failed: hook broke"]);
  });

  test("is shown what would be done", async () => {
    const shown: Proposal[] = [];
    const { compactor } = listening({ hooks: { provide: (proposal) => void shown.push(proposal) } });
    const { report, plan } = await compactor.compact(LARGE, { instructions: "Keep the names" });
    const [{ messages, signal: _, ...proposal } = { messages: [], signal: undefined }] = shown;
    expect(messages.map(({ id }) => id)).toEqual(ids(1, 18));
    expect(proposal).toEqual({
      reason: "manual",
      plan,
      turnPrefix: [],
      firstKeptEntryId: "m19",
      tokensBefore: report.tokensBefore,
      budgetTokens: expect.any(Number),
      fileOps: { read: [0, 2, 3, 4, 5, 6, 7, 8].map((n) => `src/c${n}.ts`), modified: ["src/c1.ts"] },
      reserveTokens: compactor.settings.windowTokens - 80_000,
      instructions: "Keep the names",
    });
  });
});

/** The calls of each alias, in order. */
function recordingAliases(calls: [name: string, ...unknown[]][], answers: Partial<Hooks> = {}): Hooks {
  const record =
    (name: string) =>
    (...given: readonly unknown[]) => {
      calls.push([name, ...given]);
    };
  return {
    onBeforeCompaction: record("onBeforeCompaction"),
    onAfterCompaction: record("onAfterCompaction"),
    conversation_compacting: record("conversation_compacting"),
    before_compaction: record("before_compaction"),
    after_compaction: record("after_compaction"),
    session_before_compact: record("session_before_compact"),
    ...answers,
  };
}

const PLUGIN_CONTEXT = {
  agentId: "main",
  sessionKey: "agent:main",
  workspaceDir: "/home/agent",
  messageProvider: "chat",
};

describe("the sources' own names", () => {
  test("all of them really fire, in order, with their own payloads (X17)", async () => {
    const calls: [string, ...unknown[]][] = [];
    const hookContext = { sessionId: "s1", ...PLUGIN_CONTEXT };
    const { compactor } = listening({ hooks: recordingAliases(calls), hookContext });
    const { report } = await compactor.compact(LARGE, { instructions: "Keep the names" });
    const { tokensBefore, tokensAfter } = report;
    const leaving = expect.toSatisfy(
      (list: readonly { id: string }[]) => list.map(({ id }) => id).join() === ids(1, 18).join(),
    );
    expect(calls).toEqual([
      ["onBeforeCompaction", "s1"],
      ["before_compaction", { messageCount: 25, tokenCount: tokensBefore }, PLUGIN_CONTEXT],
      ["conversation_compacting", { session_id: "s1", messages_being_compacted: 18, compaction_number: 1 }],
      [
        "session_before_compact",
        {
          preparation: {
            messagesToSummarize: leaving,
            turnPrefixMessages: [],
            firstKeptEntryId: "m19",
            tokensBefore,
            fileOps: { read: expect.arrayContaining(["src/c0.ts"]), modified: ["src/c1.ts"] },
            settings: { reserveTokens: compactor.settings.windowTokens - 80_000 },
            isSplitTurn: false,
          },
          customInstructions: "Keep the names",
          signal: expect.any(AbortSignal),
        },
        PLUGIN_CONTEXT,
      ],
      [
        "onAfterCompaction",
        {
          sessionId: "s1",
          strategy: "summarize",
          originalTokens: tokensBefore,
          compactedTokens: tokensAfter,
          messagesRemoved: 18,
          summaryContent: SUMMARY,
          preservedMessageIds: ["m0", ...ids(19, 24)],
          modelUsed: "scripted 3",
          durationMs: 5,
          id: "",
          createdAt: expect.any(String),
        },
      ],
      ["after_compaction", { messageCount: 7, tokenCount: tokensAfter, compactedCount: 18 }, PLUGIN_CONTEXT],
    ]);
  });

  test("modelUsed is the model where there is one (R154, R172)", async () => {
    const used: unknown[] = [];
    const summarizer = {
      ...scriptedSummarizer(),
      summarize: async () => ({ text: SUMMARY, calls: 1, notes: [], model: "small-2" }),
    };
    const { compactor } = listening(
      { hooks: { onAfterCompaction: ({ modelUsed }) => used.push(modelUsed) } },
      summarizer,
    );
    await compactor.fit(LARGE);
    expect(used).toEqual(["small-2"]);
  });

  async function namesCalled(
    body: JsonObject,
    answers: Partial<Hooks> = {},
    options = {},
    summarizer = scriptedSummarizer(),
  ) {
    const calls: [string, ...unknown[]][] = [];
    const { compactor } = listening({ hooks: recordingAliases(calls, answers), ...options }, summarizer);
    const { report, request } = await compactor.fit(body);
    return { names: calls.map(([name]) => name), calls, report, request };
  }

  test("onBeforeCompaction returning an error aborts (R171)", async () => {
    const { names, report, request } = await namesCalled(LARGE, { onBeforeCompaction: async () => new Error("no") });
    expect(request).toBe(LARGE);
    expect(report).toMatchObject({ reason: "gate", notes: ["Stopped by a gate: no"] });
    expect(names).toEqual([]);
  });

  test("after_compaction follows also when nothing was compacted, with 0", async () => {
    const failing = scriptedSummarizer(new Error("no model"));
    const { names, calls, report } = await namesCalled(LARGE, {}, {}, failing);
    expect(report.compacted).toBe(false);
    expect(names.slice(-1)).toEqual(["after_compaction"]);
    expect(names).not.toContain("onAfterCompaction");
    expect(calls.at(-1)?.[1]).toEqual({ messageCount: 25, tokenCount: report.tokensBefore, compactedCount: 0 });
  });

  test("asked, and nothing to compact: before and after, but no messages are said to leave", async () => {
    const calls: [string, ...unknown[]][] = [];
    const { report } = await listening({ hooks: recordingAliases(calls) }).compactor.compact(conversation(1, 10));
    expect(report.compacted).toBe(false);
    expect(calls.map(([name]) => name)).toEqual(["before_compaction", "after_compaction"]);
  });

  test("session_before_compact replaces and cancels (R181)", async () => {
    const compaction = { summary: "From an extension.", firstKeptEntryId: "m21", tokensBefore: 1, details: {} };
    const replaced = await namesCalled(LARGE, { session_before_compact: () => ({ compaction }) });
    expect(replaced.report.result).toMatchObject({ summary: "From an extension.", firstKeptEntryId: "m21" });
    const cancelled = await namesCalled(LARGE, { session_before_compact: async () => ({ cancel: true }) });
    expect(cancelled.report.reason).toBe("cancelled");
    expect(cancelled.calls.at(-1)?.[1]).toMatchObject({ compactedCount: 0 });
  });

  test("none is called for a request that is let through or only pruned", async () => {
    const small = conversation(4, 1_000);
    expect((await namesCalled(small)).names).toEqual([]);
    const pruned = await namesCalled(small, {}, { prune: { capOnArrivalChars: 500 } });
    expect(pruned.report).toMatchObject({ compacted: true, reason: "prune" });
    expect(pruned.names).toEqual([]);
  });

  test("an early part of a turn that is split, and the summary before", async () => {
    const shown: Proposal[] = [];
    const { compactor } = listening({
      profile: "openclaw",
      windowTokens: 100_000,
      hooks: { provide: (proposal) => void shown.push(proposal) },
    });
    const first = await compactor.compact(LARGE);
    const grown = { messages: [...(first.request.messages as readonly JsonObject[]), ...MESSAGES.slice(1)] };
    await compactor.compact(structuredClone(grown));
    expect(shown[0]?.turnPrefix.length).toBeGreaterThan(0);
    expect(shown[0]?.previousSummary).toBeUndefined();
    expect(shown[1]?.previousSummary).toBe(SUMMARY);
  });
});
