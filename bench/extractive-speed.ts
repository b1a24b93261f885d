/**
 * How fast the extractive summarizer, and the whole pass around it, are beside `JSON.parse` of the same bytes in the same run, and how much memory the pass
 * takes, on agent sessions of 1, 10 and 100 MB: generated ones, and recorded ones where there are recordings beside the project. Exits with 1
 * when a bar is missed. Run with `npm run extractive-speed`; `--small` leaves the largest out, `--generated` and
 * `--recorded` measure one kind of text alone.
 *
 * A megabyte holds few recorded sessions, and which they are counts: what people and models say is read much more closely than what tools
 * print. So it is put together a dozen times, each time of others, and each is held to the bar.
 *
 * Speeds are the best of several runs in a process that has warmed up, ours and `JSON.parse` alike; the first pass of the process, which the engine still
 * interprets, has a line of its own. Memory beyond the parsed input is told twice, as a multiple of it. `live` is what a collection cannot free at the
 * pass's fullest moments: collections are forced while the summary is composed, when everything that was read is held. `with garbage` is what the heap had
 * grown by at the end of a pass without any forced collection: at 1 MB that is mostly what V8's young generation, whatever the input, lets lie.
 * Memory outside the heap counts in both. The bar is for what is live, at every size.
 */

import { spawnSync } from "node:child_process";
import { createCompactor } from "../src/compactor.ts";
import type { Summarizer } from "../src/core/checkpoint/summary.ts";
import { estimateTokens } from "../src/core/tokens/tokens.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { extractive } from "../src/summarizers/extractive.ts";
import { generatedInput, recordedInput, type SpeedInput } from "./speed-inputs.ts";

const SIZES_MB = process.argv.includes("--small") ? [1, 10] : [1, 10, 100];
/** How often a megabyte of recorded text is put together. */
const SMALL_ORDERS = 12;
/** Ours may take so many times as long as parsing. */
const SLOWNESS_MAX = 15;
/** The largest may be slower per byte than the smallest by this factor before we call it worse than linear. */
const LINEARITY_MAX = 1.5;
const MEMORY_MAX = 3;
const BUDGET_TOKENS = 8_000;
/** So small that pruning never suffices: every size is summarised. */
const PASS_TARGET_TOKENS = 12_000;
/** How often memory is measured in vain before it counts. */
const UNCOUNTED = 2;
/** How often a run for `live` stops to collect. */
const COLLECTIONS = 6;
/** About how many texts a pass counts while it composes; only spreads the collections. */
const COUNTS_BETWEEN = 1_500;

await run();

/** Each kind of text in a process of its own: what compacting one leaves behind does not count for the other. */
async function run(): Promise<void> {
  const only = process.argv.find((argument) => argument === "--generated" || argument === "--recorded");
  if (only !== undefined) {
    const isRecorded = only === "--recorded";
    if (!(await measureSizes(isRecorded ? "recorded" : "generated", isRecorded ? recordedInput : generatedInput)))
      process.exitCode = 1;
    return;
  }
  const coldMs = await passMs(JSON.parse(generatedInput(1).json));
  console.log(`The first pass of the process, over 1 MB: ${coldMs.toFixed(0)} ms.\n`);
  const hasRecordings = recordedInput(1) !== undefined;
  if (!hasRecordings) console.log("No recordings in ../shared/data: only generated text is measured.\n");
  console.log(
    "| text | MB | JSON.parse MB/s | extractive MB/s | times slower | whole pass MB/s | times slower | memory / parsed: live | with garbage |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|",
  );
  for (const text of hasRecordings ? ["--generated", "--recorded"] : ["--generated"]) {
    const given = [...process.execArgv, ...process.argv.slice(1), text];
    const { status } = spawnSync(process.execPath, given, { stdio: "inherit" });
    if (status !== 0) process.exitCode = 1;
  }
}

type InputOf = (megabytes: number, order?: number) => SpeedInput | undefined;

