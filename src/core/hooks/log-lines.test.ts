import { describe, expect, test } from "vitest";
import {
  arrayLogger,
  conversation,
  type LoggedLine,
  listening,
  scriptedSummarizer,
} from "../../../test/watched-pass.ts";
import type { CompactorOptions } from "../../compactor.ts";
import { adapters } from "../../profiles/adapters/adapters.ts";
import { resolveSettings } from "../../settings.ts";
import { type LogEvent, lineFor } from "./log-lines.ts";

const grouped = (count: number): string => count.toLocaleString("en-US");

async function logged(options: Partial<CompactorOptions>, body = conversation(12, 28_200), answer?: Error) {
  const logger = arrayLogger();
  const { compactor } = listening({ ...options, logger }, scriptedSummarizer(answer));
  const { report, plan } = await compactor.fit(body);
  const heard = logger.lines.filter(([level]) => level !== "debug").map(([level, message]) => `${level} ${message}`);
  return { lines: logger.lines, heard, report, plan };
}

describe("the sources' own lines, with live numbers", () => {
  test("micro-agent: start and end (R214, R215)", async () => {
    const { heard, report } = await logged({ profile: "micro-agent" });
    const { tokensBefore, tokensAfter } = report;
    expect(tokensBefore).toBeGreaterThan(84_000);
    expect(heard).toEqual([
      `info Compaction: estimated ~${grouped(tokensBefore)} tokens, threshold 80,000 — compacting 18 messages`,
      `info Compaction: summarized 18 messages into ~13 tokens, freed ~${grouped(tokensBefore - tokensAfter)} estimated tokens`,
    ]);
    expect(heard[0]).toMatch(/~8\d,\d{3} tokens/);
  });

  test("micro-agent: failure (R216)", async () => {
    const { heard } = await logged({ profile: "micro-agent" }, undefined, new Error("model overloaded."));
    expect(heard).toContain("warn Compaction failed: model overloaded. Falling back to history trimming.");
  });

  test("nous: pruning (R218)", async () => {
    const { heard, report } = await logged({ profile: "nous" }, conversation(12, 6_000));
    expect(report.steps).toEqual({ trim: 4, clear: 6 });
    expect(heard).toContain("info Pruned 10 tool results (soft: 4, hard: 6)");
  });

  test("nous: failure (R219)", async () => {
    const long = conversation(300, 8_000);
    const { heard } = await logged({ profile: "nous" }, talk(long), new Error("model overloaded"));
    expect(heard).toContain("error Compaction summarization failed: model overloaded — falling back to truncation");
  });

  test("auto-compact (R221)", async () => {
    const { heard, report, lines } = await logged(
      { profile: "auto-compact", compact: { auto: true, triggers: [{ type: "budgetSum", tokens: 100_000 }] } },
      conversation(60, 20_000),
    );
    const fired = lines.find(([, , { event }]) => event === "trigger-fired")?.[2];
    expect(heard).toEqual([
      `info [compact] triggered: ${fired?.tokens} tokens > ${fired?.thresholdTokens} threshold`,
      `info [compact] done: ${report.tokensAfter} tokens remaining`,
    ]);
  });

  test.each([
    [
      "micro-agent",
      { CompactionStrategy: "summarize" },
      /^info Compaction: estimated ~[\d,]+ tokens, threshold 80,000 —/m,
    ],
    ["nous", { NOUS_COMPACTION_ENABLED: "true" }, /^info Pruned 10 tool results \(soft: 4, hard: 6\)$/m],
    ["openclaw", "{}", /^info Overflow: compaction succeeded/m],
    ["auto-compact", { auto_compact_threshold: 50_000 }, /^info \[compact\] triggered: \d+ tokens > 50000 threshold$/m],
  ] as const)(
    "%s, configured by its adapter, resolved first or laid over the profile",
    async (name, configuration, line) => {
      const adapted = adapters[name](configuration);
      const resolved = resolveSettings(adapted);
      const again = resolveSettings({ profile: resolved, user: { prune: { keepLast: 2 } } });
      for (const options of [
        { profile: resolved },
        { profile: again },
        { profile: adapted.profile, ...adapted.user },
      ]) {
        const logger = arrayLogger();
        const { compactor } = listening({ compact: {}, ...options, logger });
        const call = name === "openclaw" ? ({ checkPoint: "onOverflow" } as const) : {};
        await compactor.fit(conversation(12, 30_000), call);
        expect(compactor.profile).toBe(name);
        expect(logger.lines.map(([level, message]) => `${level} ${message}`).join("\n")).toMatch(line);
      }
      expect(listening({ profile: structuredClone(resolved) }).compactor.profile).toBe("own");
    },
  );

  describe("openclaw: at the check point for overflows (R220)", () => {
    const overflowed = async (options: Partial<CompactorOptions>, rounds: number, answer?: Error) => {
      const logger = arrayLogger();
      const { compactor } = listening({ profile: "openclaw", ...options, logger }, scriptedSummarizer(answer));
      const outcome = await compactor.fit(conversation(rounds, 12_000), { checkPoint: "onOverflow" }).catch(() => null);
      const heard = logger.lines
        .filter(([level]) => level !== "debug")
        .map(([level, message]) => `${level} ${message}`);
      return { heard, report: outcome?.report };
    };
    const detected = (tokens: number): string =>
      `warn Overflow detected at about ${grouped(tokens)} tokens: attempting compaction`;

    test("detected, succeeded and retrying", async () => {
      const { heard, report } = await overflowed({}, 20);
      const [before, after] = [report?.tokensBefore ?? 0, report?.tokensAfter ?? 0];
      expect(after).toBeLessThan(before);
      expect(heard).toEqual([
        detected(before),
        `info Overflow: compaction succeeded, ${grouped(before)} → ${grouped(after)} tokens; retrying`,
      ]);
    });

    test("detected, failed with the reason", async () => {
      const { heard, report } = await overflowed({}, 2);
      expect(report).toMatchObject({ compacted: false, ok: false });
      expect(heard).toEqual([
        detected(report?.tokensBefore ?? 0),
        `warn Overflow: compaction failed: ${report?.reason}`,
      ]);
    });

    test("detected, failed with an error", async () => {
      const { heard } = await overflowed({ failure: { ladder: ["throw"] } }, 20, new Error("model overloaded"));
      expect(heard[0]).toMatch(/^warn Overflow detected at about [\d,]+ tokens: attempting compaction$/);
      expect(heard.at(-1)).toMatch(/^error Overflow: compaction failed: Could not .* messages: model overloaded/);
    });
  });

  test.each(["agentpg", "agentpg-tool-heavy", "balanced"] as const)("%s: a report line (R223)", async (profile) => {
    const { heard, report, plan } = await logged({ profile }, talk(conversation(80, 12_000)));
    const removed = plan.steps.flatMap((step) => (step.type === "summarize" ? step.messageIds : [])).length;
    expect(report).toMatchObject({ compacted: true, steps: { summarize: 1 } });
    expect(heard.at(-1)).toBe(
      `info Compaction: hybrid, ${grouped(report.tokensBefore)} → ${grouped(report.tokensAfter)} tokens, ${removed} messages removed`,
    );
  });
});

