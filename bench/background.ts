/**
 * What compaction adds to a turn of a loop when it is prepared beside it (`background: true`) by a summarizer that takes twenty seconds: the
 * time from the last tool's end until the model is asked. Beside it the same loop with compaction off. The clock also counts what else the
 * machine does meanwhile, so the time of the processor is printed beside it. Prints a Markdown table and exits with 1 when a bar is missed:
 * the 99th percentile of the processor's time at most 50 milliseconds above that of the loop without compaction, and no turn that takes as
 * long as half a summary.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { openSession, type Summarizer } from "../src/index.ts";
import { anthropic } from "../src/models.ts";
import { runLoop } from "../src/run-loop.ts";

const SUMMARY_MS = 20_000;
/** Long enough for three summaries. */
const TURNS = 1_400;
const ANSWER_MS = 50;
const WINDOW_TOKENS = 1_000_000;
const ADDED_MS_MAX = 50;
const RESULT = "A line of the file that was read.\n".repeat(60);

const slow: Summarizer = {
  name: "slow",
  version: "1",
  planCalls: () => 1,
  summarize: async (_input, { signal }) => {
    await pause(SUMMARY_MS, undefined, { signal });
    return { text: "## Goal\nRead all files.\n## Next Steps\n1. Go on.", calls: 1, notes: [] };
  },
};

interface Times {
  readonly gapsMs: readonly number[];
  readonly workMs: readonly number[];
  readonly compactions: number;
  readonly turnsMeanwhile: number;
}

async function run(isCompacted: boolean): Promise<Times> {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-bench-"));
  const gapsMs: number[] = [];
  const workMs: number[] = [];
  let endedMs = performance.now();
  let spent = process.cpuUsage();
  let turn = 0;
  const create = async () => {
    gapsMs.push(performance.now() - endedMs);
    const { user, system } = process.cpuUsage(spent);
    workMs.push((user + system) / 1_000);
    await pause(ANSWER_MS);
    const number = turn++;
    const call = { type: "tool_use", id: `toolu_${number}`, name: "read", input: { path: `src/${number}.ts` } };
    const isLast = number === TURNS;
    const content = isLast ? [{ type: "text", text: "Done." }] : [{ type: "text", text: `Reading ${number}.` }, call];
    return { type: "message", role: "assistant", content, stop_reason: isLast ? "end_turn" : "tool_use" };
  };
  const unused = () => {
    throw new Error("this loop asks for whole answers only");
  };
  const model = anthropic({ beta: { messages: { create, stream: unused, countTokens: unused } } }, "claude-opus-5-5");
  const session = await openSession("s", {
    store: `sqlite:${join(folder, "s.db")}`,
    compactor: {
      format: model.format,
      windowTokens: WINDOW_TOKENS,
      summarizer: slow,
      compact: {
        auto: isCompacted,
        strategy: "summarize",
        triggers: [{ type: "absolute", tokens: 100_000 }],
        target: { type: "tokens", tokens: 50_000 },
      },
      prune: { enabled: false },
    },
    body: { model: model.id, max_tokens: 1_024 },
  });
  let turnsMeanwhile = 0;
  let isSummarizing = false;
  await runLoop({
    session,
    model,
    tools: [{ name: "read", run: () => RESULT }],
    input: "Read all files.",
    stream: false,
    background: true,
    maxSteps: TURNS + 1,
    onEvent: (event) => {
      if (event.type === "tool-result") {
        endedMs = performance.now();
        spent = process.cpuUsage();
      }
      if (event.type === "reply" && isSummarizing) turnsMeanwhile++;
      if (event.type === "compaction" && event.event.type === "summary-started") isSummarizing = true;
      if (event.type === "compaction" && event.event.type === "summary-made") isSummarizing = false;
    },
  });
  const { compactionCount } = await session.stats();
  await session.close();
  rmSync(folder, { recursive: true });
  return { gapsMs: gapsMs.slice(1), workMs: workMs.slice(1), compactions: compactionCount, turnsMeanwhile };
}

function at(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

console.log(
  "| loop | turns | compactions | turns while one was made | p50, ms | p99, ms | most, ms | processor p50 | processor p99 |",
);
console.log("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
const row = (name: string, { gapsMs, workMs, compactions, turnsMeanwhile }: Times): void => {
  const clock = [at(gapsMs, 0.5), at(gapsMs, 0.99), at(gapsMs, 1)];
  const times = [...clock, at(workMs, 0.5), at(workMs, 0.99)].map((value) => value.toFixed(1));
  console.log(`| ${[name, gapsMs.length, compactions, turnsMeanwhile, ...times].join(" | ")} |`);
};
const without = await run(false);
row("compaction off", without);
const beside = await run(true);
row("in the background", beside);
const addedMs = at(beside.workMs, 0.99) - at(without.workMs, 0.99);
console.log(`\nAdded at the 99th percentile: ${addedMs.toFixed(1)} ms of the processor (at most ${ADDED_MS_MAX}).`);
const hasWaited = at(beside.gapsMs, 1) > SUMMARY_MS / 2;
process.exitCode = addedMs > ADDED_MS_MAX || hasWaited || beside.compactions === 0 ? 1 : 0;
