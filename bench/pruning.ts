/**
 * What pruning costs in prompt cache: how often a request is no longer the beginning of the next one, and what all input costs
 * when a cached token is read at a tenth of the price and any other is written at five quarters of it. Each session is sent
 * through `fit` call by call: with `prune` switched off, with the default settings, and with `prune.mustPay` off, so that the
 * water marks alone decide. Summaries are extractive and cost nothing. Generated sessions first, then recorded ones where there are any. Run with `npm run pruning`
 * in bench.
 */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { CompactionError, type CompactorOptions, createCompactor, type Format } from "../src/index.ts";
import { estimateTokens, formatNamed } from "../src/parts.ts";
import { readTranscriptFile } from "../src/transcripts/index.ts";
import { type Random, seeded } from "./random.ts";
import { hasRecordings, RECORDINGS } from "./recorded-calls.ts";

const WINDOWS = [24_000, 32_000, 64_000, 200_000];
const READ_PRICE = 0.1;
const WRITE_PRICE = 1.25;
/** Rounding. */
const COST_SPARE = 0.0005;

interface Replay {
  readonly name: string;
  readonly format: Format;
  readonly messages: readonly object[];
  /** How many of the messages each call is made with. */
  readonly ends: readonly number[];
}

type PruneOptions = Pick<CompactorOptions, "prune">;

/** Off, as the default settings have it, and whenever the water marks say so. */
const MODES: readonly PruneOptions[] = [{ prune: { enabled: false } }, {}, { prune: { mustPay: false } }];

async function printTable(title: string, sessions: readonly Replay[], windows: readonly number[]): Promise<void> {
  console.log(`\n${title}: ${sessions.length}, ${sum(sessions.map(({ ends }) => ends.length))} calls\n`);
  console.log("| window | session | breaks: off, default, at marks | cost, off | default / off | at marks / off |");
  console.log("|---:|---|---:|---:|---:|---:|");
  for (const windowTokens of windows) {
    const rows = new Map<string, (readonly Cost[])[]>();
    for (const session of sessions) {
      const costs: Cost[] = [];
      for (const mode of MODES) costs.push(await replay(session, windowTokens, mode));
      // A session that fits says nothing.
      if (costs.some(({ breaks }) => breaks > 0)) rows.set(session.name, [...(rows.get(session.name) ?? []), costs]);
    }
    for (const [name, costs] of rows) printRow(windowTokens, name, costs);
    printRow(windowTokens, "all", [...rows.values()].flat());
  }
}

interface Cost {
  readonly breaks: number;
  /** In tokens at the price of plain input. */
  readonly tokens: number;
}

function printRow(windowTokens: number, name: string, costs: readonly (readonly Cost[])[]): void {
  const of = (mode: number, what: keyof Cost): number => sum(costs.map((modes) => modes[mode]?.[what] ?? 0));
  const share = (mode: number): string => (of(mode, "tokens") / of(0, "tokens")).toFixed(3);
  const breaks = MODES.map((_, mode) => of(mode, "breaks")).join(", ");
  const cost = Math.round(of(0, "tokens")).toLocaleString("en");
  // Pruning that nobody asked for has to pay.
  if (of(1, "tokens") > of(0, "tokens") * (1 + COST_SPARE)) process.exitCode = 1;
  console.log(`| ${[`${windowTokens / 1_000}k`, name, breaks, cost, share(1), share(2)].join(" | ")} |`);
}

async function replay(session: Replay, windowTokens: number, options: PruneOptions): Promise<Cost> {
  const { format, messages, ends } = session;
  const counter = estimateTokens();
  let [breaks, tokens] = [0, 0];
  const compactor = createCompactor({ format, windowTokens, ...options });
  const sizes = new Map<string, number>();
  const sizeOf = (wire: object): readonly [key: string, tokens: number] => {
    const key = JSON.stringify(wire);
    const known = sizes.get(key) ?? counter.total(format.decode([wire]).messages);
    sizes.set(key, known);
    return [key, known];
  };
  let sent: readonly string[] = [];
  for (const end of ends) {
    const { request } = await compactor.fit(messages.slice(0, end));
    const sized = request.map(sizeOf);
    const same = sized.findIndex(([key], index) => key !== sent[index]);
    const cached = same < 0 ? sized.length : same;
    if (cached < sent.length) breaks++;
    tokens += sum(sized.map(([, size], index) => size * (index < cached ? READ_PRICE : WRITE_PRICE)));
    sent = sized.map(([key]) => key);
  }
  return { breaks, tokens };
}

/** Each result, and each word of the user's, is followed by a call. */
function endsOf(format: Format, messages: readonly object[]): readonly number[] {
  const roles = format.decode(messages).messages.map(({ role }) => role);
  return roles.flatMap((role, index) => (role === "assistant" && roles[index - 1] !== "assistant" ? [index] : []));
}

