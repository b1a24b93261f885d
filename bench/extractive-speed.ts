/**
 * How fast the extractive summarizer, and the whole pass around it, are beside `JSON.parse` of the same bytes in the same run, and how much memory the pass
 * takes, on generated agent sessions of 1, 10 and 100 MB. Exits with 1 when a bar is missed. Run with `npm run extractive-speed`.
 *
 * Speeds are the best of several runs in a process that has warmed up, ours and `JSON.parse` alike; the first pass of the process, which the engine still
 * interprets, has a line of its own. Memory beyond the parsed input is told twice, as a multiple of it. `live` is what a collection cannot free at the
 * pass's fullest moments: collections are forced while the summary is composed, when everything that was read is held. `with garbage` is what the heap had
 * grown by at the end of a pass without any forced collection: at 1 MB that is mostly what V8's young generation, whatever the input, lets lie.
 * Memory outside the heap counts in both. The bar is for what is live, at every size.
 */

import { createCompactor } from "../src/compactor.ts";
import type { Summarizer } from "../src/core/checkpoint/summary.ts";
import { estimateTokens } from "../src/core/tokens/tokens.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { extractive } from "../src/summarizers/extractive.ts";
import { seeded } from "./random.ts";

const SIZES_MB = process.argv.includes("--small") ? [1, 10] : [1, 10, 100];
/** Ours may take so many times as long as parsing. */
const SLOWNESS_MAX = 15;
/** The largest may be slower per byte than the smallest by this factor before we call it worse than linear. */
const LINEARITY_MAX = 1.5;
const MEMORY_MAX = 3;
const BUDGET_TOKENS = 8_000;
/** So small that pruning never suffices: every size is summarised. */
const PASS_TARGET_TOKENS = 12_000;
/** How often a run for `live` stops to collect. */
const COLLECTIONS = 6;
/** About how many texts a pass counts while it composes; only spreads the collections. */
const COUNTS_BETWEEN = 1_500;

const WORDS =
  "the build fails because module resolution picks an older copy of parser when tests run in watch mode so pin it and check again".split(
    " ",
  );

await run();

