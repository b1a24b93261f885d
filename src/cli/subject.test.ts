/** What `compact` says of a stored session is in one measure, also where reported usage has calibrated the estimate. */

import { afterAll, expect, test } from "vitest";
import { temporaryFolder } from "../../test/run-cli.ts";
import { sqliteAt } from "../../test/run-in-process.ts";
import { openaiChat } from "../formats/openai-chat.ts";
import { openSession } from "../session.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const TURNS = 20;
/** About what a turn has by the estimate, and what the provider says it has. */
const REPORTED_TOKENS_PER_TURN = 1_000;

test("shares, steps and what is protected agree with the totals", async () => {
  const { cli, url } = sqliteAt(folder.path, "calibrated.db");
  const session = await openSession("s", {
    store: url,
    compactor: { format: openaiChat },
    body: { model: "gpt-5", messages: [{ role: "system", content: "Be brief." }] },
  });
  for (let turn = 1; turn <= TURNS; turn++) {
    await session.append(`question ${turn}: ${"why does the build fail ".repeat(40)}`);
    await session.append({
      choices: [{ message: { role: "assistant", content: `answer ${turn}: ${"because of the cache ".repeat(40)}` } }],
      usage: { prompt_tokens: turn * REPORTED_TOKENS_PER_TURN, completion_tokens: 200 },
    });
  }
  await session.close();
  const foretold = JSON.parse((await cli("compact", "s", "--target", "30%", "--json", "--dry-run")).stdout);
  const { stdout } = await cli("compact", "s", "--target", "30%", "--json");
  const report = JSON.parse(stdout);
  expect(foretold).toEqual({ ...report, event: null, eventNumber: null, isDryRun: true });
  const sum = (shares: Record<string, number>): number =>
    Object.values(shares).reduce((all, tokens) => all + tokens, 0);
  expect(report.tokensBefore).toBeGreaterThan(TURNS * REPORTED_TOKENS_PER_TURN * 0.8);
  expect([sum(report.shares.before), sum(report.shares.after)]).toEqual([report.tokensBefore, report.tokensAfter]);
  const kept = report.kept.reduce((all: number, group: { messages: number }) => all + group.messages, 0);
  const summarized = report.steps.find(({ type }: { type: string }) => type === "summarize");
  expect(kept).toBe(report.messagesBefore - summarized.messages);
  expect(summarized.tokens).toBeGreaterThan(report.tokensBefore - report.tokensAfter);
});
