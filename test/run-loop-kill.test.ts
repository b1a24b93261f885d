import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { openSession } from "../src/session.ts";
import { createRandom } from "../src/testing/random.ts";
import { type ModelRequest, type ScriptedReply, startProviderServer } from "../src/testing/server.ts";
import { LOOP_MODEL_NAMES, LOOP_MODELS, type LoopModel, resultProblems } from "./loop-models.ts";
import { sampleOf, seed } from "./sample.ts";
import { checkpointText } from "./summarizer-script.ts";

const MODES = ["plain", "llm", "background", "native"] as const;
/** A hundred in all. */
const KILLS = sampleOf(25, 4);

// A sample takes one of them, by the seed.
const some = MODES.filter((_, index) => sampleOf(1, 0) === 1 || index === seed % MODES.length);

test.each(some)("%s: killed at any moment and started again, it loses no result and doubles none", async (mode) => {
  const random = createRandom(seed);
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-loop-"));
  const names = LOOP_MODEL_NAMES.filter((name) => mode !== "native" || hasNative(name));
  let runs = 0;
  for (let kills = 0; kills < KILLS; runs++) {
    const name = names[(seed + runs) % names.length] ?? "anthropic";
    const { small, make }: LoopModel = LOOP_MODELS[name];
    const server = await startProviderServer({ reply: resumable(small), windowTokens: 20_000 });
    const [database, log] = [join(folder, `${runs}.db`), join(folder, `${runs}.log`)];
    const given = [server.origin, database, log, mode, name];
    const about = `${name}, run ${runs}, seed ${seed}`;
    writeFileSync(log, "");
    let isDone = false;
    let killed = 0;
    while (!isDone) {
      const afterLines = kills < KILLS ? 1 + random.below(60) : Number.POSITIVE_INFINITY;
      const how = random.below(2) === 0 ? "stream" : "whole";
      isDone = await runUntil({ afterLines, pauseMs: random.below(8) }, [...given, how]);
      if (!isDone) killed++;
      if (!isDone) expect(++kills, about).toBeLessThan(KILLS * 3);
    }
    expect(
      server.requests.filter(({ outcome }) => outcome?.type === "refused"),
      about,
    ).toEqual([]);
    const { format } = make(server.origin);
    const session = await openSession("s", { store: `sqlite:${database}`, compactor: { format } });
    const paths = Array.from({ length: CALLS }, (_, index) => `src/${index}.ts`);
    expect(await resultProblems(session, paths), about).toEqual([]);
    // Tools that ran when the process was killed run again, and no others.
    const ran = readFileSync(log, "utf8").trim().split("\n");
    expect(new Set(ran), about).toEqual(new Set(paths));
    expect(ran.length - CALLS, about).toBeLessThanOrEqual(killed * PARALLEL);
    await session.close();
    await server.close();
  }
});

function hasNative(name: keyof typeof LOOP_MODELS): boolean {
  return LOOP_MODELS[name].make("http://127.0.0.1").native !== undefined;
}

const CALLS = 24;
/** Calls of one answer. */
const PARALLEL = 2;

/** By what stands in the conversation, so that a killed loop that asks again gets the same answer. */
function resumable(small: string): (request: ModelRequest) => ScriptedReply {
  const asked = new Set<string>();
  return ({ conversation, model }) => {
    if (model === small) return { text: checkpointText("Read all files and say when you are done.") };
    for (const { parts } of conversation.messages)
      for (const part of parts) if (part.type === "tool-call") asked.add(JSON.stringify(part.input));
    if (asked.size >= CALLS) return { text: "All files are read." };
    const count = asked.size % 5 === 0 ? PARALLEL : 1;
    const toolCalls = Array.from({ length: Math.min(count, CALLS - asked.size) }, (_, index) => ({
      name: "read",
      input: { path: `src/${asked.size + index}.ts` },
    }));
    return { reasoning: `Now ${asked.size}.`, toolCalls };
  };
}

interface Moment {
  readonly afterLines: number;
  readonly pauseMs: number;
}

/** Resolves to whether the worker came to its end before that moment. */
async function runUntil({ afterLines, pauseMs }: Moment, given: readonly string[]): Promise<boolean> {
  const worker = spawn(process.execPath, [join(import.meta.dirname, "workers/loop-worker.ts"), ...given], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(worker, "close");
  let lines = 0;
  let isDone = false;
  for await (const line of createInterface(worker.stdout)) {
    if (line === "done") isDone = true;
    if (++lines === afterLines) setTimeout(() => worker.kill("SIGKILL"), pauseMs);
  }
  await ended;
  return isDone;
}
