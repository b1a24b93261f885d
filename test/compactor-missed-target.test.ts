import { expect, test } from "vitest";
import type { Report } from "../src/compactor/report.ts";
import { createCompactor } from "../src/compactor.ts";
import type { JsonObject } from "../src/core/json.ts";
import type { SettingsInput } from "../src/core/settings/settings.ts";
import { estimateTokens } from "../src/core/tokens/tokens.ts";
import { openaiChat } from "../src/formats/openai-chat.ts";

/** What a summary is given where what is protected already misses a target that somebody named. */

const REQUEST = `Please survey the canal locks. ${"Mind every gate, beam and paddle of the old flight. ".repeat(40)}`;

function survey(): JsonObject[] {
  return [
    { role: "user", content: REQUEST },
    ...Array.from({ length: 30 }, (_, lock) => [
      { role: "assistant", content: `I've fixed paddle number ${lock} of the upper gate.` },
      { role: "user", content: `Good. Now survey lock ${lock + 1} and write down the state of its beams.` },
    ]).flat(),
    { role: "user", content: REQUEST },
  ];
}

test.each([0.02, 0.05])(
  "to %d of the tokens: a summary that says something, since a line would not meet it either",
  async (ratio) => {
    const compactor = createCompactor({ format: openaiChat, telemetry: false });
    const { report } = await compactor.compact({ messages: survey() }, { target: { ratio } });
    const summary = report.result?.summary ?? "";
    expect(report.fits).toBe(false);
    expect(estimateTokens().countText(summary)).toBeGreaterThan(60);
    expect(summary).toContain("fixed paddle number 29");
    // Asked twice, and before the reader's eyes both times: the summary need not say it.
    expect(summary).not.toContain("survey the canal locks");
  },
);

test("a larger target that is missed leaves the summary a share of itself, and no more", async () => {
  const compactor = createCompactor({ format: openaiChat, telemetry: false });
  const messages = [{ role: "system", content: "Answer in whole sentences. ".repeat(1_500) }, ...survey()];
  const { report } = await compactor.compact({ messages }, { target: { tokens: 4_000 } });
  const tokens = estimateTokens().countText(report.result?.summary ?? "");
  expect(report.fits).toBe(false);
  expect([tokens > 200, tokens <= 1_000]).toEqual([true, true]);
});

/** What a missed target is missed by is named, whoever of them could have foreseen it. */
async function checkNamed(messages: readonly JsonObject[], options: SettingsInput, tokens: number): Promise<Report> {
  const compactor = createCompactor({ format: openaiChat, telemetry: false, profile: "agentpg", ...options });
  const { report } = await compactor.compact({ messages }, { target: { tokens } });
  expect(report).toMatchObject({ compacted: true, fits: false });
  return report;
}

test("results were pruned to the target, and what rounding hid from the plan is named", async () => {
  const call = { id: "c1", type: "function", function: { name: "read", arguments: "{}" } };
  const told = Array.from({ length: 150 }, () => [
    { role: "user", content: "So?" },
    { role: "assistant", content: "Yes" },
  ]).flat();
  const messages = [
    { role: "user", content: "Read it" },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "c1", content: "A long log of the lock. ".repeat(1_000) },
    ...told,
  ];
  // Three characters are no token by themselves, and three hundred times three are more than two hundred.
  const settings = { estimator: "micro-agent", protect: { tailMessages: 2, tailTokens: 0 } } as const;
  const { inTheWay, steps } = await checkNamed(messages, settings, 150);
  expect(Object.keys(steps)).not.toContain("summarize");
  expect(inTheWay.map(({ why }) => why)).toContain("not-taken");
});

test("nothing is protected, and the summary itself is too long", async () => {
  const messages = Array.from({ length: 40 }, (_, lock) => ({
    role: "assistant",
    content: `I've fixed paddle number ${lock} of the upper gate, and wrote down the state of its beams.`,
  }));
  const { inTheWay } = await checkNamed(messages, { protect: { tailMessages: 0, tailTokens: 0 } }, 10);
  expect(inTheWay[0]).toMatchObject({ messageId: null, why: "summary" });
});
