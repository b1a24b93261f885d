/**
 * How fast the extractive summarizer, and the whole pass around it, are beside `JSON.parse` of the same bytes in the same run, and how much memory it takes,
 * on generated agent sessions of 1, 10 and 100 MB. Exits with 1 when a bar is missed. Run with `npm run extractive-speed`.
 */

import { createCompactor } from "../src/compactor.ts";
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
/** Below this the garbage that V8's young generation holds anyway is larger than the input. */
const MEMORY_FROM_MB = 10;

const WORDS =
  "the build fails because module resolution picks an older copy of parser when tests run in watch mode so pin it and check again".split(
    " ",
  );

await run();

async function run(): Promise<void> {
  console.log(
    "| MB | JSON.parse MB/s | extractive MB/s | times slower | whole pass MB/s | times slower | extra memory / parsed |\n|---:|---:|---:|---:|---:|---:|---:|",
  );
  const speeds: number[] = [];
  let isMissed = false;
  await measure(1);
  for (const size of SIZES_MB) {
    const { parseSpeed, speed, passSpeed, memory } = await measure(size);
    speeds.push(passSpeed);
    const slowness = parseSpeed / speed;
    const passSlowness = parseSpeed / passSpeed;
    if (passSlowness > SLOWNESS_MAX || (size >= MEMORY_FROM_MB && memory > MEMORY_MAX)) isMissed = true;
    console.log(
      `| ${size} | ${parseSpeed.toFixed(0)} | ${speed.toFixed(1)} | ${slowness.toFixed(1)} | ${passSpeed.toFixed(1)} | ${passSlowness.toFixed(1)} | ${memory.toFixed(2)} |`,
    );
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
  readonly memory: number;
}

/** Small sizes are repeated, so that the engine has compiled what it measures. */
async function measure(megabytes: number): Promise<Measured> {
  const json = JSON.stringify({ messages: generate(megabytes * 1_000_000) });
  const bytes = Buffer.byteLength(json);
  const repeats = Math.max(1, Math.round(20 / megabytes));
  let parseMs = Number.POSITIVE_INFINITY;
  let ownMs = Number.POSITIVE_INFINITY;
  let passMs = Number.POSITIVE_INFINITY;
  let memory = 0;
  for (let repeat = 0; repeat < repeats; repeat++) {
    globalThis.gc?.();
    const before = heapUsed();
    const start = performance.now();
    const body: unknown = JSON.parse(json);
    parseMs = Math.min(parseMs, performance.now() - start);
    globalThis.gc?.();
    const parsedBytes = heapUsed() - before;
    const { messages } = anthropicMessages.decode(body);
    const counter = estimateTokens();
    globalThis.gc?.();
    const beforeOwn = heapUsed();
    const ownStart = performance.now();
    await extractive().summarize(
      { messages, turnPrefix: [], kept: [], budgetTokens: BUDGET_TOKENS, counter },
      { signal: new AbortController().signal, progress: () => undefined },
    );
    ownMs = Math.min(ownMs, performance.now() - ownStart);
    // Without a collection in between: what was taken, garbage included.
    memory = Math.max(memory, (heapUsed() - beforeOwn) / parsedBytes);
    const passStart = performance.now();
    await createCompactor({ format: anthropicMessages }).compact(body, { target: { tokens: PASS_TARGET_TOKENS } });
    passMs = Math.min(passMs, performance.now() - passStart);
  }
  const speedOf = (ms: number): number => bytes / ms / 1_000;
  return { parseSpeed: speedOf(parseMs), speed: speedOf(ownMs), passSpeed: speedOf(passMs), memory };
}

function heapUsed(): number {
  return process.memoryUsage().heapUsed;
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
