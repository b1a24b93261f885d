/** After a refusal: what is learned, how often it is tried, what is done last, and when no retry makes sense. */

import { describe, expect, test } from "vitest";
import { type CompactorOptions, createCompactor } from "../src/compactor.ts";
import type { Summarizer } from "../src/core/checkpoint/summary.ts";
import { CompactionError } from "../src/core/errors.ts";
import type { SettingsInput } from "../src/core/settings/settings.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { llm } from "../src/summarizers/llm.ts";

const MODEL = "local-model";

const stated = (actual: number, maximum: number): object => ({
  type: "error",
  error: { type: "invalid_request_error", message: `prompt is too long: ${actual} tokens > ${maximum} maximum` },
});
const BARE = { type: "error", error: { type: "invalid_request_error", message: "Prompt is too long" } };

/** Rounds of about 1,000 estimated tokens each, the newest result first of all unread. */
function body(rounds: number, newest = 3_600): { model: string; max_tokens: number; messages: object[] } {
  const messages: object[] = [{ role: "user", content: "Read all modules, then say what they export." }];
  for (let round = 1; round <= rounds; round++) {
    const input = { path: `src/module-${round}.ts` };
    const use = { type: "tool_use", id: `toolu_${round}`, name: "read_file", input };
    messages.push({ role: "assistant", content: [{ type: "text", text: `Reading module ${round}.` }, use] });
    const words = `export function part_${round} returns the list of states; `;
    const text = words.repeat(Math.ceil((round === rounds ? newest : 3_600) / words.length));
    messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: `toolu_${round}`, content: text }] });
  }
  return { model: MODEL, max_tokens: 1_000, messages };
}

function compactorOf(options: Omit<CompactorOptions, "format"> = {}) {
  return createCompactor({ format: anthropicMessages, windowTokens: 200_000, ...options });
}

