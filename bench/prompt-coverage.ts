/**
 * What a summarizing model is shown of what is needed later, and what becomes of its answer. Of the identifiers that the recorded agent used
 * afterwards and of the objects that it had changed, those that stood in the messages that leave: the share that stands in the prompts.
 * Whether the newest request is in every prompt. The model answers with a complete checkpoint of exactly the stated length, in words of the
 * conversation: how many of its lines are lost, and how often a repair is asked for. Cases are made by the shared reference tool; a folder
 * of cases may be given. Run with `npm run prompt-coverage`.
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createCompactor } from "../src/compactor.ts";
import type { Proposal } from "../src/core/hooks/hooks.ts";
import type { FormatName, Message } from "../src/core/message.ts";
import { requestOf } from "../src/core/plan/user-voice.ts";
import { formatNamed } from "../src/formats.ts";
import { llm } from "../src/summarizers/llm.ts";
import { CHECKPOINT_SECTIONS } from "../src/summarizers/prompts.ts";
import { flat } from "./probes.ts";
import { RECORDINGS } from "./recorded-calls.ts";

interface Case {
  readonly name: string;
  readonly format: FormatName;
  readonly body: unknown;
  /** Identifiers that are used later, with the words near them. */
  readonly clean: Readonly<Record<string, readonly string[]>>;
  readonly effects: readonly { readonly exact: readonly string[] }[];
  /** The newest request. */
  readonly asked: string;
}

interface Coverage {
  readonly calls: number;
  readonly prompts: number;
  readonly withRequest: number;
  readonly needed: number;
  readonly shown: number;
  /** Lines of the answer that became the summary. */
  readonly lines: number;
  readonly lost: number;
  readonly repairs: number;
}

const TOOL = fileURLToPath(new URL("../../shared/tools/fidelity.py", import.meta.url));
/** The view that is asked for, as a share of the conversation. */
const TARGET_RATIO = 0.1;
const WINDOWS: readonly { readonly windowTokens: number; readonly bar: number }[] = [
  { windowTokens: 200_000, bar: 0.97 },
  { windowTokens: 32_000, bar: 0.85 },
];
const REQUEST_WORDS = 40;
/** Of an item of the answer. */
const ITEM_WORDS_MAX = 14;
/** A prime: the items come from all over the conversation. */
const SPREAD = 31;

await run();

async function run(): Promise<void> {
  const folder = process.argv.slice(2).find((argument) => !argument.startsWith("--")) ?? makeCases();
  if (folder === undefined) return;
  const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  const cases = names.sort().map((name): Case => JSON.parse(readFileSync(join(folder, name), "utf8")));
  for (const { windowTokens, bar } of WINDOWS) {
    const rows = new Map<string, Coverage[]>();
    for (const item of cases) {
      const coverage = await coverageOf(item, windowTokens);
      for (const row of [item.name.split("-")[0] ?? "", "all"]) rows.set(row, [...(rows.get(row) ?? []), coverage]);
      if (process.argv.includes("--cases")) console.log(item.name, JSON.stringify(coverage));
    }
    print(rows, `Summarizer window ${windowTokens} tokens, at least ${bar} wanted`);
    refuse(rows.get("all") ?? [], bar);
  }
}

/** Undefined when the recordings, Python or the tool are missing. */
function makeCases(): string | undefined {
  if (!existsSync(RECORDINGS) || !existsSync(TOOL)) {
    console.log(`There are no recordings in ${RECORDINGS}; nothing was measured.`);
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), "prompt-coverage-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const made = spawnSync("python3", [TOOL, "cases", RECORDINGS, folder], { encoding: "utf8" });
  if (made.status === 0) return folder;
  console.log(`The reference tool could not make the cases: ${made.error?.message ?? made.stderr}`);
  return undefined;
}

async function coverageOf(item: Case, windowTokens: number): Promise<Coverage> {
  const format = formatNamed(item.format);
  const prompts: string[] = [];
  const told = new Set<string>();
  let answer = "";
  let repairs = 0;
  const summarizer = llm({
    windowTokens,
    complete: async ({ system, prompt }) => {
      prompts.push(unescaped(`${system}\n${prompt}`));
      if (prompt.includes(' kind="draft">')) repairs++;
      for (const line of proseIn(prompt)) told.add(line);
      answer = fullAnswer(prompt, [...told]);
      return { text: answer, stopReason: "stop" };
    },
  });
  const leaving = new Set<string>();
  const look = ({ messages, turnPrefix }: Proposal): void => {
    for (const { id } of [...messages, ...turnPrefix]) leaving.add(id);
  };
  const compactor = createCompactor({ format, profile: "balanced", summarizer, hooks: { provide: look } });
  const { report } = await compactor.compact(item.body, { target: { ratio: TARGET_RATIO } });
  const [failure] = report.fallbacks;
  if (failure !== undefined) throw new Error(`${item.name}: ${failure.because}`);
  const summary = new Set(report.result?.summary?.split("\n"));
  const lines = answer.split("\n").filter((line) => line !== "");
  const zone = textOf(format.decode(item.body).messages.filter(({ id }) => leaving.has(id)));
  const wanted = new Set([...Object.keys(item.clean), ...item.effects.flatMap(({ exact }) => exact)]);
  const needed = [...wanted].filter((each) => holds(zone, each));
  const shown = prompts.join("\n");
  // Without what a client sends in the user's name: a notification asks for nothing.
  const request = plain(requestOf(item.asked)).split(" ").slice(0, REQUEST_WORDS).join(" ");
  const missing = needed.filter((each) => !holds(shown, each));
  if (process.argv.includes("--missing") && missing.length > 0) console.log(item.name, missing.join(" "));
  return {
    calls: prompts.length,
    prompts: request === "" ? 0 : prompts.length,
    withRequest: request === "" ? 0 : prompts.filter((prompt) => plain(prompt).includes(request)).length,
    needed: needed.length,
    shown: needed.length - missing.length,
    lines: lines.length,
    lost: lines.filter((line) => !summary.has(line)).length,
    repairs,
  };
}

