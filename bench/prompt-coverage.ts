/**
 * What a summarizing model is shown of what is needed later: of the identifiers that the recorded agent used afterwards and of the objects
 * that it had changed, those that stood in the messages that leave, the share that stands in the prompts; and whether the newest request
 * is in every prompt. Cases are made by the shared reference tool; a folder of cases may be given. Run with `npm run prompt-coverage`.
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
}

const TOOL = fileURLToPath(new URL("../../shared/tools/fidelity.py", import.meta.url));
/** The view that is asked for, as a share of the conversation. */
const TARGET_RATIO = 0.1;
const WINDOWS: readonly { readonly windowTokens: number; readonly bar: number }[] = [
  { windowTokens: 200_000, bar: 0.97 },
  { windowTokens: 32_000, bar: 0.85 },
];
const REQUEST_WORDS = 40;

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
  const summarizer = llm({
    windowTokens,
    complete: async ({ system, prompt }) => {
      prompts.push(unescaped(`${system}\n${prompt}`));
      return { text: ANSWER, stopReason: "stop" };
    },
  });
  const leaving = new Set<string>();
  const look = ({ messages, turnPrefix }: Proposal): void => {
    for (const { id } of [...messages, ...turnPrefix]) leaving.add(id);
  };
  const compactor = createCompactor({ format, profile: "balanced", summarizer, hooks: { provide: look } });
  await compactor.compact(item.body, { target: { ratio: TARGET_RATIO } });
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
  };
}

const ANSWER = CHECKPOINT_SECTIONS.map((heading) => `${heading}\n- as it was said`).join("\n\n");

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

function print(rows: ReadonlyMap<string, readonly Coverage[]>, title: string): void {
  console.log(`\n${title}\n\n| | cases | calls | prompts with the newest request | shown of what is needed |`);
  console.log("|---|---:|---:|---:|---:|");
  for (const [name, coverages] of [...rows].sort(([a], [b]) => a.localeCompare(b))) {
    const sum = (key: keyof Coverage): number => coverages.reduce((total, coverage) => total + coverage[key], 0);
    const share = sum("shown") / Math.max(1, sum("needed"));
    const columns = [name, coverages.length, sum("calls"), `${sum("withRequest")} of ${sum("prompts")}`];
    console.log(`| ${columns.join(" | ")} | ${share.toFixed(3)} (${sum("shown")} of ${sum("needed")}) |`);
  }
}
