/**
 * One worker of the store's bench, in a thread of its own with connections of its own: appends, or the statements of whole turns,
 * until time is up.
 */

import { parentPort, workerData } from "node:worker_threads";
import type { AppendResult } from "../src/core/store/store.ts";
import { openStore } from "../src/stores.ts";
import { newMessage } from "./store-messages.ts";

export interface WorkerTask {
  readonly address: string;
  readonly sessionId: string;
  /** A turn is what a session asks of its store for one: two appends, and whether anything else has changed. */
  readonly does: "append" | "turn";
  readonly durationMs: number;
}

/** What it sends: that it is ready, then how often it was done. It begins when it is sent anything. */
export type WorkerNote = "ready" | number;

// The bench that starts this thread is the only one that gives it data.
if (parentPort !== null) await work(workerData as WorkerTask);

async function work({ address, sessionId, does, durationMs }: WorkerTask): Promise<void> {
  const store = await openStore(address);
  let number = 0;
  const append = (): Promise<AppendResult> => store.append(sessionId, { messages: [newMessage(++number)], turns: 0 });
  const turn = async (): Promise<void> => {
    const { version } = await append();
    await store.changes(sessionId, version);
    await append();
  };
  let count = 0;
  const once = async (): Promise<void> => {
    await (does === "turn" ? turn() : append());
    count++;
  };
  await once();
  parentPort?.postMessage("ready" satisfies WorkerNote);
  await new Promise((resolve) => parentPort?.once("message", resolve));
  count = 0;
  const endMs = performance.now() + durationMs;
  while (performance.now() < endMs) await once();
  parentPort?.postMessage(count satisfies WorkerNote);
  await store.close();
}
