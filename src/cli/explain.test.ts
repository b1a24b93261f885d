/** `palimpsest explain`: the verdict and the numbers behind it agree with what compact then does. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../test/run-cli.ts";
import { runInProcess } from "../../test/run-in-process.ts";
import { displayWidth } from "./one-line.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const LONG = "examples/long-conversation.json";
const SAMPLE = "examples/sample-conversation.json";

async function explained(file: string, ...words: readonly string[]) {
  const { code, stdout, stderr } = await runInProcess(["explain", file, ...words, "--json"]);
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
}

describe.concurrent("explain", () => {
  test("far from any trigger", async () => {
    const { code, stdout } = await runInProcess(["explain", LONG]);
    expect(code).toBe(0);
    expect(stdout).toContain("would not compact now: no trigger fires\n");
    expect(stdout).toMatch(/^ {2}ratio +[\d,]+ +< +170,000 +[\d,]+ tokens to go$/m);
    expect(stdout).toMatch(/^ {2}newest messages +\d+ messages +[\d,]+ tokens$/m);
    for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(80);
  });

  test("above one: each trigger with its numbers, and what a pass frees", async () => {
    const explanation = await explained(LONG, "--window", "55k", "--profile", "agentpg");
    expect(explanation).toMatchObject({
      profile: "agentpg",
      windowTokens: 55_000,
      wouldCompact: true,
      reason: "ratio",
    });
    const [trigger] = explanation.triggers;
    expect(trigger).toMatchObject({ type: "ratio", comparison: "gte", limitTokens: 46_750, fires: true });
    expect(trigger.tokens).toBeGreaterThanOrEqual(46_750);
    expect(explanation.pass.freesTokens).toBe(explanation.tokens.total - explanation.pass.tokensAfter);
    expect(explanation.pass.tokensAfter).toBeLessThanOrEqual(explanation.pass.targetTokens);
  });

  test("a profile that does not compact by itself says so", async () => {
    expect(await explained(SAMPLE, "--profile", "micro-agent", "--window", "8k")).toMatchObject({
      wouldCompact: false,
      reason: "auto-off",
      triggers: [{ type: "absolute", fires: expect.any(Boolean) }],
    });
  });

  test("the marks of pruning are the shares that people mean, as the decision has them", async () => {
    const { prune } = await explained(LONG, "--window", "44k");
    expect(prune).toMatchObject({ highTokens: 30_800, lowTokens: 17_600 });
  });

  test("more messages than a profile allows", async () => {
    const { stdout } = await runInProcess(["explain", LONG, "--profile", "micro-agent"]);
    expect(stdout).toContain("would only leave out messages now: there are more than the limit allows\n");
    const { wouldCompact, wouldPrune, reason } = await explained(LONG, "--profile", "micro-agent");
    expect([wouldCompact, wouldPrune, reason]).toEqual([false, true, "prune"]);
  });

  test.each([
    ["balanced", true],
    ["nous", true],
    ["agentpg", false], // only within a compaction
    ["micro-agent", false], // has a cap alone, and nothing here is over it
    ["openclaw", false],
  ])("%s is shown to prune on its own: %s", async (profile, isShown) => {
    expect((await explained(LONG, "--profile", profile)).prune.enabled).toBe(isShown);
    const { stdout } = await runInProcess(["explain", LONG, "--profile", profile]);
    expect(/^ {2}prune +\d/m.test(stdout)).toBe(isShown);
  });

  test("every message is protected or may go", async () => {
    const { protected: groups, mayGo, messages, cut } = await explained(LONG, "--window", "60k");
    const kept = groups.reduce((sum: number, group: { messages: number }) => sum + group.messages, 0);
    expect(kept + mayGo.messages).toBe(messages);
    expect(cut.index).toBeGreaterThan(0);
  });

  test("what the limit on messages takes from the tail is not told as protected", async () => {
    const { protected: groups, mayGo, messages, largestProtected } = await explained(LONG, "--profile", "nous");
    const kept = groups.reduce((sum: number, group: { messages: number }) => sum + group.messages, 0);
    expect(kept + mayGo.messages).toBe(messages);
    const { stdout } = await runInProcess(["compact", LONG, "--profile", "nous", "--json"]);
    const report = JSON.parse(stdout);
    const [drop] = report.steps.filter((step: { type: string }) => step.type === "drop");
    expect([mayGo.messages, messages - kept]).toEqual([drop.messages, drop.messages]);
    expect(report.kept.reduce((sum: number, group: { messages: number }) => sum + group.messages, 0)).toBe(kept);
    for (const { index } of largestProtected) expect(index).toBeGreaterThan(drop.last);
  });

  test("an unknown profile", async () => {
    const { code, stderr } = await runInProcess(["explain", LONG, "--profile", "agentgp"]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^palimpsest: Unknown profile .*did you mean agentpg\?\n$/),
    ]);
  });
});

describe("where usage is recorded", () => {
  /** A session of Claude Code: its file shows about 40,000 tokens of what the last call was billed for. */
  function recordedAt(inputTokens: number): string {
    const at = "2026-01-01T00:00:00.000Z";
    const lines = Array.from({ length: 60 }, (_, index) => {
      const isAnswer = index % 2 === 1;
      const text = `Step ${index} reads src/part-${index}.ts and says what is in it. `.repeat(45);
      const usage = { input_tokens: Math.round((inputTokens * index) / 59), output_tokens: 700 };
      const said = { role: "user", content: text };
      const answered = {
        id: `msg_${index}`,
        role: "assistant",
        model: "claude-opus-4-5",
        content: [{ type: "text", text }],
        usage,
      };
      const ids = {
        uuid: `u${index}`,
        parentUuid: index === 0 ? null : `u${index - 1}`,
        sessionId: "s",
        timestamp: at,
      };
      return JSON.stringify({ type: isAnswer ? "assistant" : "user", ...ids, message: isAnswer ? answered : said });
    });
    const file = join(folder.path, `recorded-${inputTokens}.jsonl`);
    writeFileSync(file, `${lines.join("\n")}\n`);
    return file;
  }

  test("it decides: 173,000 of 170,000 would compact, however little of it the file shows", async () => {
    const file = recordedAt(173_000);
    const { wouldCompact, reason, tokens, nextRequestTokens, triggers, pass } = await explained(file);
    expect([wouldCompact, reason]).toEqual([true, "ratio"]);
    expect(tokens.total).toBe(nextRequestTokens);
    expect(tokens.hidden).toBeGreaterThan(100_000);
    expect(tokens.system + tokens.tools + tokens.messages + tokens.hidden).toBe(tokens.total);
    expect(triggers[0]).toMatchObject({ tokens: nextRequestTokens, fires: true });
    expect(pass.freesTokens).toBeGreaterThan(0);
    const { stdout } = await runInProcess(["explain", file]);
    expect(stdout).toMatch(/^would compact now: its share of the window is reached$/m);
    expect(stdout).toMatch(/^in the next request, by recorded usage; the file does not show 1\d\d,\d{3}$/m);
    for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(80);
  });

  test("and where less was billed than is estimated, that counts", async () => {
    const { wouldCompact, tokens, nextRequestTokens } = await explained(recordedAt(9_000));
    expect(wouldCompact).toBe(false);
    expect(tokens.total).toBe(nextRequestTokens);
    expect(tokens.hidden).toBeUndefined();
  });
});