async function run(): Promise<void> {
  const first = inputOf(1);
  const coldMs = await passMs(JSON.parse(first.json));
  console.log(`The first pass of the process, over 1 MB: ${coldMs.toFixed(0)} ms.\n`);
  await measure(1);
  console.log(
    "| MB | JSON.parse MB/s | extractive MB/s | times slower | whole pass MB/s | times slower | memory / parsed: live | with garbage |\n|---:|---:|---:|---:|---:|---:|---:|---:|",
  );
  const speeds: number[] = [];
  let isMissed = false;
  for (const size of SIZES_MB) {
    const { parseSpeed, speed, passSpeed, live, withGarbage } = await measure(size);
    speeds.push(passSpeed);
    const passSlowness = parseSpeed / passSpeed;
    if (passSlowness > SLOWNESS_MAX || live > MEMORY_MAX) isMissed = true;
    const cells = [
      size,
      parseSpeed.toFixed(0),
      speed.toFixed(1),
      (parseSpeed / speed).toFixed(1),
      passSpeed.toFixed(1),
      passSlowness.toFixed(1),
      live.toFixed(2),
      withGarbage.toFixed(2),
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
  const linearity = (speeds[0] ?? 1) / (speeds.at(-1) ?? 1);
  console.log(
    `Slower per byte on the largest than on the smallest: ${linearity.toFixed(2)} times (at most ${LINEARITY_MAX}).`,
  );
  if (isMissed || linearity > LINEARITY_MAX) process.exitCode = 1;
}

interface Measured {
  readonly parseSpeed: number;
  readonly speed: number;
  /** Decode, repair, count, decide, prune, summarise, apply, validate, encode. */
  readonly passSpeed: number;
  readonly live: number;
  readonly withGarbage: number;
}

interface Input {
  readonly json: string;
  readonly bytes: number;
}

function inputOf(megabytes: number): Input {
  const json = JSON.stringify({ messages: generate(megabytes * 1_000_000) });
  return { json, bytes: Buffer.byteLength(json) };
}

/** Small sizes are repeated, so that the engine has compiled what it measures and others on the machine disturb less. */
async function measure(megabytes: number): Promise<Measured> {
  const { json, bytes } = inputOf(megabytes);
  const repeats = Math.max(2, Math.round(40 / megabytes));
  let parseMs = Number.POSITIVE_INFINITY;
  let ownMs = Number.POSITIVE_INFINITY;
  let wholeMs = Number.POSITIVE_INFINITY;
  for (let repeat = 0; repeat < repeats; repeat++) {
    const start = performance.now();
    const body: unknown = JSON.parse(json);
    parseMs = Math.min(parseMs, performance.now() - start);
    ownMs = Math.min(ownMs, await extractiveMs(body));
    wholeMs = Math.min(wholeMs, await passMs(body));
  }
  const parsedBytes = bytesOfParsed(json);
  const speedOf = (ms: number): number => bytes / ms / 1_000;
  return {
    parseSpeed: speedOf(parseMs),
    speed: speedOf(ownMs),
    passSpeed: speedOf(wholeMs),
    live: (await liveBytes(JSON.parse(json))) / parsedBytes,
    withGarbage: (await garbageBytes(JSON.parse(json))) / parsedBytes,
  };
}

/** In passes of their own: after a forced collection the engine is slower for a while. */
async function garbageBytes(body: unknown): Promise<number> {
  let most = 0;
  for (let repeat = 0; repeat < 3; repeat++) {
    const before = collectedBytes();
    await passMs(body);
    most = Math.max(most, usedBytes() - before);
  }
  return most;
}

async function extractiveMs(body: unknown): Promise<number> {
  const { messages } = anthropicMessages.decode(body);
  const counter = estimateTokens();
  const start = performance.now();
  await extractive().summarize(
    { messages, turnPrefix: [], kept: [], budgetTokens: BUDGET_TOKENS, counter },
    { signal: new AbortController().signal, progress: () => undefined },
  );
  return performance.now() - start;
}

async function passMs(body: unknown, summarizer?: Summarizer): Promise<number> {
  const start = performance.now();
  const options = { format: anthropicMessages, ...(summarizer !== undefined && { summarizer }) };
  await createCompactor(options).compact(body, { target: { tokens: PASS_TARGET_TOKENS } });
  return performance.now() - start;
}

/** The most that a pass holds beyond the parsed body, of several collections while it composes its summary. */
async function liveBytes(body: unknown): Promise<number> {
  const before = collectedBytes();
  const own = extractive();
  let most = 0;
  let counts = 0;
  const summarizer: Summarizer = {
    ...own,
    summarize: (input, context) => {
      const countText = (text: string): number => {
        if (counts++ % COUNTS_BETWEEN === 0 && counts <= COLLECTIONS * COUNTS_BETWEEN) {
          most = Math.max(most, collectedBytes() - before);
        }
        return input.counter.countText(text);
      };
      return own.summarize({ ...input, counter: { ...input.counter, countText } }, context);
    },
  };
  await passMs(body, summarizer);
  return most;
}

/** In a function of its own, so that nothing of an earlier run is still held when it begins. */
function bytesOfParsed(json: string): number {
  const before = collectedBytes();
  const body: unknown = JSON.parse(json);
  const bytes = collectedBytes() - before;
  // Asked for afterwards, so that it is not collected before.
  return body === undefined ? 0 : bytes;
}

function collectedBytes(): number {
  // Twice: memory outside the heap is let go of behind the first.
  globalThis.gc?.();
  globalThis.gc?.();
  return usedBytes();
}

function usedBytes(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** A coding session: requests, narration, calls with paths and edits, results with code and logs. */
function generate(chars: number): readonly unknown[] {
  const random = seeded(7);
  const word = (): string => random.pick(WORDS);
  const name = (): string => `${word()}_${word()}${random.below(6)}`;
  const path = (): string => `packages/${word()}/src/${name()}.ts`;
  const sentence = (): string => `${Array.from({ length: 6 + random.below(12) }, word).join(" ")}.`;
  const line = (): string => {
    const kind = random.below(4);
    // As file readers print it: numbered, indented, quoted.
    if (kind === 0)
      return `${String(random.below(900)).padStart(6)}→\tconst ${word()}Value${random.below(9)} = await ${name()}(${word()}, "${word()}");`;
    if (kind === 1)
      return `2026-03-0${1 + random.below(9)}T10:${10 + random.below(49)}:00Z INFO ${word()} request ${random.below(4000)} took ${random.below(900)} ms`;
    if (kind === 2)
      return `${String(random.below(900)).padStart(6)}→\t\tif ("${word()}" === "${word()}" && ${word()}.${word()} === ${random.below(50)}) return ${word()};`;
    return sentence();
  };
  const messages: unknown[] = [];
  let size = 0;
  for (let turn = 0; size < chars; turn++) {
    if (turn % 12 === 0)
      messages.push({ role: "user", content: `${sentence()} ${sentence()} Use ${name()} in ${path()}.` });
    const id = `toolu_${turn}`;
    const lines = Array.from({ length: 20 + random.below(120) }, line).join("\n");
    const input =
      turn % 3 === 0
        ? { file_path: path(), old_string: line(), new_string: `${line()}\n${line()}` }
        : { command: `npm test -- ${path()} | grep ${name()}` };
    messages.push({
      role: "assistant",
      content: [
        { type: "text", text: `${sentence()} I've updated ${name()}. ${sentence()}` },
        { type: "tool_use", id, name: turn % 3 === 0 ? "Edit" : "Bash", input },
      ],
    });
    messages.push({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: id, content: lines, is_error: turn % 17 === 0 }],
    });
    size += lines.length + 400;
  }
  return messages;
}