describe("what is learned", () => {
  test("a window too small for the summarizer's own requests: the summary is made without it", async () => {
    const summarizer = llm({ complete: () => Promise.reject(new Error("never asked")) });
    const { report } = await compactorOf({ windowTokens: 6_000, summarizer }).fit(body(9, 400), {
      overflow: stated(9_000, 3_900),
    });
    expect(report).toMatchObject({ compacted: true, overflow: { windowTokens: 3_900, retry: true } });
    expect(report.fallbacks).toMatchObject([{ because: expect.stringContaining("must be at least 4000") }]);
  });

  test("told 200k, real 24k: target and trigger come from 24k, and the estimate from what was counted", async () => {
    const compactor = compactorOf();
    const big = body(30);
    const before = (await compactor.fit(big)).report.tokensBefore;
    const counted = Math.round(before * 1.2);
    const { report, request } = await compactor.fit(big, { overflow: stated(counted, 24_000) });
    expect(report.overflow).toEqual({
      retry: true,
      attempt: 1,
      windowTokens: 24_000,
      isStated: true,
      mayReset: false,
    });
    expect(report).toMatchObject({ compacted: true, reason: "overflow", targetTokens: 9_600, fits: true });
    // The estimate is calibrated by the number that the provider counted.
    expect(report.tokensBefore / before).toBeGreaterThan(1.15);
    expect(anthropicMessages.validate(request, { sending: true })).toEqual([]);
    expect(compactor.windowTokens(MODEL)).toBe(24_000);
    expect(compactor.windowTokens("another")).toBe(200_000);
    // In time from now on: well below what was told.
    const { plan } = await compactor.fit(body(19));
    expect(plan.tokensBefore).toBeGreaterThan(18_000);
    expect(plan.tokensAfter).toBeLessThanOrEqual(9_600);
  });

  test("without numbers: less than what was refused, and what went through is the better guess", async () => {
    const compactor = compactorOf();
    const usage = (request: unknown, tokens: number): void =>
      compactor.observe(request, { usage: { input_tokens: tokens, output_tokens: 10 } });
    const fits = body(20);
    usage(fits, (await compactor.fit(fits)).report.tokensBefore);
    const { report } = await compactor.fit(body(24), { overflow: BARE });
    expect(report.overflow).toMatchObject({ retry: true, attempt: 1, isStated: false });
    const learned = compactor.windowTokens(MODEL);
    expect(learned).toBeLessThan(report.tokensBefore);
    expect(learned).toBeGreaterThan(report.tokensBefore / 2);
    expect(report.tokensAfter).toBeLessThan(learned / 2);
    // A later success with more shows that the guess was wrong.
    usage(body(30), 60_000);
    expect(compactor.windowTokens(MODEL)).toBe(200_000);
  });

  test("each further refusal without numbers assumes less", async () => {
    const compactor = compactorOf();
    const windows: number[] = [];
    let request = body(60);
    for (let attempt = 1; attempt <= 3; attempt++) {
      const { report, request: next } = await compactor.fit(request, { overflow: BARE });
      expect(report.overflow).toMatchObject({ attempt, retry: true });
      windows.push(report.overflow?.windowTokens ?? 0);
      request = next;
    }
    expect(windows.toSorted((a, b) => b - a)).toEqual(windows);
    expect(new Set(windows).size).toBe(3);
  });

  test("the room for the answer, where it counts, is no room for input", async () => {
    const compactor = compactorOf();
    const text =
      "input length and `max_tokens` exceed context limit: 30000 + 8000 > 32000, decrease input length or `max_tokens` and try again";
    await compactor.fit(body(30), { overflow: new Error(`400 ${text}`) });
    expect(compactor.windowTokens(MODEL)).toBe(24_000);
  });

  test("a body of too many bytes teaches nothing about tokens", async () => {
    const compactor = compactorOf();
    const { report } = await compactor.fit(body(30), { overflow: { status: 413 } });
    expect(report).toMatchObject({
      compacted: true,
      overflow: { retry: true, windowTokens: 200_000, isStated: false },
    });
    expect(compactor.windowTokens(MODEL)).toBe(200_000);
  });

  test("any other error is thrown, and nothing is learned or changed", async () => {
    const compactor = compactorOf();
    const limited = Object.assign(new Error("429 rate_limit_error: too many tokens per minute"), { status: 429 });
    const refused = await compactor.fit(body(30), { overflow: limited }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "not-an-overflow", cause: limited });
    expect(compactor.windowTokens(MODEL)).toBe(200_000);
    // The summarizer's own overflow is no refusal of the request.
    const own = new CompactionError("summary-failed", "No summary.", { cause: stated(9, 8), reason: "overflow" });
    for (const error of [own, new Error("The step failed.", { cause: own })])
      await expect(compactor.fit(body(30), { overflow: error })).rejects.toMatchObject({ code: "compaction-failure" });
  });
});

