/**
 * The bars of the store: what opening, appending, loading and committing cost beside the bare statements over the same tables with
 * the same durability. Every ratio comes from one run in which both sides took turns.
 */

import { createCompactor } from "../src/compactor.ts";
import type { Commit, Lease } from "../src/core/store/store.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { openSession } from "../src/session.ts";
import { openStore } from "../src/stores.ts";
import { newMessage, newSessionId } from "./store-messages.ts";
import type { Place } from "./store-subject.ts";
import { medianTimes } from "./store-timing.ts";

export interface Bar {
  readonly what: string;
  readonly beside: string;
  readonly ms: number;
  readonly besideMs: number;
  /** Undefined where the line is only shown. */
  readonly ratioMax?: number;
}

export interface BarInput {
  /** Holds nothing but the short session. */
  readonly small: Place;
  readonly large: Place;
  readonly shortId: string;
  readonly longId: string;
  /** Messages of a large view. */
  readonly viewMessages: number;
  readonly rounds: number;
}

/** So large that nothing is compacted on the way. */
export const compactor = createCompactor({ format: anthropicMessages, windowTokens: 50_000_000, telemetry: false });

export async function measureBars(input: BarInput): Promise<readonly Bar[]> {
  return [...(await openBars(input)), ...(await appendBars(input)), ...(await loadBars(input)), await commitBar(input)];
}

async function openBars({ small, large, shortId, longId, rounds }: BarInput): Promise<readonly Bar[]> {
  const session = ({ store }: Place, id: string) => ({
    run: () => openSession(id, { store, compactor, create: false }),
  });
  const anew = ({ address }: Place, id: string) => ({
    run: async () => {
      const store = await openStore(address);
      await store.open(id);
      await store.close();
    },
  });
  const bar = async (what: string, times: Promise<readonly number[]>): Promise<Bar> => {
    const [ms = 0, besideMs = 0] = await times;
    return { what, beside: "short session", ms, besideMs, ratioMax: 3 };
  };
  const long = { run: () => large.store.open(longId) };
  const short = { run: () => small.store.open(shortId) };
  return [
    await bar("open a long session: store.open", medianTimes(rounds * 3, [long, short])),
    await bar(
      "open a long session: openSession",
      medianTimes(rounds * 3, [session(large, longId), session(small, shortId)]),
    ),
    await bar("open a long session: a new store", medianTimes(rounds * 2, [anew(large, longId), anew(small, shortId)])),
  ];
}

async function appendBars({ large, longId, rounds }: BarInput): Promise<readonly Bar[]> {
  const { store, bare } = large;
  const bareId = newSessionId();
  await large.fill({ id: bareId, messages: 200, live: 200 });
  const session = await openSession(longId, { store, compactor, create: false });
  let number = 1_000;
  const next = () => newMessage(++number);
  const [storeMs = 0, sessionMs = 0, besideMs = 0] = await medianTimes(rounds * 25, [
    { run: () => store.append(longId, { messages: [next()], turns: 0 }) },
    { run: () => session.append([next().body as object]) },
    {
      run: () => {
        const { role, body } = next();
        return bare.insert({ sessionId: bareId, sequence: number, role, body });
      },
    },
  ]);
  const common = { beside: "bare INSERT", besideMs, ratioMax: 1.5 };
  return [
    { what: "append one message: store.append", ms: storeMs, ...common },
    { what: "append one message: session.append", ms: sessionMs, ...common },
  ];
}

async function loadBars({ large, viewMessages, rounds }: BarInput): Promise<readonly Bar[]> {
  const { store, bare } = large;
  const id = newSessionId();
  await large.fill({ id, messages: viewMessages, live: viewMessages });
  await large.settle();
  const [storeMs = 0, besideMs = 0, sessionMs = 0] = await medianTimes(rounds * 2, [
    { run: () => store.open(id) },
    { run: () => bare.load(id) },
    { run: () => openSession(id, { store, compactor, create: false }) },
  ]);
  const what = `load ${viewMessages.toLocaleString("en")} messages`;
  const beside = "bare SELECT + JSON.parse";
  return [
    { what: `${what}: store.open`, beside, ms: storeMs, besideMs, ratioMax: 1.5 },
    { what: `${what}: openSession, decoded`, beside, ms: sessionMs, besideMs },
  ];
}

async function commitBar({ large, viewMessages, rounds }: BarInput): Promise<Bar> {
  const { store, bare } = large;
  const subject = { id: "", eventId: "" };
  let lease: Lease | undefined;
  const fresh = async (): Promise<string> => {
    const id = newSessionId();
    await large.fill({ id, messages: viewMessages, live: viewMessages });
    // The rows were written over the bare connection: both shall find them in the file, and no log that is about to be carried over.
    await large.settle();
    return id;
  };
  const [ms = 0, besideMs = 0] = await medianTimes(rounds, [
    {
      prepare: async () => {
        subject.id = await fresh();
        lease = await store.lease(subject.id, "bench", 60_000);
      },
      run: async () => {
        if (lease === undefined) throw new Error("The lease of a new session is free.");
        return store.commit(subject.id, commitOf(lease, viewMessages));
      },
    },
    {
      prepare: async () => {
        subject.id = await fresh();
        subject.eventId = await bare.makeEvent(subject.id);
      },
      run: () => bare.archive(subject.id, subject.eventId),
    },
  ]);
  const what = `commit over ${viewMessages.toLocaleString("en")} messages: store.commit`;
  return { what, beside: "bare UPDATE", ms, besideMs, ratioMax: 3 };
}

function commitOf(lease: Lease, messages: number): Commit {
  const archivedIds = Array.from({ length: messages }, (_, index) => `m${index + 1}`);
  const summary = newMessage(1);
  return {
    event: {
      strategy: "summarize",
      profile: "bench",
      trigger: "manual",
      originalTokens: messages * 500,
      compactedTokens: 500,
      messagesRemoved: messages,
      isCompaction: true,
      summary: JSON.stringify(summary.body),
      preservedMessageIds: [],
      modelUsed: null,
      promptVersion: null,
      calls: 0,
      costUsd: null,
      wholeRatio: 0,
      zoneRatio: null,
      durationMs: 1,
      firstKeptId: null,
      instructions: null,
      plan: { steps: [{ type: "summarize", messageIds: archivedIds }] },
      details: {},
    },
    lease,
    revision: 0,
    sequence: archivedIds.length,
    archivedIds,
    edits: [],
    inserted: [{ ...summary, order: 0.5 }],
    system: null,
    passes: { weak: 0, tokensAfter: 0 },
    totalTokens: 500,
  };
}
