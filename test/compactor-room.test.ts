import { describe, expect, test } from "vitest";
import type { Report } from "../src/compactor/report.ts";
import { type CallOptions, type CompactorOptions, createCompactor } from "../src/compactor.ts";
import type { Summarizer } from "../src/core/checkpoint/summary.ts";
import type { JsonObject } from "../src/core/json.ts";
import { estimateTokens } from "../src/core/tokens/tokens.ts";
import { openaiChat } from "../src/formats/openai-chat.ts";
import type { ProfileName } from "../src/profiles/profiles.ts";

/** How a target is shared between the newest messages and the rest. */

const words = (count: number, seed: number): string =>
  Array.from({ length: count }, (_, index) => `module${(seed * 31 + index) % 211} fails`).join(" ");

function chat(turns: number, wordsEach: number): JsonObject[] {
  return [
    ...Array.from({ length: turns }, (_, turn) => [
      { role: "user", content: `question ${turn}: ${words(wordsEach, turn)}` },
      { role: "assistant", content: `answer ${turn}: ${words(wordsEach * 2, turn + 7)}` },
    ]).flat(),
    { role: "user", content: "the newest question" },
  ];
}

const counter = estimateTokens({ format: "openai-chat" });

const PROFILES: readonly ProfileName[] = ["balanced", "micro-agent", "agentpg", "nous", "openclaw", "auto-compact"];

interface Outcome {
  readonly report: Report;
  readonly targetTokens: number;
  /** Of messages that came through as they were. */
  readonly keptTokens: number;
}

interface Asked {
  readonly options: Partial<CompactorOptions>;
  readonly call?: CallOptions;
}

async function outcomeOf(messages: readonly JsonObject[], { options, call }: Asked): Promise<Outcome> {
  const compactor = createCompactor({ format: openaiChat, telemetry: false, ...options });
  const { request, report } = await compactor.compact({ messages }, call);
  expect(openaiChat.validate(request)).toEqual([]);
  const originals = new Set(messages.map((message) => JSON.stringify(message)));
  const kept = request.messages.filter((message) => originals.has(JSON.stringify(message)));
  return {
    report,
    targetTokens: report.targetTokens ?? 0,
    keptTokens: counter.total(openaiChat.decode(kept).messages),
  };
}

describe("the settings' own target", () => {
  test.each([
    ["agentpg-high-volume", 40_000],
    ["agentpg-cost-sensitive", 30_000],
  ] as const)(
    "%s: a tail as large as the target gets all but the summary's part",
    async (profile: ProfileName, target) => {
      const { report, targetTokens, keptTokens } = await outcomeOf(chat(200, 100), { options: { profile } });
      expect(targetTokens).toBe(target);
      expect(report.fits).toBe(true);
      // A tenth is the summary's.
      expect(keptTokens).toBeLessThanOrEqual(target * 0.9);
      expect(keptTokens).toBeGreaterThan(target * 0.88);
      expect(report.notes.join()).toContain("There was no room for the whole tail");
    },
  );

  test("there is no window at which the tail suddenly collapses", async () => {
    // Few long turns, so that the tail that begins with a turn is larger than the one that was asked for.
    const messages = chat(9, 1_000);
    for (let windowTokens = 50_000; windowTokens <= 90_000; windowTokens += 4_000) {
      const { keptTokens, targetTokens, report } = await outcomeOf(messages, { options: { windowTokens } });
      expect(report.fits).toBe(true);
      expect(keptTokens, `window ${windowTokens}`).toBeGreaterThan(targetTokens * 0.3);
    }
  });

  test("what is outside the messages makes the tail smaller still, not the target larger", async () => {
    const compactor = createCompactor({ format: openaiChat, telemetry: false, profile: "agentpg-high-volume" });
    const messages = [{ role: "system", content: words(12_000, 3) }, ...chat(200, 100)];
    const { report } = await compactor.compact({ messages });
    expect(report.fits).toBe(true);
    expect(report.tokensAfter).toBeGreaterThan(30_000);
  });
});

