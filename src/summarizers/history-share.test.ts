import { describe, expect, test } from "vitest";
import { checkpointText, contextOf, inputOf, type Reply, scripted, statusError } from "../../test/summarizer-script.ts";
import { createCompactor } from "../compactor.ts";
import type { SummaryInput } from "../core/checkpoint/summary.ts";
import { type Message, text } from "../core/message.ts";
import { pairCalls } from "../core/structure/pairing.ts";
import { estimateTokens } from "../core/tokens/tokens.ts";
import { openaiChat } from "../formats/openai-chat.ts";
import { parseShorthand } from "../testing/shorthand.ts";
import { HISTORY_PARTS, MAX_HISTORY_SHARE, needsHistoryPruning, pruneHistory, SAFETY_MARGIN } from "./call-plan.ts";
import { llm } from "./llm.ts";
import type { LlmOptions } from "./llm-options.ts";

/** A history over its share of the window. */

const WINDOW_TOKENS = 20_000;
const counter = estimateTokens();

const filler = "please look at the module and the tests, then go on with the next step of the plan. ".repeat(30);
function talk(messages: number, from = 0): readonly Message[] {
  return Array.from({ length: messages }, (_unused, index): Message => {
    const number = from + index;
    return {
      id: `m${number}`,
      role: number % 2 === 0 ? "user" : "assistant",
      parts: [text(`Step ${number}: ${filler}`)],
    };
  });
}

const PER_MESSAGE = counter.total(talk(1));
/** As many as take the share of the window and a little more, or a little less. */
const OVER = Math.ceil((WINDOW_TOKENS * 0.5 * SAFETY_MARGIN) / PER_MESSAGE) + 1;
const UNDER = Math.floor((WINDOW_TOKENS * 0.5 * SAFETY_MARGIN) / PER_MESSAGE) - 1;

const APART = checkpointText("The oldest part, told apart.");
const MAIN = checkpointText("The whole work.");

/** Answers by what is asked: the oldest message is only ever in the part that is summarised apart. */
function summarizerOf(apart: Reply, options: Partial<LlmOptions> = {}) {
  const model = scripted(async (request) => {
    const isApart = request.prompt.includes("Step 0:") && !request.prompt.includes("told apart");
    if (isApart && apart instanceof Error) throw apart;
    return { text: isApart ? String(apart) : MAIN, stopReason: "stop" };
  });
  const retry = { sleep: async () => {}, maxAttempts: 1 };
  const base = { complete: model.complete, windowTokens: WINDOW_TOKENS, mode: "staged", guard: false, retry } as const;
  return { model, summarizer: llm({ ...base, ...options }) };
}

const history = (kept: number, rest: Partial<SummaryInput> = {}): SummaryInput =>
  inputOf(talk(OVER), { kept: talk(kept, 1_000), ...rest });

