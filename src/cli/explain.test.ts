/** `palimpsest explain`: the verdict and the numbers behind it agree with what compact then does. */

import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { runInProcess } from "../../test/run-in-process.ts";
import { displayWidth } from "./one-line.ts";

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
    expect(stdout).toMatch(/^ {2}ratio +[\d,]+ +≥ +170,000 +[\d,]+ tokens to go$/m);
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