describe("attempts", () => {
  const settings = (overflow: NonNullable<SettingsInput["overflow"]>): Omit<CompactorOptions, "format"> => ({
    overflow,
  });

  test("as many compactions as the settings say, then tool results are cut, the newest too, then no more", async () => {
    const compactor = compactorOf(settings({ maxAttempts: 1, finalStep: "truncate-tools" }));
    const first = await compactor.fit(body(30, 20_000), { overflow: stated(40_000, 24_000) });
    expect(first.report).toMatchObject({ steps: { summarize: 1 }, overflow: { attempt: 1, retry: true } });
    const second = await compactor.fit(first.request, { overflow: BARE });
    expect(second.report).toMatchObject({ compacted: true, overflow: { attempt: 2, retry: true } });
    expect(Object.keys(second.report.steps)).toEqual(["trim"]);
    expect(second.report.tokensAfter).toBeLessThan(first.report.tokensAfter);
    expect(anthropicMessages.validate(second.request, { sending: true })).toEqual([]);
    const third = await compactor.fit(second.request, { overflow: BARE });
    expect(third.report).toMatchObject({
      compacted: false,
      reason: "attempts-used-up",
      ok: false,
      overflow: { attempt: 3, retry: false, because: "attempts-used-up", mayReset: false },
    });
    expect(third.request).toBe(second.request);
  });

  test("without a last step", async () => {
    const compactor = compactorOf(settings({ maxAttempts: 1, finalStep: "none", onFailure: "reset-allowed" }));
    const { request } = await compactor.fit(body(30), { overflow: BARE });
    const { report } = await compactor.fit(request, { overflow: BARE });
    expect(report.overflow).toMatchObject({ retry: false, because: "attempts-used-up", mayReset: true });
  });

  test("none at all: the window is learned, and nothing is done", async () => {
    const compactor = compactorOf(settings({ maxAttempts: 0, finalStep: "none" }));
    const given = body(30);
    const { report, request } = await compactor.fit(given, { overflow: stated(40_000, 24_000) });
    expect(report.overflow).toMatchObject({ retry: false, attempt: 1, windowTokens: 24_000 });
    expect(request).toBe(given);
    // From now on the ordinary trigger knows.
    expect((await compactor.fit(given)).report).toMatchObject({ compacted: true, targetTokens: 9_600 });
  });

  test("an answer in between, and they count anew, whichever list the host goes on with", async () => {
    for (const takesOver of [true, false]) {
      const compactor = compactorOf(settings({ maxAttempts: 1, finalStep: "none" }));
      const given = body(30);
      const { request } = await compactor.fit(given, { overflow: stated(40_000, 24_000) });
      // A plain pass over the same list in between is no answer.
      await compactor.fit(takesOver ? request : given);
      const used = await compactor.fit(takesOver ? request : given, { overflow: BARE });
      expect(used.report.overflow).toMatchObject({ attempt: 2, retry: false });
      const { messages } = takesOver ? request : given;
      const more = [
        { role: "assistant", content: "Half of them are read." },
        { role: "user", content: `Go on. ${"More to read. ".repeat(6_000)}` },
      ];
      const grown = { ...given, messages: [...messages, ...more] };
      const { report } = await compactor.fit(grown, { overflow: BARE });
      expect(report.overflow).toMatchObject({ attempt: 1 });
    }
  });

  test("nothing that could go: no retry, and why", async () => {
    const compactor = compactorOf();
    const given = { model: MODEL, max_tokens: 9, messages: [{ role: "user", content: "word ".repeat(30_000) }] };
    const { report } = await compactor.fit(given, { overflow: stated(31_000, 24_000) });
    expect(report).toMatchObject({ compacted: false, ok: false, overflow: { retry: false } });
    expect(report.overflow?.because).toBe(report.reason);
  });
});

describe("a summary that fails", () => {
  const failing: Summarizer = {
    name: "failing",
    version: "1",
    planCalls: () => 1,
    summarize: () => Promise.reject(new Error("upstream is down")),
  };
  const options = (ladder: NonNullable<SettingsInput["failure"]>["ladder"]): Omit<CompactorOptions, "format"> => ({
    summarizer: failing,
    prune: { enabled: false },
    failure: { ladder },
    overflow: { maxAttempts: 3, finalStep: "none", onFailure: "reset-allowed" },
  });

  test("is a compaction failure where the ladder keeps everything", async () => {
    const { report } = await compactorOf(options(["keep-and-trim"])).fit(body(30), {
      overflow: stated(40_000, 24_000),
    });
    expect(report.overflow).toMatchObject({ retry: false, because: "compaction-failure", mayReset: true });
  });

  test("is thrown as one where the ladder throws", async () => {
    const fitted = compactorOf(options(["throw"])).fit(body(30), { overflow: stated(40_000, 24_000) });
    await expect(fitted).rejects.toMatchObject({
      code: "compaction-failure",
      reason: "reset-allowed",
      retryable: false,
      cause: { code: "summary-failed" },
    });
  });

  test("is none where a step without a model made it fit", async () => {
    const { report } = await compactorOf(options(["extractive"])).fit(body(30), { overflow: stated(40_000, 24_000) });
    expect(report.overflow).toMatchObject({ retry: true });
    expect(report.fallbacks).toMatchObject([{ step: "extractive" }]);
  });
});
