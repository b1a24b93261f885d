/** What else one must know to plan for a database: search, statements per turn, bytes per message, and how appends go on with more workers. */

import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { openSession } from "../src/session.ts";
import { compactor } from "./store-bars.ts";
import { newSessionId, queriesFor } from "./store-messages.ts";
import type { AgedSessions, Place, Subject } from "./store-subject.ts";
import { median, medianTimes } from "./store-timing.ts";
import { takeTurn } from "./store-turn.ts";
import type { WorkerNote, WorkerTask } from "./store-worker.ts";

export interface SearchCost {
  readonly messages: number;
  readonly indexedPerSecond: number;
  readonly rareMs: number;
  readonly commonMs: number;
}

/** The first search of a session adds everything to the index. */
export async function measureSearch(place: Place, messages: number): Promise<SearchCost> {
  const id = newSessionId();
  await place.fill({ id, messages, live: 200 });
  const { common, rare } = queriesFor(messages >> 1);
  const start = performance.now();
  const [hit] = await place.store.search(id, rare, 5);
  const seconds = (performance.now() - start) / 1_000;
  if (hit?.messageId !== `m${messages >> 1}`)
    throw new Error(`The search found ${hit?.messageId}, not what was sought.`);
  await place.settle();
  const [rareMs = 0, commonMs = 0] = await medianTimes(9, [
    { run: () => place.store.search(id, rare, 5) },
    { run: () => place.store.search(id, common, 5) },
  ]);
  return { messages, indexedPerSecond: messages / seconds, rareMs, commonMs };
}

export interface TurnCost {
  readonly ms: number;
  /** Statements of one turn, by their first words. */
  readonly statements: ReadonlyMap<string, number>;
}

export async function measureTurn(place: Place, sessionId: string, turns: number): Promise<TurnCost> {
  const session = await openSession(sessionId, { store: place.store, compactor, create: false });
  await takeTurn(session, 0);
  const before = place.statements().length;
  const times: number[] = [];
  for (let turn = 1; turn <= turns; turn++) {
    const start = performance.now();
    await takeTurn(session, turn);
    times.push(performance.now() - start);
  }
  return { ms: median(times), statements: kindsOf(place.statements().slice(before), turns) };
}

const COMPACTED_MESSAGES = 400;

/** A compaction that is asked for, with the extractive summary. */
export async function measureCompaction(place: Place): Promise<TurnCost> {
  const id = newSessionId();
  await place.fill({ id, messages: COMPACTED_MESSAGES, live: COMPACTED_MESSAGES });
  const options = { format: anthropicMessages, windowTokens: 200_000, telemetry: false } as const;
  const session = await openSession(id, { store: place.store, compactor: options, create: false });
  const before = place.statements().length;
  const start = performance.now();
  await session.compact();
  return { ms: performance.now() - start, statements: kindsOf(place.statements().slice(before), 1) };
}

function kindsOf(texts: readonly string[], turns: number): ReadonlyMap<string, number> {
  const kinds = new Map<string, number>();
  for (const text of texts) {
    const kind = /\b(?:BEGIN(?: IMMEDIATE)?|COMMIT|SELECT|(?:INSERT INTO|UPDATE) [\w."]+)/.exec(text)?.[0] ?? text;
    const name = kind.replace(/ \S*\./, " ").replaceAll('"', "");
    kinds.set(name, (kinds.get(name) ?? 0) + 1 / turns);
  }
  return kinds;
}

export interface ByteCost {
  readonly name: string;
  readonly perMessage: number;
}

const AGED: AgedSessions = { sessions: 100, stages: 10, messagesPerStage: 100, live: 20 };

/** Bytes per message of every table and index, where sessions grew side by side and were compacted as they grew. */
export async function measureBytes(subject: Subject): Promise<readonly ByteCost[]> {
  const place = await subject.open("aged");
  await place.age(AGED);
  await place.settle();
  const messages = AGED.sessions * AGED.stages * AGED.messagesPerStage;
  const sizes = await place.sizes();
  await place.close();
  return perMessage(sizes, messages);
}

/** Of the search index alone, in a place where everything was indexed. */
export async function searchBytes(place: Place, messages: number): Promise<readonly ByteCost[]> {
  const sizes = (await place.sizes()).filter(({ name }) => name.startsWith("message_search"));
  return perMessage(sizes, messages);
}

function perMessage(sizes: Awaited<ReturnType<Place["sizes"]>>, messages: number): readonly ByteCost[] {
  return sizes
    .map(({ name, bytes }) => ({ name, perMessage: bytes / messages }))
    .filter(({ perMessage: bytes }) => bytes >= 0.5)
    .toSorted((left, right) => right.perMessage - left.perMessage);
}

export interface WorkersCost {
  readonly workers: number;
  readonly sharedAppends: number;
  readonly separateAppends: number;
  readonly separateTurns: number;
}

/** Per second, all workers together. */
export async function measureWorkers(place: Place, workers: number, durationMs: number): Promise<WorkersCost> {
  const ids = Array.from({ length: workers }, newSessionId);
  for (const id of ids) await place.fill({ id, messages: 200, live: 200 });
  const shared = ids.map(() => ids[0] ?? "");
  const run = (sessionIds: readonly string[], does: WorkerTask["does"]): Promise<number> =>
    perSecond(sessionIds.map((sessionId) => ({ address: place.address, sessionId, does, durationMs })));
  return {
    workers,
    sharedAppends: await run(shared, "append"),
    separateAppends: await run(ids, "append"),
    separateTurns: await run(ids, "turn"),
  };
}

async function perSecond(tasks: readonly WorkerTask[]): Promise<number> {
  const workers = tasks.map((workerData) => new Worker(new URL("./store-worker.ts", import.meta.url), { workerData }));
  await Promise.all(workers.map((worker) => noteOf(worker)));
  const counts = workers.map((worker) => noteOf(worker));
  for (const worker of workers) worker.postMessage("go");
  const done = await Promise.all(counts);
  await Promise.all(workers.map((worker) => worker.terminate()));
  const total = done.reduce<number>((sum, count) => sum + (count === "ready" ? 0 : count), 0);
  return (total * 1_000) / (tasks[0]?.durationMs ?? 1);
}

async function noteOf(worker: Worker): Promise<WorkerNote> {
  const [note] = await once(worker, "message");
  return note;
}