/** False when a bar is missed. Speeds first: the engine is slower for a while after the collections that memory is measured with. */
async function measureSizes(text: "generated" | "recorded", inputOf: InputOf): Promise<boolean> {
  await speedsOf(inputOf(1));
  const rows: Row[] = [];
  for (const size of SIZES_MB) {
    const orders = text === "recorded" && size === 1 ? SMALL_ORDERS : 1;
    for (let order = 0; order < orders; order++) rows.push({ size, order, ...(await speedsOf(inputOf(size, order))) });
  }
  let isReached = true;
  // Not counted: they collect what the largest left behind.
  for (let repeat = 0; repeat < UNCOUNTED; repeat++) await memoryOf(inputOf(1));
  for (const row of rows) {
    const memory = await memoryOf(inputOf(row.size, row.order));
    if (slownessOf(row) > SLOWNESS_MAX || memory.live > MEMORY_MAX) isReached = false;
    console.log(rowOf(text, row.size, { ...row, ...memory }));
  }
  for (const size of SIZES_MB) {
    const own = rows.filter((row) => row.size === size);
    if (own.length < 2) continue;
    const slowness = meanOf(own, slownessOf).toFixed(1);
    console.log(`Of ${own.length} times ${size} MB of ${text} text: ${slowness} times slower on average.`);
  }
  const speedAt = (size: number | undefined): number =>
    meanOf(
      rows.filter((row) => row.size === size),
      ({ passSpeed }) => passSpeed,
    );
  const linearity = speedAt(SIZES_MB[0]) / speedAt(SIZES_MB.at(-1));
  console.log(
    `Slower per byte on the largest ${text} than on the smallest: ${linearity.toFixed(2)} times (at most ${LINEARITY_MAX}).`,
  );
  return isReached && linearity <= LINEARITY_MAX;
}

interface Row extends Speeds {
  readonly size: number;
  readonly order: number;
}

function slownessOf({ parseSpeed, passSpeed }: Speeds): number {
  return parseSpeed / passSpeed;
}

function meanOf(rows: readonly Row[], figureOf: (row: Row) => number): number {
  return rows.reduce((sum, row) => sum + figureOf(row), 0) / Math.max(1, rows.length);
}

function rowOf(
  text: string,
  size: number,
  { parseSpeed, speed, passSpeed, live, withGarbage }: Speeds & Memory,
): string {
  const cells = [
    text,
    size,
    parseSpeed.toFixed(0),
    speed.toFixed(1),
    (parseSpeed / speed).toFixed(1),
    passSpeed.toFixed(1),
    (parseSpeed / passSpeed).toFixed(1),
    live.toFixed(2),
    withGarbage.toFixed(2),
  ];
  return `| ${cells.join(" | ")} |`;
}

interface Speeds {
  readonly parseSpeed: number;
  readonly speed: number;
  /** Decode, repair, count, decide, prune, summarise, apply, validate, encode. */
  readonly passSpeed: number;
}

interface Memory {
  readonly live: number;
  readonly withGarbage: number;
}

const NOTHING: SpeedInput = { json: "{}", bytes: 0 };

/** The small sizes more often: so the engine has compiled what is measured, and others on the machine disturb less. */
function repeatsFor(bytes: number): number {
  return Math.max(4, Math.round(100 / Math.sqrt(bytes / 1e6)));
}

async function speedsOf({ json, bytes }: SpeedInput = NOTHING): Promise<Speeds> {
  let parseMs = Number.POSITIVE_INFINITY;
  let ownMs = Number.POSITIVE_INFINITY;
  let wholeMs = Number.POSITIVE_INFINITY;
  for (let repeat = 0; repeat < repeatsFor(bytes); repeat++) {
    const start = performance.now();
    const body: unknown = JSON.parse(json);
    parseMs = Math.min(parseMs, performance.now() - start);
    ownMs = Math.min(ownMs, await extractiveMs(body));
    wholeMs = Math.min(wholeMs, await passMs(body));
  }
  const speedOf = (ms: number): number => bytes / ms / 1_000;
  return { parseSpeed: speedOf(parseMs), speed: speedOf(ownMs), passSpeed: speedOf(wholeMs) };
}

async function memoryOf({ json, bytes }: SpeedInput = NOTHING): Promise<Memory> {
  const parsedBytes = bytesOfParsed(json);
  return {
    live: (await liveBytes(JSON.parse(json), Math.ceil(repeatsFor(bytes) / 4))) / parsedBytes,
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

/** What a pass holds beyond the parsed body, in the least of several: code that the engine threw away and made again counts for nothing. */
async function liveBytes(body: unknown, repeats: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let repeat = 0; repeat < repeats; repeat++) least = Math.min(least, await mostBytes(body));
  return least;
}

/** The most of several collections while it composes its summary. */
async function mostBytes(body: unknown): Promise<number> {
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
