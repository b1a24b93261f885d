import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { openSession } from "../src/session.ts";
import { createRandom } from "../src/testing/random.ts";
import { type ModelRequest, type ScriptedReply, startProviderServer } from "../src/testing/server.ts";
import { sampleOf, seed } from "./sample.ts";

const KILLS = sampleOf(100, 6);

test("killed at any moment and started again, it loses no result, doubles none, and no request is refused", async () => {
  const random = createRandom(seed);
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-loop-"));
  let runs = 0;
  for (let kills = 0; kills < KILLS; runs++) {
    const server = await startProviderServer({ reply: resumable(24), windowTokens: 20_000 });
    const [database, log] = [join(folder, `${runs}.db`), join(folder, `${runs}.log`)];
    writeFileSync(log, "");
    let isDone = false;
    while (!isDone) {
      const afterLines = kills < KILLS ? 1 + random.below(60) : Number.POSITIVE_INFINITY;
      isDone = await runUntil(afterLines, [server.origin, database, log]);
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
    await session.close();
    await server.close();
  }
});

/** By what stands in the conversation, so that a killed loop that asks again gets the same answer. */
function resumable(calls: number): (request: ModelRequest) => ScriptedReply {
  const asked = new Set<string>();
  return ({ conversation }) => {
    for (const { parts } of conversation.messages)
      for (const part of parts) if (part.type === "tool-call") asked.add(JSON.stringify(part.input));
    const path = `src/${asked.size}.ts`;
    return asked.size < calls ? { toolCalls: [{ name: "read", input: { path } }] } : { text: "All files are read." };
  };
}

/** Resolves to whether the worker came to its end before so many lines. */
async function runUntil(afterLines: number, given: readonly string[]): Promise<boolean> {
  const worker = spawn(process.execPath, [join(import.meta.dirname, "workers/loop-worker.ts"), ...given], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(worker, "close");
  let lines = 0;
  let isDone = false;
  for await (const line of createInterface(worker.stdout)) {
    if (line === "done") isDone = true;
    if (++lines === afterLines) worker.kill("SIGKILL");
  }
  await ended;
  return isDone;
}
