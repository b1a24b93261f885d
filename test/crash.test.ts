import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { openStore } from "../src/stores.ts";
import { createRandom } from "../src/testing/random.ts";
import { type PostgresServer, startPostgres } from "./postgres-server.ts";
import { sampleOf, seed } from "./sample.ts";
import { inDirectory, type Place } from "./shared-places.ts";
import { runWorker } from "./workers/run-worker.ts";
import { type Expectations, verifyCrash } from "./workers/verify-crash.ts";

/** A new database after so many kills, so that its making is hit too. */
const KILLS_PER_STORE = 10;

/** What a kill waits for, in turn, so that every kind of work is hit: how long after is left to chance. */
const MOMENTS = [
  "compacted",
  "compacting",
  "starting",
  "rolling-back",
  "appending",
  "compacting",
  "appended",
  "opened",
];
const AFTER_MS = 25;

/** Kills at a random moment: while the store is opened, or in the middle of some work. */
async function killOnce(url: string, workerSeed: number, { known, server, moment }: KillContext): Promise<number> {
  const worker = runWorker("crash-worker.ts", [url, "crashing", String(workerSeed)]);
  await worker.heard(moment);
  await pause(createRandom(workerSeed).below(AFTER_MS));
  // Every third time it is the server that goes, at once and without a word.
  if (server !== undefined && workerSeed % 3 === 0) await server.restart();
  worker.process.kill("SIGKILL");
  const { code, errors } = await worker.ended;
  // A worker whose server went may have ended by itself before it was killed.
  if (code !== null) expect(errors).toContain("storage");
  const store = await openStore(url);
  try {
    await verifyCrash(store, "crashing", { said: worker.said, known });
  } finally {
    await store.close();
  }
  return worker.said.filter(({ type }) => type === "compacted" || type === "rolled-back").length;
}

interface KillContext {
  readonly known: Expectations;
  readonly server: PostgresServer | undefined;
  readonly moment: string;
}

async function checkKills(kills: number, place: () => Promise<Place>, server?: PostgresServer): Promise<void> {
  let changes = 0;
  for (let done = 0; done < kills; ) {
    const { url, remove } = await place();
    const known: Expectations = { acknowledged: new Set(), before: new Map() };
    for (let kill = 0; kill < KILLS_PER_STORE && done < kills; kill++, done++) {
      try {
        changes += await killOnce(url, seed + done, {
          known,
          server,
          moment: MOMENTS[done % MOMENTS.length] ?? "opened",
        });
      } catch (cause) {
        throw new Error(`after kill ${done} (SEED=${seed}): ${cause instanceof Error ? cause.message : cause}`, {
          cause,
        });
      }
    }
    await remove();
  }
  // Workers that never got to compact would prove little.
  expect(changes).toBeGreaterThanOrEqual(kills / MOMENTS.length);
}

test("sqlite: kill -9 at any moment loses nothing that was acknowledged", async () => {
  await checkKills(sampleOf(500, 4), () => inDirectory("sqlite", "sessions.db"));
});

test("jsonl: kill -9 at any moment loses nothing that was acknowledged", async () => {
  await checkKills(sampleOf(200, 3), () => inDirectory("jsonl", "sessions"));
});

test("postgres: neither the worker's end nor the server's loses what was acknowledged", async ({ skip }) => {
  const server = await startPostgres().catch(String);
  if (typeof server === "string") return skip(server);
  try {
    let schemas = 0;
    const place = async (): Promise<Place> => ({
      url: `${server.url}?schema=crash${schemas++}`,
      remove: async () => {},
    });
    await checkKills(sampleOf(200, 3), place, server);
  } finally {
    await server.stop();
  }
});