function recordedSessions(): readonly Replay[] {
  const files = readdirSync(RECORDINGS, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.jsonl?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return files.flatMap(sessionsIn).filter(({ format, messages }) => {
    return estimateTokens().total(format.decode(messages).messages) > (WINDOWS[0] ?? 0);
  });
}

function sessionsIn(path: string): readonly Replay[] {
  try {
    return readTranscriptFile(path).conversations.flatMap(({ format: name, segments }) =>
      segments.map(({ messages }) => {
        const format = formatNamed(name);
        // Readers return lists of wire messages.
        const list = messages as readonly object[];
        return {
          name: path.slice(RECORDINGS.length + 1).split("/")[0] ?? "",
          format,
          messages: list,
          ends: endsOf(format, list),
        };
      }),
    );
  } catch (error) {
    if (error instanceof CompactionError) return [];
    throw error;
  }
}

const CALLS = 500;

/** Of one kind of agent: the tools it uses, how often each, and how long what they return is. */
interface Agent {
  readonly name: string;
  readonly tools: readonly Tool[];
  readonly roundsPerTurn: number;
}

interface Tool {
  readonly name: string;
  readonly weight: number;
  readonly lines: readonly [least: number, most: number];
  line(random: Random): string;
}

function generatedSessions(): readonly Replay[] {
  return AGENTS.map((agent, index) => {
    const messages = sessionOf(agent, seeded(1_700 + index));
    return { name: agent.name, format: anthropicMessages, messages, ends: endsOf(anthropicMessages, messages) };
  });
}

const WORDS =
  "the build module picks an older copy of parser when tests run in watch mode so we pin it check again request handler returns before connection closes queue keeps retrying worker".split(
    " ",
  );
const words = (random: Random, count: number): string =>
  Array.from({ length: count }, () => random.pick(WORDS)).join(" ");
const code = (random: Random): string =>
  `${"  ".repeat(random.below(4))}const ${random.pick(WORDS)}${random.below(100)} = ${random.pick(WORDS)}(${random.pick(WORDS)}, ${random.below(999)});`;
const path = (random: Random): string => `src/${random.pick(WORDS)}/${random.pick(WORDS)}-${random.below(90)}.ts`;
const log = (random: Random): string =>
  `2026-03-${10 + random.below(20)}T${10 + random.below(14)}:${10 + random.below(50)} ${random.pick(["INFO", "WARN", "ERROR"])} ${words(random, 9)} id=${random.below(1e6)}`;
const prose = (random: Random): string => `${words(random, 24)}.`;
const json = (random: Random): string =>
  `{"id":${random.below(1e5)},"name":"${words(random, 2)}","state":"${random.pick(WORDS)}","total":${random.below(1e4) / 100}},`;

const AGENTS: readonly Agent[] = [
  {
    name: "coding",
    roundsPerTurn: 14,
    tools: [
      { name: "read_file", weight: 4, lines: [40, 320], line: code },
      {
        name: "grep",
        weight: 3,
        lines: [2, 40],
        line: (random) => `${path(random)}:${random.below(400)}: ${code(random)}`,
      },
      { name: "run_tests", weight: 2, lines: [20, 200], line: log },
      { name: "edit_file", weight: 3, lines: [1, 3], line: (random) => `Edited ${path(random)}` },
    ],
  },
  {
    name: "research",
    roundsPerTurn: 6,
    tools: [
      { name: "search", weight: 2, lines: [8, 20], line: prose },
      { name: "fetch_page", weight: 3, lines: [60, 300], line: prose },
      { name: "note", weight: 1, lines: [1, 1], line: prose },
    ],
  },
  {
    name: "operations",
    roundsPerTurn: 8,
    tools: [
      { name: "query", weight: 3, lines: [3, 60], line: json },
      { name: "logs", weight: 2, lines: [10, 120], line: log },
      { name: "restart", weight: 2, lines: [1, 2], line: log },
    ],
  },
  {
    name: "assistant",
    roundsPerTurn: 2,
    tools: [
      { name: "lookup", weight: 3, lines: [1, 12], line: json },
      { name: "book", weight: 1, lines: [1, 3], line: prose },
    ],
  },
];

function sessionOf({ tools, roundsPerTurn }: Agent, random: Random): readonly object[] {
  const chosen = tools.flatMap((tool) => Array.from({ length: tool.weight }, () => tool));
  const messages: object[] = [];
  for (let call = 0; call < CALLS; call++) {
    if (call % roundsPerTurn === 0) {
      if (call > 0) messages.push({ role: "assistant", content: [{ type: "text", text: words(random, 80) }] });
      messages.push({ role: "user", content: words(random, 30) });
    }
    const tool = random.pick(chosen);
    const [least, most] = tool.lines;
    const lines = Array.from({ length: least + random.below(most - least + 1) }, () => tool.line(random));
    const use = { type: "tool_use", id: `toolu_${call}`, name: tool.name, input: { path: path(random) } };
    messages.push({ role: "assistant", content: [{ type: "text", text: words(random, 12) }, use] });
    messages.push({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: use.id, content: lines.join("\n") }],
    });
  }
  messages.push({ role: "assistant", content: [{ type: "text", text: words(random, 80) }] });
  return messages;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

await printTable("Generated sessions", generatedSessions(), WINDOWS);
if (hasRecordings()) await printTable("Recorded sessions", recordedSessions(), [24_000, 32_000, 64_000]);
