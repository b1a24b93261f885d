import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { openSession } from "../src/session.ts";
import { createRandom } from "../src/testing/random.ts";
import { type ModelRequest, type ScriptedReply, startProviderServer } from "../src/testing/server.ts";
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
  let runs = 0;
  for (let kills = 0; kills < KILLS; runs++) {
    const server = await startProviderServer({ reply: resumable(CALLS), windowTokens: 20_000 });
    const [database, log] = [join(folder, `${runs}.db`), join(folder, `${runs}.log`)];
    writeFileSync(log, "");
    let isDone = false;
    let killed = 0;
    while (!isDone) {
      const afterLines = kills < KILLS ? 1 + random.below(60) : Number.POSITIVE_INFINITY;
      isDone = await runUntil({ afterLines, pauseMs: random.below(8) }, [server.origin, database, log, mode]);
      if (!isDone) killed++;
      if (!isDone) expect(++kills, `seed ${seed}`).toBeLessThan(KILLS * 3);
    }
    expect(
      server.requests.filter(({ outcome }) => outcome?.type === "refused"),
      `seed ${seed}`,
    ).toEqual([]);
    const session = await openSession("s", { store: `sqlite:${database}`, compactor: { format: anthropicMessages } });
    const rows = [...(await session.view()), ...(await Array.fromAsync(session.archive()))];
    const messages = anthropicMessages.decode(
      rows.filter(({ isSummary }) => !isSummary).map(({ body }) => body),
    ).messages;
    const results = messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "tool-result" ? [part.callId] : [])),
    );
    expect(new Set(results).size, `seed ${seed}`).toBe(results.length);
    expect(results, `seed ${seed}`).toHaveLength(CALLS);
    // A tool that ran when the process was killed runs again, and no other does.
    const ran = readFileSync(log, "utf8").trim().split("\n");
    expect(new Set(ran).size, `seed ${seed}`).toBe(CALLS);
    expect(ran.length - CALLS, `seed ${seed}`).toBeLessThanOrEqual(killed);
    await session.close();
    await server.close();
  }
});

const CALLS = 24;

/** By what stands in the conversation, so that a killed loop that asks again gets the same answer. */
function resumable(calls: number): (request: ModelRequest) => ScriptedReply {
  const asked = new Set<string>();
  return ({ conversation, model }) => {
    if (model === "claude-haiku-5-5") return { text: checkpointText("Read all files and say when you are done.") };
    for (const { parts } of conversation.messages)
      for (const part of parts) if (part.type === "tool-call") asked.add(JSON.stringify(part.input));
    const path = `src/${asked.size}.ts`;
    return asked.size < calls ? { toolCalls: [{ name: "read", input: { path } }] } : { text: "All files are read." };
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
