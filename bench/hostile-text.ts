/**
 * Whether the embedded summarizer's time grows with the text and no faster, whatever the text: short pieces repeated for a long time (blanks, brackets,
 * quotes, halves of pairs, words that its expressions look for), in every place of a conversation. Each text is compacted once and twice as long; exits with
 * 1 when twice the text takes more than three times as long, and longer than what the machine's noise explains. Run with `npm run hostile-text`.
 */

import { createCompactor } from "../src/compactor.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { HOSTILE_PIECES } from "../test/hostile-texts.ts";

const CHARS = 100_000;
const TARGET_TOKENS = 1_500;
const GROWTH_MAX = 3;
/** Faster passes are mostly what a pass costs anyway. */
const NOTICED_MS = 60;
const REPEATS = 2;
const ROUNDS = 3;

const PLACES = ["user", "assistant", "final", "result", "input"] as const;
type Place = (typeof PLACES)[number];

interface Grown {
  readonly place: Place;
  readonly piece: string;
  readonly onceMs: number;
  readonly twiceMs: number;
}

await run();

async function run(): Promise<void> {
  const measured: Grown[] = [];
  // The first passes of a process compile the expressions.
  for (const place of PLACES) await passMs("The harbour is open. ".repeat(500), place);
  for (const place of PLACES) for (const piece of HOSTILE_PIECES) measured.push(await grow(place, piece));
  const slowest = measured.toSorted((one, other) => other.twiceMs - one.twiceMs);
  console.log(`${measured.length} texts of ${CHARS} and ${2 * CHARS} characters; the slowest:\n`);
  console.log("| place | piece | once, ms | twice, ms | growth |\n|---|---|---:|---:|---:|");
  for (const grown of slowest.slice(0, 10)) console.log(rowOf(grown));
  const worse = measured.filter(isWorse);
  console.log(`\nGrew more than ${GROWTH_MAX} times: ${worse.length}`);
  for (const grown of worse) console.log(rowOf(grown));
  if (worse.length > 0) process.exitCode = 1;
}

async function grow(place: Place, piece: string): Promise<Grown> {
  const text = `${piece}x`.repeat(Math.ceil(CHARS / (piece.length + 1)));
  return { place, piece, onceMs: await passMs(text, place), twiceMs: await passMs(text + text, place) };
}

function isWorse({ onceMs, twiceMs }: Grown): boolean {
  return twiceMs > NOTICED_MS && twiceMs > GROWTH_MAX * onceMs;
}

function rowOf({ place, piece, onceMs, twiceMs }: Grown): string {
  const shown = JSON.stringify(piece).replaceAll("|", "\\|");
  return `| ${place} | \`${shown}\` | ${onceMs.toFixed(0)} | ${twiceMs.toFixed(0)} | ${(twiceMs / onceMs).toFixed(1)} |`;
}

async function passMs(text: string, place: Place): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const body = conversationWith(text, place);
    const start = performance.now();
    await createCompactor({ format: anthropicMessages }).compact(body, { target: { tokens: TARGET_TOKENS } });
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

/** Three turns of work; the middle one has the text in one of its places. */
function conversationWith(text: string, place: Place): unknown {
  const messages: unknown[] = [{ role: "user", content: "Please build the tide gate and keep the harbour open." }];
  for (let round = 0; round < ROUNDS; round++) {
    const said = (where: Place, otherwise: string): string => (round === 1 && where === place ? text : otherwise);
    const id = `call_${round}`;
    const call = { type: "tool_use", id, name: "bash", input: { command: said("input", "npm test") } };
    messages.push(
      { role: "assistant", content: [{ type: "text", text: said("assistant", "I will look at the gate.") }, call] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: said("result", "3 passed") }] },
      { role: "assistant", content: [{ type: "text", text: said("final", "The gate is built.") }] },
      { role: "user", content: said("user", `And now the lamp of pier ${round}.`) },
    );
  }
  return { messages };
}
