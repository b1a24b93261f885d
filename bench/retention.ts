/**
 * What survives a compaction: of the identifiers that the recorded assistant used in later tool calls, and that nothing
 * re-introduced, the share that stands verbatim in the compacted request. Cases are made by the shared reference tool, and
 * its own score is asked as well. A bare list of names does best here; `npm run fidelity` asks for names with what they are. Run with
 * `npm run retention` in bench; a folder of cases may be given.
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Conversation, FormatName } from "../src/core/message.ts";
import { estimateTokens } from "../src/core/tokens/tokens.ts";
import { compactedView } from "./compacted-view.ts";
import { flat, probesIn, scoreText } from "./probes.ts";
import { formatOf, RECORDINGS } from "./recorded-calls.ts";
import { printRecordedCompactions } from "./recorded-compactions.ts";

interface Case {
  readonly name: string;
  readonly format: FormatName;
  readonly body: unknown;
  readonly probes: readonly string[];
}

const TOOL = fileURLToPath(new URL("../../shared/tools/retention.py", import.meta.url));
const PERCENTS = [5, 10] as const;
await run();

async function run(): Promise<void> {
  const folder = process.argv.slice(2).find((argument) => !argument.startsWith("--")) ?? makeCases();
  if (folder === undefined) return;
  const cases = readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name): Case & { readonly path: string } => ({
      ...JSON.parse(readFileSync(join(folder, name), "utf8")),
      path: join(folder, name),
    }));
  const rows = new Map<string, Map<string, number[]>>();
  const views = temporaryFolder("retention-views-");
  let disagreements = 0;
  for (const item of cases) {
    const conversation = formatOf(item.format).decode(item.body);
    for (const percent of PERCENTS) {
      const note = (column: string, score: number): void => {
        for (const row of [groupOf(item.name), "all"]) {
          const columns = rows.get(row) ?? new Map<string, number[]>();
          rows.set(row, columns);
          columns.set(column, [...(columns.get(column) ?? []), score]);
        }
      };
      note(`tail ${percent} %`, scoreText(item.probes, tailText(conversation, percent)));
      note(`bare list ${percent} %`, scoreText(item.probes, bareList(conversation, item.format, percent)));
      const body = await viewBody(item, percent);
      const score = scoreText(item.probes, flat(body));
      note(`ours ${percent} %`, score);
      if (process.argv.includes("--python") && pythonScore(item.path, body, views) !== Math.round(score * 1e4) / 1e4)
        disagreements++;
      if (process.argv.includes("--cases")) console.log(percent, item.name, score.toFixed(3));
    }
  }
  print(rows);
  await printRecordedCompactions();
  if (process.argv.includes("--python")) console.log(`\nDisagreements with the reference tool: ${disagreements}`);
}

/** Gone when the process ends. */
function temporaryFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Undefined when the recordings, Python or the tool are missing. */
function makeCases(): string | undefined {
  if (!existsSync(RECORDINGS) || !existsSync(TOOL)) {
    console.log(`There are no recordings in ${RECORDINGS}; nothing was measured.`);
    return undefined;
  }
  const folder = temporaryFolder("retention-cases-");
  const made = spawnSync("python3", [TOOL, "cases", RECORDINGS, folder], { encoding: "utf8" });
  if (made.status === 0) return folder;
  console.log(`The reference tool could not make the cases: ${made.error?.message ?? made.stderr}`);
  return undefined;
}

async function viewBody(item: Case, percent: number): Promise<unknown> {
  const view = await compactedView(formatOf(item.format), item.body, percent);
  if (!view.fits) throw new Error(`${item.name}: ${view.tokensAfter} tokens exceed the target of ${view.targetTokens}`);
  if (process.argv.includes("--show") && process.argv.includes(item.name)) {
    console.log(`===== ${item.name} ${percent} %\n${view.summary}`);
  }
  return view.body;
}

/** The newest messages' text, cut to the character. */
function tailText(conversation: Conversation, percent: number): string {
  const whole = flat(formatOf(conversation.format).encode(conversation));
  return whole.slice(-Math.floor((whole.length * percent) / 100));
}

/** Nothing but identifiers, ranked by frequency, recency and speaker. */
function bareList(conversation: Conversation, format: FormatName, percent: number): string {
  const scores = new Map<string, number>();
  conversation.messages.forEach((message, index) => {
    const whole = flat(formatOf(format).encode({ ...conversation, messages: [message] }));
    const speaker =
      message.role === "assistant" ? 3 : message.parts.some((part) => part.type === "tool-result") ? 1 : 3;
    for (const probe of probesIn(whole)) {
      scores.set(probe, (scores.get(probe) ?? 0) + speaker * (1 + (2 * index) / conversation.messages.length));
    }
  });
  const counter = estimateTokens();
  let left = (counter.total(conversation.messages) * percent) / 100;
  let list = "";
  for (const [probe, score] of [...scores].sort((a, b) => b[1] - a[1])) {
    const tokens = counter.countText(` ${probe}`);
    if (tokens > left || score <= 0 || list.includes(probe)) continue;
    list += ` ${probe}`;
    left -= tokens;
  }
  return list;
}

function pythonScore(path: string, body: unknown, folder: string): number {
  const view = join(folder, "view.json");
  writeFileSync(view, JSON.stringify(body));
  return Number(spawnSync("python3", [TOOL, "score", path, view], { encoding: "utf8" }).stdout.trim());
}

function groupOf(name: string): string {
  return name.split("-").slice(0, 2).join("-");
}

function print(rows: ReadonlyMap<string, ReadonlyMap<string, readonly number[]>>): void {
  const columns = [...(rows.get("all")?.keys() ?? [])];
  console.log(
    `| mean share of probes kept | cases | ${columns.join(" | ")} |\n|---|---:|${columns.map(() => "---:|").join("")}`,
  );
  for (const [name, scores] of [...rows].sort(([a], [b]) => Number(a === "all") - Number(b === "all"))) {
    const cells = columns.map((column) => mean(scores.get(column) ?? []).toFixed(3));
    console.log(`| ${name} | ${scores.get(columns[0] ?? "")?.length ?? 0} | ${cells.join(" | ")} |`);
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