/** The results as plain text, which nothing can prune. */
function talk(body: ReturnType<typeof conversation>): ReturnType<typeof conversation> {
  const messages = body.messages as readonly { readonly role: string; readonly content: unknown }[];
  return {
    messages: messages.map(({ role, content }) => ({ role, content: `${role}: ${JSON.stringify(content)}` })),
  };
}

describe("lines for events that the compactor alone does not cause", () => {
  const overflow = { reason: "overflow" } as const;
  const cases: readonly (readonly [string, Partial<LogEvent>, string])[] = [
    [
      "openclaw",
      { type: "trigger-fired", ...overflow, tokens: 201_234 },
      "warn Overflow detected at about 201,234 tokens: attempting compaction",
    ],
    [
      "openclaw",
      { type: "conversation-compacted", ...overflow, tokensBefore: 201_234, tokensAfter: 40_000 },
      "info Overflow: compaction succeeded, 201,234 → 40,000 tokens; retrying",
    ],
    [
      "openclaw",
      { type: "nothing-done", ...overflow, because: "no-legal-cut", ok: false },
      "warn Overflow: compaction failed: no-legal-cut",
    ],
    [
      "openclaw",
      { type: "pass-failed", ...overflow, because: "No summary." },
      "error Overflow: compaction failed: No summary",
    ],
    [
      "auto-compact",
      { type: "trigger-fired", reason: "manual", tokens: 10, thresholdTokens: 100 },
      "info [compact] triggered: 10 tokens, manual",
    ],
    ["own", { type: "gate-closed", because: "not now" }, "warn Compaction: stopped by a gate: not now"],
    [
      "balanced",
      { type: "nothing-done", because: "not-triggered", ok: true },
      "debug Compaction: nothing done (not-triggered)",
    ],
  ];

  test.each(cases)("%s %o", (profile, event, expected) => {
    // Only the fields that the line prints are written down.
    const line = lineFor(profile, event as LogEvent);
    expect(`${line?.level} ${line?.message}`).toBe(expected);
  });
});

describe("fields", () => {
  const fieldsOfEvent = (lines: readonly LoggedLine[], event: string) =>
    lines.find(([, , fields]) => fields.event === event)?.[2];

  test("say in names what the line says in words, and no text of the conversation (R217)", async () => {
    const { lines, report } = await logged({ hookContext: { sessionId: "s1" } });
    const { tokensBefore, tokensAfter } = report;
    const common = { profile: "micro-agent", sessionId: "s1" };
    expect(fieldsOfEvent(lines, "plan-made")).toEqual({
      event: "plan-made",
      ...common,
      reason: "absolute",
      tokens: tokensBefore,
      thresholdTokens: 80_000,
      messagesLeaving: 18,
      steps: 1,
      tokensBefore: expect.any(Number),
      tokensAfter: expect.any(Number),
      fits: true,
    });
    expect(fieldsOfEvent(lines, "conversation-compacted")).toMatchObject({
      ...common,
      tokensBefore,
      tokensAfter,
      messagesRemoved: 18,
      summaryTokens: 13,
      durationMs: 5,
    });
    const texts = JSON.stringify(lines);
    expect(texts).not.toContain("Nine of twelve");
    expect(texts).not.toContain("Read the files");
  });

  test("a hook that fails is logged; a logger that fails is noted; neither fails the pass", async () => {
    const hooks = { after_compaction: () => Promise.reject(new Error("plugin broke")) };
    const { lines, report } = await logged({ hooks });
    await Promise.resolve();
    expect(report.compacted).toBe(true);
    expect(lines.at(-1)?.slice(0, 2)).toEqual(["error", "Compaction: a notify hook failed: plugin broke. Going on"]);
    const broken = (): never => {
      throw new Error("disk full");
    };
    const logger = { debug: broken, info: broken, warn: broken, error: broken };
    const { compactor } = listening({ logger });
    const outcome = await compactor.fit(conversation(12, 28_200));
    expect(outcome.report.compacted).toBe(true);
    expect(outcome.report.notes[0]).toBe("The logger failed: disk full");
  });
});