describe("when what is new is over the share and its margin", () => {
  test("the oldest chunks are summarised apart, and the main summary is made from that and the rest", async () => {
    const { model, summarizer } = summarizerOf(APART);
    const input = history(OVER);
    const context = contextOf();
    const result = await summarizer.summarize(input, context);
    const share = pruneHistory(input.messages, {
      windowTokens: WINDOW_TOKENS,
      countTokens: (message) => counter.total([message]),
    });
    expect(share.droppedMessageCount).toBeGreaterThan(0);
    const { droppedChunkCount, droppedMessageCount, droppedTokens, keptTokens, budgetTokens } = share;
    expect(result.notes).toEqual([
      `The history was over its share of the window: ${droppedChunkCount} chunk(s) with ${droppedMessageCount} messages (${droppedTokens} tokens) were summarised apart, ${keptTokens} tokens were kept of a budget of ${budgetTokens}.`,
    ]);
    const seen = model.requests.map(({ prompt }) =>
      // Without what stays, and the newest request.
      [...prompt.replace(/## (?:What Stays|Newest Request)[\s\S]*/, "").matchAll(/Step (\d+):/g)].map((match) =>
        Number(match[1]),
      ),
    );
    expect(seen.flat().toSorted((a, b) => a - b)).toEqual(Array.from({ length: OVER }, (_unused, index) => index));
    expect(seen[0]).toEqual(Array.from({ length: droppedMessageCount }, (_unused, index) => index));
    const told = model.requests.filter(({ prompt }) => prompt.includes("The oldest part, told apart."));
    expect(told).toHaveLength(1);
    expect(model.requests.length).toBeLessThanOrEqual(summarizer.planCalls(input));
    for (const { system, prompt, maxOutputTokens } of model.requests) {
      const tokens = counter.countText(system) + counter.countText(prompt);
      expect(tokens * SAFETY_MARGIN + maxOutputTokens).toBeLessThanOrEqual(WINDOW_TOKENS);
    }
    expect(context.events[0]).toEqual({ stage: "history-summarize", done: 0, total: 1 });
  });

  test("the summary from before goes into the part that is summarised apart", async () => {
    const { model, summarizer } = summarizerOf(APART);
    await summarizer.summarize(history(OVER, { previous: { text: "The port is 5432." } }), contextOf());
    expect(model.requests.map(({ prompt }) => prompt.includes("5432"))).toEqual(
      model.requests.map((_request, index) => index === 0),
    );
  });

  test("a part that cannot be summarised is spoken of; the rest is, with the summary from before", async () => {
    const { model, summarizer } = summarizerOf(statusError(500));
    const input = history(OVER, { previous: { text: "The port is 5432." } });
    const { text: summary, notes } = await summarizer.summarize(input, contextOf());
    expect(summary).toBe(MAIN);
    expect(model.requests.filter(({ prompt }) => prompt.includes("5432"))).toHaveLength(2);
    expect(notes[1]).toMatch(/^The oldest \d+ messages could not be summarised/);
  });

  test("or is an error where no part may be missing", async () => {
    const { summarizer } = summarizerOf(statusError(500), { allowPartial: false });
    await expect(summarizer.summarize(history(OVER), contextOf())).rejects.toMatchObject({ code: "summary-failed" });
  });
});

describe("everything is summarised in one go", () => {
  const check = async (input: SummaryInput, options: Partial<LlmOptions> = {}): Promise<void> => {
    const { summarizer } = summarizerOf(APART, options);
    const { notes } = await summarizer.summarize(input, contextOf());
    expect(notes.join()).not.toContain("share of the window");
  };
  test("when what is new keeps within it", () => check(history(UNDER)));
  test("when the history itself does", () => check(inputOf(talk(3), { kept: talk(OVER, 1_000) })));
  test("in the other modes", () => check(history(OVER), { mode: "update" }));
  test("when a larger share is allowed", () => check(history(OVER), { staged: { maxHistoryShare: 0.9 } }));
});

test("under the openclaw profile, the report has the numbers", async () => {
  const model = scripted("The modules and their tests are looked at, step by step of the plan. ".repeat(4));
  const compactor = createCompactor({
    format: openaiChat,
    profile: "openclaw",
    windowTokens: 60_000,
    protect: { tailTokens: 38_000 },
    summarizer: llm({ complete: model.complete, windowTokens: 60_000 }),
  });
  const messages = talk(160).map(({ role, parts: [part] }) => ({
    role,
    content: part?.type === "text" ? part.text : "",
  }));
  const { report } = await compactor.compact({ messages });
  expect(report).toMatchObject({ compacted: true, fallbacks: [], calls: model.requests.length });
  expect(report.notes.join()).toMatch(/over its share of the window: \d chunk\(s\) with \d+ messages/);
});

describe("history share", () => {
  /** Every message counts 10. */
  function check(script: string, windowTokens: number, kept: string): void {
    const messages = parseShorthand(script);
    const share = pruneHistory(messages, { windowTokens, countTokens: () => 10 });
    const keptMessages = kept === "" ? [] : messages.slice(messages.length - kept.split(" ").length);
    expect(share.keptMessages).toEqual(keptMessages);
    expect([...share.droppedMessages, ...share.keptMessages]).toEqual(messages);
    expect(share.droppedMessageCount).toBe(share.droppedMessages.length);
    expect(share.droppedTokens).toBe(10 * share.droppedMessages.length);
    expect(share.keptTokens).toBe(10 * share.keptMessages.length);
    expect(share.budgetTokens).toBe(Math.floor(windowTokens / 2));
    expect(share.droppedChunkCount > 0).toBe(share.droppedMessages.length > 0);
    expect(pairCalls(share.keptMessages).orphans).toEqual([]);
  }

  test("the source's defaults", () => expect([MAX_HISTORY_SHARE, HISTORY_PARTS]).toEqual([0.5, 2]));
  test("within its share nothing goes", () => check("u a u a", 80, "u a u a"));
  test("above it the older half goes", () => check("u a u a", 79, "u a"));
  test("and half of the rest, until it fits", () => check("u a u a u a u a", 40, "u a"));
  test("a call takes its result along", () => check("u c1 r1 a u a", 60, "a u a"));
  test("parallel calls too", () => check("u c1c2 r1 r2 u a", 60, "u a"));
  test("what cannot be divided stays", () => check("u", 10, "u"));

  test("pruning starts above the share and its margin", () => {
    expect(needsHistoryPruning(60_000, 100_000)).toBe(false);
    expect(needsHistoryPruning(60_001, 100_000)).toBe(true);
  });
});