/** Lines of the conversation in the prompt that read like sentences. */
function proseIn(prompt: string): readonly string[] {
  const [, , conversation = ""] = /<data-(\w+) kind="conversation">\n([\s\S]*?)\n<\/data-\1>/.exec(prompt) ?? [];
  return conversation
    .split("\n")
    .filter((line) => /^[\w'(][^[\]{}<>|#*]*\w \w+ \w+ \w/.test(line.trim()) && line.length < 400);
}

/** Every heading with items of what was said, each line another, as many words as the prompt allows. */
function fullAnswer(prompt: string, said: readonly string[]): string {
  const words = Number(/at most (\d+) words/.exec(prompt)?.[1]);
  const sections = CHECKPOINT_SECTIONS.map((heading) => [heading, `- of ${heading.replace(/^#+ /, "")} this was said`]);
  let left = words - sections.flat().join(" ").split(" ").length;
  for (let index = 0; left > 2; index++) {
    const line = said[(index * SPREAD) % Math.max(1, said.length)] ?? "nothing more was said";
    const item = `- no. ${index + 1}: ${line.trim()}`.split(/\s+/).slice(0, Math.min(left, ITEM_WORDS_MAX));
    left -= item.length;
    sections[index % sections.length]?.push(item.join(" "));
  }
  return sections.map((lines) => lines.join("\n")).join("\n\n");
}

function textOf(messages: readonly Message[]): string {
  return unescaped(messages.map(({ parts }) => parts.map(({ wire: _, ...part }) => flat(part)).join("\n")).join("\n"));
}

/** Undoes the escapes of JSON within JSON, to any depth. */
function unescaped(text: string): string {
  return text
    .replace(/\\+u([0-9a-fA-F]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\+(["'/])/g, "$1")
    .replace(/\\+[nrt]/g, " ");
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_]+/gu, " ")
    .trim();
}

/** Whether it stands in the text as a whole. */
function holds(text: string, wanted: string): boolean {
  const isWord = (character: string | undefined): boolean => /[\p{L}\p{N}_]/u.test(character ?? "");
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const isOpen = wanted.startsWith("#") || !isWord(text[at - 1]);
    if (isOpen && !isWord(text[at + wanted.length])) return true;
  }
  return false;
}

function sumOf(coverages: readonly Coverage[], key: keyof Coverage): number {
  return coverages.reduce((total, coverage) => total + coverage[key], 0);
}

function shownShare(coverages: readonly Coverage[]): number {
  return sumOf(coverages, "shown") / Math.max(1, sumOf(coverages, "needed"));
}

function print(rows: ReadonlyMap<string, readonly Coverage[]>, title: string): void {
  console.log(`\n${title}\n`);
  console.log("| | cases | calls | prompts with the newest request | shown of what is needed | lines lost | repairs |");
  console.log("|---|---:|---:|---:|---:|---:|---:|");
  for (const [name, coverages] of [...rows].sort(([a], [b]) => a.localeCompare(b))) {
    const of = (part: keyof Coverage, whole: keyof Coverage): string =>
      `${sumOf(coverages, part)} of ${sumOf(coverages, whole)}`;
    const columns = [
      name,
      coverages.length,
      sumOf(coverages, "calls"),
      of("withRequest", "prompts"),
      `${shownShare(coverages).toFixed(3)} (${of("shown", "needed")})`,
      of("lost", "lines"),
      sumOf(coverages, "repairs"),
    ];
    console.log(`| ${columns.join(" | ")} |`);
  }
}

function refuse(coverages: readonly Coverage[], bar: number): void {
  const missed = [
    sumOf(coverages, "withRequest") < sumOf(coverages, "prompts") && "the newest request is not in every prompt",
    shownShare(coverages) < bar && "too little of what is needed is shown",
    sumOf(coverages, "lost") > 0 && "lines of the model are lost",
    sumOf(coverages, "repairs") > 0 && "a repair was asked for",
  ].filter((what) => what !== false);
  for (const what of missed) console.log(`missed: ${what}`);
  if (missed.length > 0) process.exitCode = 1;
}