describe("a target that somebody named", () => {
  test("a generous one is used", async () => {
    const { report, targetTokens, keptTokens } = await outcomeOf(chat(60, 50), {
      options: { compact: { strategy: "summarize" } },
      call: { target: { ratio: 0.8 } },
    });
    expect(report.fits).toBe(true);
    expect(keptTokens).toBeGreaterThan(targetTokens * 0.5);
  });

  test("a small one is the summary's", async () => {
    const { report, targetTokens, keptTokens } = await outcomeOf(chat(60, 50), {
      options: {},
      call: { target: { ratio: 0.05 } },
    });
    expect(report.fits).toBe(true);
    expect(keptTokens).toBeLessThan(targetTokens * 0.3);
  });

  test("what the embedded summary has no use for goes to the newest messages", async () => {
    // The same few words again and again: there is little to say about them.
    const dull = chat(200, 40).map((message) => ({ ...message, content: `${message.role} said: ${words(60, 3)}` }));
    const call = { target: { ratio: 0.1 } };
    const { report, targetTokens, keptTokens } = await outcomeOf(dull, { options: {}, call });
    expect(report.fits).toBe(true);
    expect(report.tokensAfter).toBeGreaterThan(targetTokens * 0.9);
    expect(keptTokens).toBeGreaterThan(targetTokens * 0.5);
  });

  test("a summary in prose leaves the newest messages no more characters than their share", async () => {
    const hex = (seed: number): string =>
      Array.from({ length: 40 }, (_, index) => ((seed * 7919 + index * 104_729) % 65_536).toString(16)).join("-");
    const messages = chat(200, 40).map((message, index) => ({ ...message, content: `${message.role}: ${hex(index)}` }));
    const charsIn = (list: readonly JsonObject[]): number =>
      list.reduce((sum, { content }) => sum + String(content).length, 0);
    const perToken = charsIn(messages) / counter.total(openaiChat.decode(messages).messages);
    const prose: Summarizer = {
      name: "prose",
      version: "1",
      planCalls: () => 0,
      summarize: async ({ budgetTokens }) => {
        const text = "The keeper of the harbour wrote down what the tide did. ".repeat(400);
        return { text: text.slice(0, Math.floor(budgetTokens * perToken)), calls: 0, notes: [] };
      },
    };
    const compactor = createCompactor({ format: openaiChat, telemetry: false, summarizer: prose });
    const { request } = await compactor.compact({ messages }, { target: { ratio: 0.1 } });
    // The summary's frame is prose too.
    expect(charsIn(request.messages)).toBeLessThan(charsIn(messages) * 0.105);
  });

  test.each(PROFILES)("%s: nothing but the frame that it writes stands beside a summary", async (profile) => {
    const words = Array.from({ length: 4_000 }, (_, index) => `gate${index}`);
    const exact: Summarizer = {
      name: "exact",
      version: "1",
      planCalls: () => 0,
      summarize: async ({ budgetTokens, counter }) => {
        const fitting = words.findLastIndex((_, at) => counter.countText(words.slice(0, at).join(" ")) <= budgetTokens);
        return { text: words.slice(0, fitting).join(" "), calls: 0, notes: [] };
      },
    };
    const { report, targetTokens, keptTokens } = await outcomeOf(chat(40, 50), {
      options: {
        profile,
        summarizer: exact,
        compact: { strategy: "summarize" },
      },
      call: { target: { ratio: 0.06 } },
    });
    expect(report.fits).toBe(true);
    expect(keptTokens).toBeLessThan(targetTokens / 2);
    // What is kept may be followed by the lines that the renderer puts between neighbours.
    expect(report.tokensAfter).toBeGreaterThan(targetTokens - 12);
  });

  test("any other summarizer is asked once, however little it says", async () => {
    let asked = 0;
    const terse = {
      name: "terse",
      version: "1",
      planCalls: () => 1,
      summarize: async () => {
        asked++;
        return { text: "They spoke of modules that fail.", calls: 1, notes: [] };
      },
    };
    await outcomeOf(chat(60, 50), { options: { summarizer: terse }, call: { target: { ratio: 0.1 } } });
    expect(asked).toBe(1);
  });
});

describe("truncate (D22)", () => {
  const options = { compact: { strategy: "truncate" } } as const;

  test.each([0.1, 0.2, 0.5, 0.8])("to %d of the tokens: as many of the newest as that allows", async (ratio) => {
    const messages = chat(60, 50);
    const { report, targetTokens, keptTokens } = await outcomeOf(messages, { options, call: { target: { ratio } } });
    expect(report).toMatchObject({ fits: true, steps: { drop: 1 } });
    // No two neighbours of this conversation are larger than that.
    expect(keptTokens).toBeGreaterThan(targetTokens - 800);
  });

  test("the setting's target counts, not the tail's number of messages", async () => {
    const compact = {
      strategy: "truncate",
      triggers: [{ type: "absolute", tokens: 16_000 }],
      target: { type: "tokens", tokens: 12_000 },
    } as const;
    const { report } = await outcomeOf(chat(60, 50), { options: { profile: "auto-compact", compact } });
    expect(report.tokensAfter).toBeLessThanOrEqual(12_000);
    expect(report.tokensAfter).toBeGreaterThan(11_000);
  });

  test("what fits already is left alone", async () => {
    const { report } = await outcomeOf(chat(3, 20), { options, call: { target: { ratio: 1 } } });
    expect(report).toMatchObject({ compacted: false, reason: "nothing-to-compact" });
  });

  test("the failure ladder's step does the same", async () => {
    const failing = {
      name: "none",
      version: "1",
      planCalls: () => 1,
      summarize: () => Promise.reject(new Error("down")),
    };
    const { report, targetTokens } = await outcomeOf(chat(200, 100), {
      options: { summarizer: failing, failure: { ladder: ["truncate"] }, windowTokens: 60_000 },
    });
    expect(report.fallbacks).toEqual([{ step: "truncate", because: "down" }]);
    expect(report.tokensAfter).toBeGreaterThan(targetTokens * 0.9);
    expect(report.fits).toBe(true);
  });
});