test("no comparison is printed that is false", async () => {
  for (const window of ["40k", "64k", "72k", "200k", "1m"]) {
    for (const profile of ["balanced", "nous", "openclaw", "micro-agent"]) {
      const { stdout } = await runInProcess(["explain", LONG, "--window", window, "--profile", profile]);
      for (const [, left = "", sign = "", right = ""] of stdout.matchAll(/^ {2}\w+ +([\d,]+) +(\S+) +([\d,]+) /gm)) {
        const [tokens, limit] = [left, right].map((text) => Number(text.replaceAll(",", ""))) as [number, number];
        if (!["<", "=", ">"].includes(sign)) continue;
        expect(sign, stdout).toBe(tokens < limit ? "<" : tokens > limit ? ">" : "=");
      }
    }
  }
});

test("the page shows what is printed, and the triggers are asked before anything is pruned", async () => {
  const page = readFileSync("docs/cli.md", "utf8");
  const [, shown = "absent"] = /--window 64k[\s\S]*?```text\n(examples\/long[\s\S]*?)```/.exec(page) ?? [];
  const { stdout } = await runInProcess(["explain", LONG, "--window", "64k"]);
  expect(stdout.slice(0, shown.length)).toBe(shown);
  const { triggers, tokens, wouldPrune, wouldCompact } = await explained(LONG, "--window", "72k");
  // Above the high mark, but it would not pay.
  expect([wouldPrune, wouldCompact]).toEqual([false, false]);
  expect(triggers.map((state: { tokens: number }) => state.tokens)).toEqual([tokens.total, tokens.total]);
});
