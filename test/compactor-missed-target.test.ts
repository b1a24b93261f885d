import { expect, test } from "vitest";
import { createCompactor } from "../src/compactor.ts";
import type { JsonObject } from "../src/core/json.ts";
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
    // Asked twice, and before the reader's eyes: said once.
    expect(summary.split("survey the canal locks")).toHaveLength(2);
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