test("the system prompt and the tools are named when they are in the way", async () => {
  const body = {
    messages: [...chat(20, 50)],
    tools: [
      { type: "function", function: { name: "run", description: words(3_000, 5), parameters: { type: "object" } } },
    ],
  };
  const { report } = await createCompactor({ format: openaiChat, telemetry: false }).compact(body, {
    target: { tokens: 2_000 },
  });
  expect(report.fits).toBe(false);
  const [first] = report.inTheWay;
  expect(first).toMatchObject({ messageId: null, why: "outside-messages", what: "tool definitions" });
  expect(first?.tokens).toBeGreaterThan(5_000);
  expect(report.inTheWay.some(({ messageId }) => messageId !== null)).toBe(true);
});

test.each([{ tokens: 30_000 }, { ratio: 0.9 }])("a named target above the window is the window: %o", async (target) => {
  const options = { windowTokens: 8_000 } as const;
  const { report } = await outcomeOf(chat(30, 60), { options, call: { target } });
  expect(report).toMatchObject({ targetTokens: 8_000, fits: true });
  expect(report.tokensAfter).toBeLessThanOrEqual(8_000);
});

describe("where an earlier summary is updated", () => {
  const FACTS = "The port of service 17 is 5432. ".repeat(300);
  const large = (index: number): JsonObject => ({
    role: index % 2 ? "user" : "assistant",
    content: words(4_000, index),
  });

  /** The budget of a pass over a summary of about 2,400 tokens, two messages since, and a tail. */
  async function budgetOf(profile: ProfileName, list: readonly JsonObject[]): Promise<number> {
    let budgetTokens = 0;
    const summarizer: Summarizer = {
      name: "scripted",
      version: "1",
      planCalls: () => 1,
      summarize: (input) => {
        budgetTokens = input.budgetTokens;
        return Promise.resolve({ text: "S", calls: 1, notes: [] });
      },
    };
    const compactor = createCompactor({ format: openaiChat, profile, summarizer });
    const { report } = await compactor.compact({ messages: list });
    expect(report.compacted).toBe(true);
    return budgetTokens;
  }

  test("there is room for what it says, however little has come since (R128, D02)", async () => {
    const since = [
      { role: "assistant", content: words(40, 1) },
      { role: "user", content: words(40, 2) },
    ];
    const merged = { role: "user", content: `task\n\n[CONTEXT SUMMARY]\n${FACTS}\n[END CONTEXT SUMMARY]` };
    const tail = Array.from({ length: 6 }, (_, index) => large(index));
    expect(await budgetOf("micro-agent", [merged, ...since, ...tail])).toBeGreaterThan(FACTS.length / 4);
    const pair = [
      { role: "user", content: `[Previous conversation summary]\n\n${FACTS}` },
      { role: "assistant", content: "I have the context from our previous conversation. Let's continue." },
    ];
    expect(await budgetOf("nous", [...pair, ...since.toReversed(), large(1), large(0)])).toBeGreaterThan(
      FACTS.length / 4,
    );
  });

  test("it takes no room from the tail, wherever it stood", async () => {
    const old = (index: number): JsonObject => ({ role: index % 2 ? "assistant" : "user", content: words(200, index) });
    const summary = `[Previous conversation summary]\n${FACTS.slice(0, 4_000)}`;
    const tail = Array.from({ length: 10 }, (_, index) => ({
      ...old(index),
      content: `new ${index} ${words(70, index)}`,
    }));
    const messages = [...Array.from({ length: 8 }, (_, index) => old(index)), ...tail];
    const options: Partial<CompactorOptions> = {
      profile: "auto-compact",
      compact: { triggers: [{ type: "absolute", tokens: 8_000 }] },
    };
    const bare = await outcomeOf(messages, { options });
    const updated = await outcomeOf([{ role: "system", content: summary }, ...messages], { options });
    expect(bare.keptTokens).toBeGreaterThan(0);
    expect(updated.keptTokens).toBe(bare.keptTokens);
  });
});
